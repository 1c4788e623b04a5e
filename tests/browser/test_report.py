"""No text of a trace acts on the page of a report."""

from pathlib import Path

import nbformat
from playwright.sync_api import Page, expect

from pipeline.reports.batch.pages import PageJob, html_page, notebook_html, write_index

HOSTILE = (
    '<meta http-equiv="refresh" content="0;url=https://example.org/"><script>document.title="script"</script>'
    "<style>main {display: none}</style><iframe src='https://example.org/'></iframe><b onmouseover=alert(1)>name</b>"
)


def test_a_hostile_name_stays_text(page: Page, tmp_path: Path) -> None:
    cell = nbformat.v4.new_code_cell("0", execution_count=1)
    cell.outputs = [nbformat.v4.new_output("display_data", data={"text/markdown": f"Most offers: {HOSTILE} 3"})]
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "executed.ipynb")
    path = tmp_path / "page.html"
    path.write_text(html_page(notebook_html(tmp_path / "executed.ipynb"), HOSTILE, "index.html"), encoding="utf-8")
    write_index([PageJob(path, {}, path, HOSTILE)], tmp_path, [HOSTILE])
    for name in ("page.html", "index.html"):
        page.goto((tmp_path / name).as_uri())
        page.wait_for_timeout(500)
        assert page.url == (tmp_path / name).as_uri()
        expect(page.locator("main")).to_contain_text("<script>")
        assert page.title() == (HOSTILE if name == "page.html" else "Reports")
        assert page.locator("main :is(meta, script, style, iframe, [onmouseover])").count() == 0

import pytest

from tests.sim.stub import KEY


@pytest.fixture
def planted_key(monkeypatch):
    monkeypatch.setenv("STUB_KEY", KEY)


@pytest.fixture(autouse=True)
def _no_answers_are_kept_in_the_user_s_folder(monkeypatch, request, tmp_path_factory):
    place = tmp_path_factory.getbasetemp() / f"cache-{abs(hash(request.node.nodeid))}"
    monkeypatch.setenv("XDG_CACHE_HOME", str(place))

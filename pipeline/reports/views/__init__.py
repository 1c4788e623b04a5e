"""One game as a reader sees it: what the viewer pages and the exploring notebook show."""

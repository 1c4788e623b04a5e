import pytest

from tests.sim.stub import KEY


@pytest.fixture
def planted_key(monkeypatch):
    monkeypatch.setenv("STUB_KEY", KEY)

import pytest

from chrfect.studies.popovic2017 import run_study


@pytest.fixture(scope="session")
def study(data):
    """The reproduction of Popović (2017)."""
    return run_study(str(data))

import pytest

from serving import serving


@pytest.fixture(scope="session")
def address():
    """The start of the URLs of a server that all tests share."""
    with serving("--timeout", "20") as address:
        yield address

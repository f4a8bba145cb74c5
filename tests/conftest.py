import os
import random
import signal
from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile("chrfect", deadline=None, derandomize=True)
hypothesis.settings.register_profile(  # of scripts/mutate, to which any failing example is as good as the smallest
    "unshrunk",
    hypothesis.settings.get_profile("chrfect"),
    phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "chrfect"))

ROOT = Path(__file__).parent.parent


def in_long(*values):
    """Return values of a parameter, or tuples of several, that only the tests marked as long have."""
    rows = [value if isinstance(value, tuple) else (value,) for value in values]
    return [pytest.param(*row, marks=pytest.mark.long) for row in rows]


def pytest_addoption(parser):
    parser.addoption("--shuffle", type=int, metavar="SEED", help="shuffle the modules and the tests in each")


def pytest_collection_modifyitems(config, items):
    if (seed := config.getoption("shuffle")) is not None:
        draw = random.Random(seed)
        places = {item.path: draw.random() for item in items}
        items.sort(key=lambda item: (places[item.path], draw.random()))


def pytest_configure():
    """Let signals reach the commands that tests start: a shell's background jobs ignore SIGINT, nohup's SIGHUP."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda number, frame: None)  # a started command gets the default


@pytest.fixture(scope="session")
def data():
    """The folder of real WMT texts, named by CHRFECT_DATA."""
    folder = os.environ.get("CHRFECT_DATA")
    if not folder:
        pytest.skip("CHRFECT_DATA is not set: the real texts are not shipped with the project")
    return Path(folder)


@pytest.fixture(scope="session", params=["sample", pytest.param("whole", marks=pytest.mark.long)])
def whole(request):
    """Whether a test takes everything, or only a sample."""
    return request.param == "whole"


@pytest.fixture(scope="session")
def root():
    return ROOT

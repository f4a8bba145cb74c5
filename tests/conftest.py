import os
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


def pytest_configure():
    """Let signals reach the commands that tests start: a shell's background jobs ignore SIGINT, nohup's SIGHUP."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda number, frame: None)  # a started command gets the default


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: "last" in item.keywords)


@pytest.fixture(scope="session")
def data():
    """The folder of real WMT texts, named by CHRFECT_DATA."""
    folder = os.environ.get("CHRFECT_DATA")
    if not folder:
        pytest.skip("CHRFECT_DATA is not set: the real texts are not shipped with the project")
    return Path(folder)


@pytest.fixture(scope="session")
def root():
    return ROOT

"""A test fails only if a score decreases significantly."""

import subprocess
import sys

import pytest

SUITE = """\
import random

random.seed(1)
WORDS = "the cat sat on a mat and saw two dogs".split()
REFERENCES = [" ".join(random.choices(WORDS, k=8)) for _ in range(80)]


def changed(share):
    return [
        " ".join(random.choice(WORDS) if random.random() < share else word for word in text.split())
        for text in REFERENCES
    ]


def test_it(score_is_no_worse):
    score_is_no_worse(changed({new}), changed({old}), REFERENCES, "{metric}", trials=500)
"""


def run(tmp_path, **values):
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["chrfect.compat.pytest_plugin"]\n')
    text = SUITE
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", str(value))
    (tmp_path / "test_it.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("metric", ["chrF", "TER"])
def test_significant_decrease_fails(metric, tmp_path):
    done = run(tmp_path, old=0.2, new=0.6, metric=metric)
    assert done.returncode == 1
    assert f"{metric} went from" in done.stdout
    assert "p = 0.00" in done.stdout


@pytest.mark.parametrize(("old", "new"), [(0.6, 0.2), (0.3, 0.3)])
def test_increase_or_insignificant_change_passes(old, new, tmp_path):
    done = run(tmp_path, old=old, new=new, metric="chrF")
    assert done.returncode == 0, done.stdout

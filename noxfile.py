"""The same answers on every supported Python: ``nox``, or ``nox -s answers-3.13``; arguments go to pytest."""

import nox

nox.options.error_on_missing_interpreters = True


@nox.session(python=["3.11", "3.12", "3.13"])
def answers(session: nox.Session) -> None:
    """Run the conformance cases through all interfaces, and invalid input, on one Python."""
    session.install("--editable", ".[dev]")
    chosen = session.posargs or ["tests/catalogue", "tests/cli", "tests/service"]
    session.run("pytest", "-q", *chosen)

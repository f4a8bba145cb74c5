import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from chrfect import __version__, kernels
from chrfect.cli import COMMANDS, main
from processes import started


def test_version_prints_the_kernel(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith(f"chrfect {__version__} (Python 3")
    main(["--version"])
    assert f"{kernels.NAME} kernel" in capsys.readouterr().out


def test_version_prints_the_reason_for_the_readable_kernel():
    command = [sys.executable, "-m", "chrfect", "--version"]
    environment = {**os.environ, "CHRFECT_KERNEL": "readable"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert "it is used because CHRFECT_KERNEL is 'readable'." in done.stdout


def test_without_a_command_the_help_is_shown(capsys):
    assert main([]) == 2
    assert "score translations against references" in capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command, capsys):
    with pytest.raises(SystemExit) as caught:
        main([command, "--help"])
    assert caught.value.code == 0
    output = capsys.readouterr().out
    assert f"chrfect {command} " in output.partition("example")[2]
    assert max(map(len, output.splitlines())) <= 120


def test_every_command_has_its_module(root):
    modules = {path.stem for path in (root / "src" / "chrfect" / "cli").glob("*.py")} - {"__init__"}
    assert {name.replace("-", "_") for name in COMMANDS} <= modules


def test_tools_lists_every_tool(capsys):
    from chrfect import catalogue

    assert main(["tools"]) == 0
    text = capsys.readouterr().out
    assert main(["tools", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["tools"]
    assert [tool["id"] for tool in listed] == catalogue.ids()
    assert all(f"{tool['id']} {tool['version']}" in text for tool in listed)


def test_describe_prints_the_contract_as_it_is_stored(capfdbinary):
    from chrfect import catalogue

    assert main(["describe", "chrf-compute"]) == 0
    sys.stdout.flush()
    assert capfdbinary.readouterr().out == catalogue.contract_bytes("chrf-compute", "1.0.0")


def test_describe_suggests_the_nearest_tool(capsys):
    assert main(["describe", "chrf"]) == 2
    assert "the nearest is 'chrf-" in capsys.readouterr().err


def test_run_prints_the_detail_of_a_rejection(capsys, tmp_path):
    path = tmp_path / "input.json"
    path.write_text('{"hypotheses": ["a"], "references": ["a"], "beta": NaN}')
    assert main(["run", "chrf-compute", "1.0.0", "--input", str(path)]) == 2
    assert capsys.readouterr().err == "chrfect: error: The input cannot be read as JSON: NaN is not a JSON number.\n"
    assert main(["run", "chrf-compute", "9.9.9", "--input", str(path)]) == 2
    assert "no version '9.9.9'" in capsys.readouterr().err
    assert main(["run", "chrf-compute", "1.0.0", "--input", str(tmp_path / "none.json")]) == 2
    assert "none.json: no such file" in capsys.readouterr().err


def command(*arguments, **options):
    return started([sys.executable, "-m", "chrfect", *arguments], limit=100, stderr=subprocess.PIPE, **options)


def test_a_closed_pipe_ends_silently_with_0(tmp_path):
    (tmp_path / "text").write_text("a cat\n" * 20_000)
    (tmp_path / "reference").write_text("the cat\n" * 20_000)
    read, write = os.pipe()
    with command("score", "reference", "-i", "text", "--segments", cwd=tmp_path, stdout=write) as process:
        os.close(write)
        os.close(read)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, b"")


def open_once_read(fifo, process):
    """Open a FIFO for writing as soon as the process reads it."""
    while process.poll() is None:
        with contextlib.suppress(OSError):
            return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        time.sleep(0.01)
    raise AssertionError(process.communicate())


def test_ctrl_c_ends_with_130_and_no_traceback(tmp_path):
    fifo = tmp_path / "reference"
    os.mkfifo(fifo)
    with command("score", str(fifo), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        writer = open_once_read(fifo, process)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        os.close(writer)
    assert (process.returncode, output, errors) == (130, b"", b"")


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_any_file_name_can_be_printed_anywhere(tmp_path, form):
    name = b"\xd1\x82\xff"
    (tmp_path / os.fsdecode(name)).write_text("hi\n")
    for encoding in ("ascii", "latin-1", "utf-8:strict", "utf-8"):
        environment = {**os.environ, "PYTHONIOENCODING": encoding}
        with command(
            "score", name, "-i", name, *form, cwd=tmp_path, stdout=subprocess.PIPE, env=environment
        ) as process:
            output, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (0, b"")
        if form:
            assert json.loads(output.decode("utf-8"))["references"] == ["т\ufffd"]


@pytest.mark.parametrize(("closing", "status"), [(">&-", 0), ("2>&-", 2), ("<&-", 2)])
def test_closed_stream_does_not_crash(tmp_path, closing, status):
    (tmp_path / "ref").write_text("hi\n")
    hypothesis = {">&-": "ref", "2>&-": "nowhere", "<&-": "-"}[closing]
    line = f'"{sys.executable}" -m chrfect score ref -i {hypothesis} {closing}'
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, timeout=60)
    assert done.returncode == status
    assert b"Traceback" not in done.stderr


def test_a_wrong_kernel_in_the_environment_is_an_error_that_ends_with_2(tmp_path):
    (tmp_path / "ref").write_text("hi\n")
    environment = {**os.environ, "CHRFECT_KERNEL": "quick"}
    with command("score", "ref", "-i", "ref", cwd=tmp_path, stdout=subprocess.PIPE, env=environment) as process:
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert errors.startswith(b"chrfect: error: CHRFECT_KERNEL is 'quick'")


def test_an_error_can_be_printed_where_the_terminal_is_not_unicode(tmp_path):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    with command("score", "ref\udcff", cwd=tmp_path, stdout=subprocess.PIPE, env=environment) as process:
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert b"no such file" in errors

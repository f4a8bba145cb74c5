"""Print a script that completes commands, options and files in a shell."""

from __future__ import annotations

import argparse

EXAMPLES = """\
examples:
  chrfect completion bash > ~/.local/share/bash-completion/completions/chrfect
  chrfect completion zsh > ~/.zfunc/_chrfect           a folder in $fpath, before compinit
  eval "$(chrfect completion bash)"                    in this shell only
"""

SHELLS = ("bash", "zsh", "tcsh")
FILES = ("DATA", "FILE", "HYP", "PART", "REF", "TABLE")
"""Words in the name of an argument that is a file."""
FOLDERS = ("DIR", "FOLDER")


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = EXAMPLES
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help="bash, zsh or tcsh")


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    from chrfect import catalogue
    from chrfect.cli import COMMANDS, parser_with
    from chrfect.errors import UsageError
    from chrfect.metrics import metric_names

    try:
        import shtab
    except ModuleNotFoundError:
        raise UsageError("Completion scripts need the shtab module: pip install shtab.") from None
    parser = parser_with(COMMANDS)
    (commands,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    for command in commands.choices.values():
        for action in command._actions:
            name = str(action.metavar or "")
            if name in FOLDERS:
                setattr(action, "complete", shtab.DIRECTORY)  # noqa: B010
            elif any(word in name for word in FILES):
                setattr(action, "complete", shtab.FILE)  # noqa: B010
            elif name == "METRIC":
                action.choices = metric_names()
            elif name == "ID":
                action.choices = catalogue.ids()
    print(shtab.complete(parser, arguments.shell))
    return 0

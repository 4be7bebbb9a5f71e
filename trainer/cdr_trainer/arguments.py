"""The command lines of the node agent and of the programs that it starts."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = ("tokenize", "prepare", "train", "evaluate", "generate", "measure", "megatron")
# Those that run as many processes as a launch has; the others are one.
DISTRIBUTED = ("train", "measure")
# Those that save when they are asked to stop, and go on from there.
TRAINING = ("train", "megatron")


@dataclass(frozen=True)
class ProgramArguments:
    """What one process of a program is told."""

    config: Path
    run_dir: Path
    project: Path
    attempt: int
    node: int
    inputs: dict[str, Path]


@dataclass(frozen=True)
class NodeArguments(ProgramArguments):
    """What the agent of one node is told."""

    program: str
    nodes: int
    procs: int
    endpoint: str | None
    rendezvous: str


def _shared(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", required=True, type=Path)
    parser.add_argument("--run-dir", required=True, type=Path)
    parser.add_argument("--project", type=Path, default=Path())
    parser.add_argument("--attempt", type=int, default=0)
    parser.add_argument("--node-rank", type=int, default=0)
    parser.add_argument("--input", action="append", default=[], metavar="NAME=DIR[@WHICH]", type=_input)


def _input(text: str) -> tuple[str, Path]:
    name, equals, directory = text.partition("=")
    if not equals or not name or not directory:
        raise argparse.ArgumentTypeError(f"`{text}` is not NAME=DIR or NAME=RUN_DIR@WHICH")
    return name, Path(directory).absolute()


def parse_program(argv: list[str] | None = None) -> ProgramArguments:
    parser = argparse.ArgumentParser()
    _shared(parser)
    given = parser.parse_args(argv)
    return ProgramArguments(
        config=given.config.absolute(),
        run_dir=given.run_dir.absolute(),
        project=given.project.absolute(),
        attempt=given.attempt,
        node=given.node_rank,
        inputs=dict(given.input),
    )


def parse_node(argv: list[str] | None = None) -> NodeArguments:
    parser = argparse.ArgumentParser(prog="python -m cdr_trainer.node", description="Runs a step on this node.")
    parser.add_argument("--bundle", required=True, type=Path, help="folder that --config is relative to")
    parser.add_argument("--program", required=True, choices=PROGRAMS)
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--procs", type=int, default=1)
    parser.add_argument("--endpoint", help="HOST:PORT of node 0; needed with several nodes")
    parser.add_argument("--rendezvous", default="cdr")
    _shared(parser)
    given = parser.parse_args(argv)
    if given.nodes > 1 and not given.endpoint:
        parser.error("--nodes above 1 needs --endpoint HOST:PORT of node 0")
    return NodeArguments(
        config=(given.bundle / given.config).absolute(),
        run_dir=given.run_dir.absolute(),
        project=given.project.absolute(),
        attempt=given.attempt,
        node=given.node_rank,
        inputs=dict(given.input),
        program=given.program,
        nodes=given.nodes,
        procs=given.procs,
        endpoint=given.endpoint,
        rendezvous=given.rendezvous,
    )


def program_command(arguments: NodeArguments) -> list[str]:
    """The words after `python`: the same for every rank, which learns its rank from the environment."""
    words = ["-m", f"cdr_trainer.{arguments.program}"]
    words += ["--config", str(arguments.config), "--run-dir", str(arguments.run_dir)]
    words += ["--project", str(arguments.project), "--attempt", str(arguments.attempt)]
    words += ["--node-rank", str(arguments.node)]
    for name, directory in arguments.inputs.items():
        words += ["--input", f"{name}={directory}"]
    return words

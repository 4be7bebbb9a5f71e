"""Random walks over launches that Megatron accepts: each step edits an argument or two, and is kept where that is accepted.

    walk_megatron.py SEED COUNT < BASES

BASES are JSON lines of {argv, env, world_size, gpu_arch, entry}. Prints COUNT rows of the same form with the verdict, as
`bench truth` reads them.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator

import megatron_verdict
import megatron_words
from megatron_verdict import Launch

# Steps that are kept of a walk, and those that are tried.
KEPT, TRIED = 6, 14


def main() -> None:
    pick = random.Random(int(sys.argv[1]))
    count = int(sys.argv[2])
    megatron_verdict.prepare()
    from megatron.training import arguments

    parser = arguments.add_megatron_arguments(argparse.ArgumentParser(allow_abbrev=False))
    bases = [json.loads(line) for line in sys.stdin]
    for number, row in zip(range(count), walks(bases, Editor(parser, pick)), strict=False):
        print(json.dumps({**row, "id": f"walk-{sys.argv[1]}-{number}"}), flush=True)


class Editor:
    def __init__(self, parser: argparse.ArgumentParser, pick: random.Random) -> None:
        self.pick = pick
        self.actions = megatron_words.editable(parser)
        self.by_name = {name: action for action in self.actions for name in action.option_strings}

    def edited(self, launch: Launch, kind: str) -> Launch:
        pick = self.pick
        roll = pick.random()
        if roll < 0.06:
            return {**launch, "world_size": pick.choice([1, 2, 3, 4, 8, 16, 24, 32, 48, 64])}
        if roll < 0.08:
            return {**launch, "gpu_arch": pick.choice(["8.0", "9.0", "10.0"])}
        if roll < 0.10:
            return {**launch, "env": {**launch["env"], "CUDA_DEVICE_MAX_CONNECTIONS": pick.choice(["1", "8", "32"])}}
        given = [self.by_name[word] for word in launch["argv"] if word in self.by_name]
        if roll < 0.17 and given:
            return {**launch, "argv": without(launch["argv"], pick.choice(given))}
        own = megatron_words.of_kind(self.actions, kind) if pick.random() < 0.75 else self.actions
        action = pick.choice(given if roll < 0.27 and given else own)
        words = [pick.choice(action.option_strings), *megatron_words.values(action, pick)]
        return {**launch, "argv": [*without(launch["argv"], action), *words]}


def walks(bases: list[Launch], editor: Editor) -> Iterator[Launch]:
    pick = editor.pick
    while True:
        current = pick.choice(bases)
        kind = pick.choice(list(megatron_words.KINDS))
        if megatron_verdict.verdict_in_fork(current)["verdict"] != "ok":
            continue
        kept = 0
        for _ in range(TRIED):
            following = current
            for _ in range(pick.choice([1, 1, 1, 2, 2, 3])):
                following = editor.edited(following, kind)
            said = megatron_verdict.verdict_in_fork(following)
            if said["verdict"] == "crash":
                continue
            yield {**following, **said}
            if said["verdict"] == "ok":
                current, kept = following, kept + 1
            if kept == KEPT:
                break


def without(argv: list[str], action: argparse.Action) -> list[str]:
    rest: list[str] = []
    drops = False
    for word in argv:
        if word.startswith("--"):
            drops = word.split("=")[0] in action.option_strings
        if not drops:
            rest.append(word)
    return rest


if __name__ == "__main__":
    main()

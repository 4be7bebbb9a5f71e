"""Learns a tokenizer on a sample of the documents: `tokenizer.json` and `meta.json`."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from . import tokenizer as tokenizers
from .arguments import ProgramArguments
from .config import load
from .events import Events
from .files import write_json
from .prepare import sample_documents
from .rank import run
from .results import publish, staging
from .sources import open_source


def tokenize(arguments: ProgramArguments) -> None:
    config = load(arguments.config)
    events = Events(arguments.run_dir, arguments.attempt)
    with staging(arguments.run_dir) as folder:
        scratch = folder / "scratch"
        scratch.mkdir()
        sources = [open_source(one, arguments.project, None, scratch) for one in config.sources]
        wanted = config.tokenizer.get("sample_bytes", 0)
        seen = 0

        def counted() -> Iterator[str]:
            nonlocal seen
            for text in sample_documents(sources, wanted, config.seed):
                seen += len(text.encode("utf-8", "replace"))
                events.progress(min(seen, wanted), wanted, "bytes")
                yield text

        made = tokenizers.make(config.tokenizer, arguments.project, None, counted())
        shutil.rmtree(scratch)
        made.save(folder)
        facts = {"format": 1, "kind": made.kind, "vocab": made.vocab, "size": made.size, "end": made.end}
        write_json(folder / "meta.json", facts | {"sample_bytes": seen, "sha256": tokenizers.fingerprint(folder)})
        publish(folder, arguments.run_dir)
    if made.size < made.vocab:
        events.warning(f"the sample gave {made.size} tokens, fewer than the {made.vocab} rows of the vocabulary")
    print(f"{made.size} tokens learned on {seen:,} bytes", flush=True)


if __name__ == "__main__":
    run(tokenize)

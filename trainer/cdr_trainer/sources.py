"""Documents of a data source: files, the standard library, or a data set of the hub."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from . import hub, stdlib
from .config import Config
from .errors import UserError
from .patterns import find_files
from .reading import NotText, Pick, read_documents, text_of


@dataclass
class Source:
    """A source with its files found, so that their total size is known before the first is read."""

    config: Config
    files: list[Path]
    open: Callable[[Path], Iterator[str]]
    size: int
    skipped: list[str] = field(default_factory=list)

    def documents(self, on_bytes: Callable[[int], None] = lambda count: None) -> Iterator[str]:
        """Texts that hold more than white space. `on_bytes` is told the size of every file once it is read."""
        count = 0
        for path in self.files:
            try:
                for text in self.open(path):
                    if text and not text.isspace():
                        count += 1
                        yield text
            except NotText:
                self.skipped.append(path.name)
            on_bytes(path.stat().st_size if self.size else 0)
        if count == 0:
            raise UserError(self._nothing())

    def _nothing(self) -> str:
        name = f"data source `{self.config.name}`"
        if self.skipped:
            binary = _shown(self.skipped)
            return f"{name} has no text: {len(self.skipped)} of its {len(self.files)} files are binary ({binary})"
        return f"{name} is empty: there is no text in {_shown([path.name for path in self.files])}"


def _shown(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def open_source(
    config: Config, project: Path, limit_files: int | None, scratch: Path, pick: Pick = text_of
) -> Source:
    """`scratch` is a directory for what `datasets` keeps meanwhile; nothing is left in the user's home."""
    if config.kind == "hub":
        return Source(config, [Path("hub")], lambda _: _hub(config, scratch, pick), 0)
    if config.kind == "python_stdlib":
        files = stdlib.stdlib_files()
        reader = stdlib.source if config.part == "source" else stdlib.docs
    else:
        files = find_files(config.patterns, project)

        def reader(path: Path) -> Iterator[str]:
            return read_documents(path, config.column, scratch, pick)

    files = files[:limit_files]
    return Source(config, files, reader, sum(path.stat().st_size for path in files))


def _hub(config: Config, scratch: Path, pick: Pick) -> Iterator[str]:
    import datasets

    token = hub.token_of(config.token_env)
    try:
        table = datasets.load_dataset(
            config.repository,
            config.subset,
            split=config.split,
            revision=config.revision,
            token=token,
            streaming=True,
            cache_dir=str(scratch),
        )
        names = table.column_names or list(next(iter(table), {}))
    except Exception as error:
        raise hub.refused(f"data set `{config.repository}`", error) from error
    if config.column not in names:
        raise UserError(f"data set `{config.repository}` has no column `{config.column}`; it has {', '.join(names)}")
    for number, row in enumerate(table, 1):
        if row[config.column] is not None:
            yield pick(row[config.column], config.column, f"{config.repository}, row {number}")

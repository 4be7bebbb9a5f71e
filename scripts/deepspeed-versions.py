"""Writes compiler/engines/deepspeed/versions.json: in which release each key of a configuration came, in which it went, and the last
release of each series.

    node scripts/deepspeed-keys.ts | python scripts/deepspeed-versions.py CLONE > compiler/engines/deepspeed/versions.json

CLONE is a git clone of DeepSpeed with its tags. A field of a configuration class came with the class's first release that declares it;
a key that is read by hand came with the first release in whose package its name stands anywhere. `closed` is since when a section is
read by a class, which refuses keys that it has not. What the newest release refuses by name and the last tag does not went with the newest.
"""

from __future__ import annotations

import ast
import io
import json
import re
import subprocess
import sys
import tarfile

FIRST = (0, 9, 0)


def main() -> None:
    clone = sys.argv[1]
    wanted = json.load(sys.stdin)
    tags = tags_of(clone)
    names: dict[str, set[str]] = {}
    fields: dict[str, dict[str, set[str]]] = {}
    for tag in tags:
        names[tag], fields[tag] = read(clone, tag)
    versions = [tag[1:] for tag in tags]
    came: dict[str, str] = {}
    went: dict[str, str] = {}
    for path, model in wanted["keys"].items():
        # Its class is that of inference, whose fields are not those of a configuration's section.
        if path.startswith("weight_quantization."):
            continue
        leaf = path.split(".")[-1]
        known = [leaf in (fields[tag].get(model, set()) if model else names[tag]) for tag in tags]
        if model and not any(model in fields[tag] for tag in tags[:1]):
            # Before the class there was the same section, read by hand.
            known = [leaf in fields[tag][model] if model in fields[tag] else leaf in names[tag] for tag in tags]
        if not known[0]:
            came[path] = next((version for version, is_there in zip(versions, known) if is_there), wanted["version"])
    for section, model in wanted["models"].items():
        now = set(wanted["fields"][model])
        for at, tag in enumerate(tags):
            for field in fields[tag].get(model, set()) - now:
                after = [later for later in tags[at:] if field not in fields[later].get(model, set())]
                went[f"{section}.{field}"] = after[0][1:] if after else wanted["version"]
    for key in wanted["removed"]:
        last = max((at for at, tag in enumerate(tags) if key.split(".")[-1] in names[tag]), default=-1)
        went[key] = versions[last + 1] if last + 1 < len(tags) else wanted["version"]
    closed = {
        section: next((version for tag, version in zip(tags, versions) if model in fields[tag]), wanted["version"])
        for section, model in wanted["models"].items()
    }
    print(
        json.dumps(
            {
                "first": versions[0],
                "tagged": versions[-1],
                "newest": wanted["version"],
                "last": last_of_each([*versions, wanted["version"]]),
                "closed": closed,
                "came": dict(sorted(came.items())),
                "went": dict(sorted(went.items())),
            },
            indent=1,
        )
    )


def tags_of(clone: str) -> list[str]:
    listed = subprocess.run(["git", "-C", clone, "tag"], capture_output=True, text=True, check=True).stdout.split()
    found = [(tuple(int(part) for part in tag[1:].split(".")), tag) for tag in listed if re.fullmatch(r"v\d+\.\d+\.\d+", tag)]
    return [tag for order, tag in sorted(found) if order >= FIRST]


def last_of_each(versions: list[str]) -> list[str]:
    """The last release of each series, of releases in their order."""
    return list({version.rpartition(".")[0]: version for version in versions}.values())


def read(clone: str, tag: str) -> tuple[set[str], dict[str, set[str]]]:
    """Every word of the package, and the fields of its configuration classes."""
    archive = subprocess.run(["git", "-C", clone, "archive", tag, "deepspeed"], capture_output=True, check=True).stdout
    words: set[str] = set()
    fields: dict[str, set[str]] = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        for member in files.getmembers():
            content = files.extractfile(member) if member.isfile() and member.name.endswith(".py") else None
            if content is None:
                continue
            text = content.read().decode("utf8", "replace")
            words.update(re.findall(r"[A-Za-z_]\w*", text))
            if "Config" in text and "class " in text:
                for node in ast.walk(ast.parse(text)):
                    if isinstance(node, ast.ClassDef) and node.name.endswith("Config"):
                        fields.setdefault(node.name, set()).update(fields_of(node))
    return words, fields


def fields_of(node: ast.ClassDef) -> set[str]:
    found: set[str] = set()
    for each in node.body:
        if not isinstance(each, ast.AnnAssign) or not isinstance(each.target, ast.Name):
            continue
        found.add(each.target.id)
        for call in ast.walk(each):
            if isinstance(call, ast.keyword) and call.arg == "alias" and isinstance(call.value, ast.Constant):
                found.add(str(call.value.value))
    return found


if __name__ == "__main__":
    main()

"""Writes compiler/engines/megatron/versions/readers.json: arguments that Megatron reads only where another one is set.

    python scripts/megatron-readers.py CHECKOUT RELEASES > compiler/engines/megatron/versions/readers.json

CHECKOUT is Megatron-LM at the newest release that is known, RELEASES a folder with one of each older release, named as its table is
(`0.17.1`); they are read, not run. Of an older release that is kept which differs from the newest: what it asks for instead, and nothing where
it asks for nothing. A place reads an argument where its name stands as an attribute, a variable or a string, and is
not only passed on under the same name. What surrounds the place (`if`, `and`, an early return; the same of every place that names the function
or class) must hold, and so must what the folder is for. An argument is listed with what all its places ask for. What checks, stores, counts
operations or exports does not read it in this sense; an argument that is read nowhere is not listed: its reader may be another package.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "compiler/engines/megatron/versions/core-0.20.0.json"

# Parsers, checks, what is written down, counts of operations, other programs than training.
ASIDE = tuple(
    f"megatron/{each}"
    for each in ("training/theoretical_memory_usage.py", "training/yaml_arguments.py", "core/export/", "core/inference/", "elastification/")
)
ASIDE_FUNCTIONS = {
    "num_floating_point_operations",
    "check_checkpoint_args",
    "load_args_from_checkpoint",
    "validate_model_config_args_from_heterogeneous_config",
}
# What is asked here is not read; what is made of it here is.
CHECKS = {"validate_args", "__post_init__", "finalize", "validate"}
# Their readers are elsewhere, or their names are put together when it runs (core/optimizer/emerging_optimizers.py: _kwargs_from_config).
UNASKED = ("inference_", "moe_pad_experts_", "muon_", "adaptive_muon_", "soap_", "lion_")
# What such a program adds to the common arguments is its own.
PROGRAMS = ("pretrain_gpt.py", "pretrain_hybrid.py", "pretrain_mamba.py", "*_builders.py", "model_provider.py")

Guard = tuple[str, tuple | None]

# Parts of a model that are only built where this is set.
FOLDERS: dict[str, Guard] = {
    "megatron/core/transformer/moe/": ("num_experts", None),
    "megatron/core/ssm/mamba": ("hybrid_layer_pattern", None),
    "megatron/core/transformer/multi_latent_attention.py": ("multi_latent_attention", None),
    "megatron/core/models/hybrid/": ("hybrid_layer_pattern", None),
    "megatron/core/transformer/experimental_attention_variant/absorbed_mla": ("multi_latent_attention", None),
    "megatron/core/transformer/experimental_attention_variant/dsa": ("multi_latent_attention", None),
    "megatron/core/transformer/mla_": ("multi_latent_attention", None),
    "megatron/core/fp8_utils.py": ("fp8", None),
    "megatron/core/fp4_utils.py": ("fp4", None),
}

# Configurations that are only made where this is set: the core finds their own fields nowhere else.
CLASSES = {"MLATransformerConfig": ("multi_latent_attention", None)}

class Module:
    def __init__(self, path: str, tree: ast.Module) -> None:
        self.path = path
        self.parents: dict[ast.AST, ast.AST] = {}
        for node in ast.walk(tree):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
        self.tree = tree


def main() -> None:
    checkout, releases = (Path(each) for each in sys.argv[1:])
    table = json.loads(TABLE.read_text())
    dests = {row["dest"] for row in table["arguments"]}
    newest = read_with(checkout, dests)
    order = sorted((each for each in releases.iterdir() if re.fullmatch(r"[\d.]+", each.name)), key=lambda each: [int(part) for part in each.name.split(".")])
    older = {each.name: otherwise(newest, read_with(each, dests), each) for each in reversed(order)}
    print(json.dumps({"version": table["version"], "read_with": newest, "otherwise": older}, indent=1))


Listed = dict[str, list[list[object]]]


def otherwise(newest: Listed, older: Listed, folder: Path) -> Listed:
    """What an older release asks for, where that is not the same; not of what it does not name at all."""
    words = set(re.findall(r"\w+", "".join(path.read_text() for path in sources(folder))))
    return {dest: older.get(dest, []) for dest in newest if older.get(dest) != newest[dest] and dest in words}


def sources(folder: Path) -> list[Path]:
    return sorted([*folder.glob("megatron/**/*.py"), *(path for each in PROGRAMS for path in folder.glob(each))])


def read_with(folder: Path, dests: set[str]) -> Listed:
    modules = [Module(str(path.relative_to(folder)), ast.parse(path.read_text())) for path in sources(folder)]
    program = Program(modules, dests)
    conditions = {dest: program.conditions(dest) for dest in sorted(dests)}
    return {dest: [list_of(one) for one in sorted(found, key=str)] for dest, found in conditions.items() if found}


def list_of(guard: Guard) -> list[object]:
    name, values = guard
    return [name] if values is None else [name, list(values)]


class Program:
    def __init__(self, modules: list[Module], dests: set[str]) -> None:
        self.modules = modules
        self.dests = dests
        self.sites: dict[str, list[tuple[Module, ast.AST]]] = defaultdict(list)
        self.named: dict[str, list[tuple[Module, ast.AST]]] = defaultdict(list)
        self.defined: dict[str, int] = defaultdict(int)
        self.owners: dict[str, Guard] = {}
        self.common: set[str] = set()
        renames: dict[str, set[str]] = defaultdict(set)
        for module in modules:
            for node in ast.walk(module.tree):
                if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
                    self.defined[node.name] += 1
                if isinstance(node, ast.ClassDef) and node.name in {*CLASSES, "TransformerConfig"}:
                    fields = [name_of(one.target) or "" for one in node.body if isinstance(one, ast.AnnAssign)]
                    if node.name in CLASSES:
                        self.owners.update((field, CLASSES[node.name]) for field in fields)
                    else:
                        self.common.update(fields)
                name = name_of(node)
                if isinstance(node, ast.keyword) and node.arg is not None:
                    source = name_of(node.value)
                    renames[node.arg].add(source if source is not None else "?")
                if name is None or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
                    continue
                self.named[name].append((module, node))
        # Another name of one argument, where all that is passed under it is that argument, or it itself.
        self.alias: dict[str, str] = {}
        for name, sources in renames.items():
            own = {source for source in sources if source != name and source in dests}
            if name not in dests and len(own) == 1 and "?" not in sources:
                self.alias[name] = own.pop()

    def conditions(self, dest: str) -> set[Guard]:
        if dest.startswith(UNASKED):
            return set()
        sites = [
            (module, node)
            for module, node in self.named[dest]
            if not self.is_aside(module, node) and not is_passed_on(module, node, {dest})
        ]
        if not sites:
            return set()
        found = [self.guards(module, node, 4, frozenset()) | self.owned(dest, module) for module, node in sites]
        return {one for one in set.intersection(*found) if one[0] != dest}

    def owned(self, dest: str, module: Module) -> set[Guard]:
        is_own = dest in self.owners and dest not in self.common
        return {self.owners[dest]} if is_own and module.path.startswith("megatron/core/") else set()

    def is_aside(self, module: Module, node: ast.AST) -> bool:
        if module.path.startswith(ASIDE):
            return True
        dest, is_used = name_of(node), False
        while (node := module.parents.get(node)) is not None:  # type: ignore[assignment]
            is_used = is_used or changes(node, dest)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                is_parser = node.name.startswith(("_add_", "add_"))
                if is_parser or node.name in ASIDE_FUNCTIONS or (node.name in CHECKS and not is_used):
                    return True
        return False

    def guards(self, module: Module, node: ast.AST, depth: int, seen: frozenset[str]) -> set[Guard]:
        found = {guard for prefix, guard in FOLDERS.items() if module.path.startswith(prefix)}
        child = node
        while (parent := module.parents.get(child)) is not None:
            found |= self.around(parent, child)
            if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
                owner = module.parents.get(parent)
                by = parent.name
                if by.startswith("__") or by == "forward" or self.defined[by] > 1:
                    by = owner.name if isinstance(owner, ast.ClassDef) else ""
                return found | self.callers(by, depth, seen)
            child = parent
        return found

    def callers(self, name: str, depth: int, seen: frozenset[str]) -> set[Guard]:
        if depth == 0 or name == "" or name in seen or self.defined[name] != 1:
            return set()
        uses = [
            (module, node)
            for module, node in self.named[name]
            if isinstance(node, (ast.Name, ast.Attribute))
            and not self.is_aside(module, node)
            and not in_annotation(module, node)
            and not is_within(module, node, name)
        ]
        if not uses or len(uses) > 40:
            return set()
        return set.intersection(*(self.guards(module, node, depth - 1, seen | {name}) for module, node in uses))

    def around(self, parent: ast.AST, child: ast.AST) -> set[Guard]:
        if isinstance(parent, (ast.If, ast.While)):
            found = self.asked(parent.test) if child in parent.body else set()
            return found | (self.denied(parent.test) if child in parent.orelse else set()) | self.before(parent.body, child) | self.before(parent.orelse, child)
        if isinstance(parent, ast.IfExp):
            return self.asked(parent.test) if child is parent.body else self.denied(parent.test) if child is parent.orelse else set()
        if isinstance(parent, ast.BoolOp) and isinstance(parent.op, ast.And):
            place = parent.values.index(child)  # type: ignore[arg-type]
            return set().union(*(self.asked(one) for one in parent.values[:place]))
        body = getattr(parent, "body", None)
        return self.before(body, child) if isinstance(body, list) else set()

    def before(self, body: list[ast.stmt], child: ast.AST) -> set[Guard]:
        """What must hold where an earlier statement would have left."""
        found: set[Guard] = set()
        if child not in body:
            return found
        for one in body[: body.index(child)]:  # type: ignore[arg-type]
            if isinstance(one, ast.If) and not one.orelse and isinstance(one.body[-1], (ast.Return, ast.Continue, ast.Raise)):
                found |= self.denied(one.test)
        return found

    def asked(self, test: ast.expr) -> set[Guard]:
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            return set().union(*(self.asked(one) for one in test.values))
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self.denied(test.operand)
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            name, value = self.argument(test.left), constant(test.comparators[0])
            if name is None:
                return set()
            operator = test.ops[0]
            if isinstance(operator, ast.IsNot) and value == (None,):
                return {(name, None)}
            if isinstance(operator, (ast.Gt,)) and value in ((0,), (0.0,)):
                return {(name, None)}
            if isinstance(operator, ast.Eq) and value is not None and isinstance(value[0], str):
                return {(name, value)}
            if isinstance(operator, ast.In) and value is not None and all(isinstance(one, str) for one in value):
                return {(name, value)}
            return set()
        if isinstance(test, ast.Call) and name_of(test.func) == "isinstance":
            made = CLASSES.get(name_of(test.args[1]) or "")
            return set() if made is None else {made}
        name = self.argument(test)
        return set() if name is None else {(name, None)}

    def denied(self, test: ast.expr) -> set[Guard]:
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
            return set().union(*(self.denied(one) for one in test.values))
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self.asked(test.operand)
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Is, ast.NotEq)):
            flipped = ast.IsNot() if isinstance(test.ops[0], ast.Is) else ast.Eq()
            return self.asked(ast.Compare(test.left, [flipped], test.comparators))
        return set()

    def argument(self, node: ast.expr) -> str | None:
        name = name_of(node)
        name = self.alias.get(name, name) if name is not None else None
        return name if name in self.dests else None


def changes(node: ast.AST, dest: str | None) -> bool:
    """A statement that makes something else of it."""
    if isinstance(node, (ast.Return, ast.AugAssign)):
        return True
    if not isinstance(node, (ast.Assign, ast.If)):
        return False
    found = [target for one in ast.walk(node) if isinstance(one, ast.Assign) for target in one.targets]
    return any(name_of(target) != dest for target in found)


def name_of(node: ast.AST | None) -> str | None:
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) > 1:
        return name_of(node.args[1])
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def constant(node: ast.expr) -> tuple | None:
    if isinstance(node, ast.Constant):
        return (node.value,)
    # A member of an enumeration has the word of the command line as its name.
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id[0].isupper():
        return (node.attr,)
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        parts = [constant(one) for one in node.elts]
        return None if any(one is None for one in parts) else tuple(one[0] for one in parts if one is not None)
    return None


def is_passed_on(module: Module, node: ast.AST, names: set[str]) -> bool:
    """`x=config.x`, `self.x = x`, `kwargs["x"] = args.x`: who takes it reads it, or nobody does. The parts of a test are what guards."""
    parent = module.parents.get(node)
    while isinstance(parent, ast.Call) and name_of(parent) in names:
        node, parent = parent, module.parents.get(parent)
    if isinstance(parent, ast.keyword):
        return parent.arg in names
    if isinstance(parent, ast.Assign):
        target = parent.targets[0]
        return name_of(target.slice if isinstance(target, ast.Subscript) else target) in names
    if isinstance(parent, ast.AnnAssign):
        return name_of(parent.target) in names
    return False


def in_annotation(module: Module, node: ast.AST) -> bool:
    parent = module.parents.get(node)
    while parent is not None and isinstance(parent, ast.expr):
        if isinstance(parent, ast.Call) and name_of(parent.func) in {"isinstance", "issubclass", "cast"}:
            return True
        node, parent = parent, module.parents.get(parent)
    if isinstance(parent, ast.arg):
        return True
    if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return parent.returns is node
    if isinstance(parent, ast.AnnAssign):
        return parent.annotation is node
    return isinstance(parent, (ast.ImportFrom, ast.Import, ast.alias))


def is_within(module: Module, node: ast.AST, name: str) -> bool:
    while (node := module.parents.get(node)) is not None:  # type: ignore[assignment]
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)) and node.name == name:
            return True
    return False


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)
    main()

"""Reads what Python callables take from their source, importing nothing: JSON on stdin, JSON on stdout.

Asked: [{"factory": "pkg.mod:name", "roots": ["dir", ...]}, ...]. Answered in the same order, one object each:
{"status": "found", "path", "parameters": [{"name", "required", "annotation", "named"}], "any": bool}, where what takes its place
alone is not `named`, {"status": "name", "path", "names": [...]}, {"status": "value", "path", "line", "async"} of what gives nothing when it is
called, or cannot be, {"status": "unread", "why"} of what only running it would tell, {"status": "module"} or {"status": "source", "path", "line"}.
"""

import ast
import json
import os
import sys

MOST_HOPS = 8


def module_file(module, roots):
    parts = module.split(".")
    for root in roots:
        base = os.path.join(root, *parts)
        for path in (base + ".py", os.path.join(base, "__init__.py")):
            if os.path.isfile(path):
                return path
    return None


def read(path):
    with open(path, "rb") as source:
        return ast.parse(source.read(), path)


def parameters_of(arguments, skip):
    plain = [*arguments.posonlyargs, *arguments.args]
    first_default = len(plain) - len(arguments.defaults)
    unnamed = len(arguments.posonlyargs)
    found = [
        describe(argument, index < first_default, index >= unnamed) for index, argument in enumerate(plain)
    ][skip:]
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        found.append(describe(argument, default is None))
    return found, arguments.kwarg is not None


def describe(argument, required, named=True):
    annotation = None if argument.annotation is None else ast.unparse(argument.annotation)
    return {"name": argument.arg, "required": required, "annotation": annotation, "named": named}


def is_dataclass(node):
    return any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)


def fields_of(node):
    found = []
    for member in node.body:
        if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
            annotation = ast.unparse(member.annotation)
            required = member.value is None
            found.append({"name": member.target.id, "required": required, "annotation": annotation, "named": True})
    return found


def statements_of(body):
    """With those under a condition: a module may define a name in either branch."""
    for node in body:
        yield node
        for inner in ("body", "orelse", "finalbody"):
            if isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
                yield from statements_of(getattr(node, inner, []))
        if isinstance(node, ast.Try):
            for handler in node.handlers:
                yield from statements_of(handler.body)


def names_in(tree):
    """What each name of a module is: a node, what is imported under it, or the line that only running it explains."""
    found = {}
    for node in statements_of(tree.body):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found[node.name] = node
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name != "*":
                    found[alias.asname or alias.name] = (node, alias.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                bind(found, target, node)
        elif isinstance(node, ast.For):
            bind(found, node.target, node.lineno)
    return found


def bind(found, target, meaning):
    if isinstance(target, ast.Name):
        found[target.id] = meaning
    elif isinstance(target, ast.Starred):
        bind(found, target.value, meaning)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for part in target.elts:
            bind(found, part, target.lineno)


def stars_in(tree):
    """The modules of which everything is imported; the last one has the last word."""
    return [
        node
        for node in reversed(list(statements_of(tree.body)))
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
    ]


# What a class inherits from these takes no arguments.
BARE = {"object", "ABC", "abc.ABC"}
# Written out, they are values; a call, a name or an attribute may give anything.
VALUES = (ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp)


class Place:
    """A module that was read."""

    def __init__(self, module, path, names, roots, hops):
        self.module, self.path, self.names, self.roots, self.hops = module, path, names, roots, hops

    def found(self, parameters, takes_any):
        return {"status": "found", "path": self.path, "parameters": parameters, "any": takes_any}


def unread(why):
    return {"status": "unread", "why": why}


def answer(module, name, roots, hops=0, starred=None):
    path = module_file(module, roots)
    if hops > MOST_HOPS:
        return unread(f"`{name}` comes through more than {MOST_HOPS} imports")
    if path is None and hops > 0:
        return unread(f"`{name}` comes from `{module}`, which is not beside it")
    if path is None:
        return {"status": "module"}
    try:
        tree = read(path)
    except SyntaxError as error:
        return {"status": "source", "path": path, "line": error.lineno or 1}
    names = names_in(tree)
    place = Place(module, path, names, roots, hops)
    if name in names:
        return of_name(place, name)
    if "__getattr__" in names:
        return unread(f"`{name}` is what `__getattr__` of {path} makes it")
    starred = set() if starred is None else starred
    starred.add(path)
    known = {known for known in names if not known.startswith("_")}
    for statement in stars_in(tree):
        target = module_of(place, statement)
        if module_file(target, roots) in starred:
            continue
        found = answer(target, name, roots, hops + 1, starred)
        if found["status"] != "name":
            return found
        known.update(found["names"])
    return {"status": "name", "path": path, "names": sorted(known)}


def of_name(place, name):
    place.hops += 1
    if place.hops > MOST_HOPS:
        return unread(f"`{name}` stands for itself")
    node = place.names[name]
    if isinstance(node, tuple):
        statement, original = node
        return answer(module_of(place, statement), original, place.roots, place.hops)
    if isinstance(node, int):
        return unread(f"`{name}` is what running line {node} of {place.path} makes it")
    if isinstance(node, ast.AsyncFunctionDef):
        return {"status": "value", "path": place.path, "line": node.lineno, "async": True}
    if isinstance(node, ast.FunctionDef):
        return place.found(*parameters_of(node.args, 0))
    if isinstance(node, ast.ClassDef):
        return of_class(place, node)
    value = node.value
    if isinstance(value, ast.Lambda):
        return place.found(*parameters_of(value.args, 0))
    if isinstance(value, ast.Name) and value.id in place.names:
        return of_name(place, value.id)
    if isinstance(value, VALUES):
        return {"status": "value", "path": place.path, "line": node.lineno, "async": False}
    return unread(f"`{name}` is what running line {node.lineno} of {place.path} makes it")


def module_of(place, statement):
    """The module that a `from` names."""
    package = place.module if place.path.endswith("__init__.py") else place.module.rpartition(".")[0]
    for _ in range(max(0, statement.level - 1)):
        package = package.rpartition(".")[0]
    inner = statement.module or ""
    return inner if statement.level == 0 else ".".join(part for part in (package, inner) if part)


def of_class(place, node):
    """Its own `__init__`, the fields of a dataclass, or what the first base has of them."""
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and member.name == "__init__":
            return place.found(*parameters_of(member.args, 1))
    bases = [base for base in node.bases if ast.unparse(base) not in BARE and not isinstance(base, ast.Subscript)]
    own = fields_of(node) if is_dataclass(node) else []
    if not bases:
        return place.found(own, False)
    base = ast.unparse(bases[0])
    inherited = of_name(place, base) if base in place.names and len(bases) == 1 else {"status": "module"}
    if inherited["status"] != "found":
        return unread(f"`{node.name}` takes what `{base}` takes, which is not beside it")
    names = [field["name"] for field in own]
    kept = [parameter for parameter in inherited["parameters"] if parameter["name"] not in names]
    return place.found(kept + own, inherited["any"])


def main():
    answers = []
    for request in json.load(sys.stdin):
        module, _, name = request["factory"].partition(":")
        answers.append(answer(module, name, request["roots"]))
    json.dump(answers, sys.stdout)


main()

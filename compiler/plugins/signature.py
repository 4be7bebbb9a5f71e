"""Reads what Python callables take from their source, importing nothing: JSON on stdin, JSON on stdout.

Asked: [{"factory": "pkg.mod:name", "roots": ["dir", ...]}, ...]. Answered in the same order, one object each:
{"status": "found", "path", "parameters": [{"name", "required", "annotation"}], "any": bool},
{"status": "name", "path", "names": [...]}, {"status": "module"} or {"status": "source", "path", "line"}.
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
    found = [
        describe(argument, index < first_default) for index, argument in enumerate(plain)
    ][skip:]
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        found.append(describe(argument, default is None))
    return found, arguments.kwarg is not None


def describe(argument, required):
    annotation = None if argument.annotation is None else ast.unparse(argument.annotation)
    return {"name": argument.arg, "required": required, "annotation": annotation}


def is_dataclass(node):
    return any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)


def fields_of(node):
    found = []
    for member in node.body:
        if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
            annotation = ast.unparse(member.annotation)
            found.append({"name": member.target.id, "required": member.value is None, "annotation": annotation})
    return found, False


def constructor_of(node):
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and member.name == "__init__":
            return parameters_of(member.args, 1)
    if is_dataclass(node):
        return fields_of(node)
    # Without an `__init__` of its own it is called like a base class, which may stand anywhere.
    return [], bool(node.bases)


def names_in(tree):
    found = {}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found[node.name] = node
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found[alias.asname or alias.name] = (node, alias.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    found[target.id] = node
    return found


def answer(module, name, roots, hops=0):
    path = module_file(module, roots)
    if path is None or hops > MOST_HOPS:
        return {"status": "module"}
    try:
        names = names_in(read(path))
    except SyntaxError as error:
        return {"status": "source", "path": path, "line": error.lineno or 1}
    node = names.get(name)
    if node is None:
        return {"status": "name", "path": path, "names": sorted(n for n in names if not n.startswith("_"))}
    if isinstance(node, tuple):
        statement, original = node
        package = module if path.endswith("__init__.py") else module.rpartition(".")[0]
        for _ in range(max(0, statement.level - 1)):
            package = package.rpartition(".")[0]
        inner = statement.module or ""
        target = inner if statement.level == 0 else ".".join(part for part in (package, inner) if part)
        return answer(target, original, roots, hops + 1)
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        parameters, takes_any = parameters_of(node.args, 0)
    elif isinstance(node, ast.ClassDef):
        parameters, takes_any = constructor_of(node)
    else:
        parameters, takes_any = [], True
    return {"status": "found", "path": path, "parameters": parameters, "any": takes_any}


def main():
    answers = []
    for request in json.load(sys.stdin):
        module, _, name = request["factory"].partition(":")
        answers.append(answer(module, name, request["roots"]))
    json.dump(answers, sys.stdout)


main()

"""A function without what it decides: the source of a module in which one rule is taken out."""

from __future__ import annotations

import ast

__all__ = ["neutralised"]

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_EMPTY = {"str": "''", "bytes": "b''", "int": "0", "float": "0.0", "dict": "{}", "list": "[]", "tuple": "()"}


def neutralised(source: str, name: str) -> list[str]:
    """The sources of the mutants of a module for one of its functions (`function` or `Class.method`).

    1. what refuses refuses nothing any more: every `raise` is taken out; 2. what says yes or no says always yes, in
    one mutant, and always no in another; 3. what gives something for a value of the same kind gives it back as it
    came; 4. what makes something makes the empty thing of its kind, or nothing. LookupError when there is no such
    function.
    """
    return [ast.unparse(_with_body(source, name, body)) for body in _bodies(_function(ast.parse(source), name))]


def _bodies(function: _Function) -> list[list[ast.stmt] | None]:
    """What the function does instead; None for its own body without `raise`."""
    if any(isinstance(node, ast.Raise) for node in ast.walk(function)):
        return [None]
    returned = ast.unparse(function.returns) if function.returns else "None"
    if returned == "bool":
        return [_statements("return True"), _statements("return False")]
    return [_statements(f"return {_nothing(function, returned)}")]


def _nothing(function: _Function, returned: str) -> str:
    """What is given back by a rule that does nothing."""
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(function)):
        return "\n    yield"
    kind = returned.partition("[")[0]
    parameters = [each for each in function.args.args if each.arg not in ("self", "cls")]
    for parameter in parameters:
        given = ast.unparse(parameter.annotation).partition("[")[0] if parameter.annotation else ""
        if given == kind or (kind == "dict" and given in ("Mapping", "object", "Any")) or kind == "Any":
            return parameter.arg
    return _EMPTY.get(kind, "None")


def _statements(text: str) -> list[ast.stmt]:
    return ast.parse(f"def _():\n    {text}").body[0].body  # type: ignore[attr-defined, no-any-return]


def _with_body(source: str, name: str, body: list[ast.stmt] | None) -> ast.Module:
    tree = ast.parse(source)
    function = _function(tree, name)
    if body is None:
        _WithoutRaise().visit(function)
    else:
        function.body = body
    return ast.fix_missing_locations(tree)


class _WithoutRaise(ast.NodeTransformer):
    def visit_Raise(self, node: ast.Raise) -> ast.stmt:
        return ast.Pass()


def _function(tree: ast.Module, name: str) -> _Function:
    body: list[ast.stmt] = tree.body
    found: ast.stmt | None = None
    for part in name.split("."):
        found = next((each for each in body if getattr(each, "name", None) == part), None)
        body = found.body if isinstance(found, ast.ClassDef) else []
    if not isinstance(found, _Function):
        raise LookupError(f"there is no function {name}")
    return found

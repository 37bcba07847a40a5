"""Test that no kernel is compiled again because of a constant argument, and that none calls slow functions of NumPy."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from metrics.text import ngram_kernels, pair_kernels
from metrics.text.meteor import aligner, table

MODULES = [aligner, table, ngram_kernels, pair_kernels]
SLOW = {"unique", "argsort", "sort", "searchsorted", "argmin", "argmax"}
"""Functions of NumPy that take a second or more to compile."""


def is_constant(given: ast.expr) -> bool:
    """Return whether an argument is a literal or a constant of the module, whose value numba may make part of its
    type.
    """
    given = given.operand if isinstance(given, ast.UnaryOp) else given
    return isinstance(given, ast.Constant) or (isinstance(given, ast.Name) and given.id.isupper())


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_kernels_are_called_with_variables_and_sort_without_numpy(module: object) -> None:
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))  # type: ignore[attr-defined]
    compiled = {
        one.name: one
        for one in ast.walk(tree)
        if isinstance(one, ast.FunctionDef) and any(ast.unparse(by) == "compiled" for by in one.decorator_list)
    }
    assert compiled
    for name, function in compiled.items():
        starts_at_literal = {
            target.id: ast.unparse(one)
            for one in ast.walk(function)
            if isinstance(one, ast.Assign) and is_constant(one.value)
            for target in one.targets
            if isinstance(target, ast.Name)
        }
        for call in (one for one in ast.walk(function) if isinstance(one, ast.Call)):
            if isinstance(call.func, ast.Name) and call.func.id in compiled:
                assert not [ast.unparse(one) for one in call.args if is_constant(one)], (name, ast.unparse(call))
                named = {one.id for one in call.args if isinstance(one, ast.Name)}
                assert not named & set(starts_at_literal), (name, ast.unparse(call), starts_at_literal)
            elif isinstance(call.func, ast.Attribute):
                assert call.func.attr not in SLOW, (name, ast.unparse(call))

"""What could stand in the place of a part of a program, by the kind of the part."""

from __future__ import annotations

import ast
import copy
from functools import singledispatch

_COMPARISONS = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_OPERATORS = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Div,),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitXor: (ast.BitOr,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
}
_NAMES = {
    "any": "all",
    "all": "any",
    "min": "max",
    "max": "min",
    "argmin": "argmax",
    "argmax": "argmin",
    "nanargmax": "nanargmin",
    "minimum": "maximum",
    "maximum": "minimum",
    "floor": "ceil",
    "median": "mean",
    "sqrt": "positive",
}
_STRINGS = {"left": "right", "right": "left"}


def _with(node, **changes):
    """Return a copy of a node with other fields."""
    changed = copy.copy(node)
    for field, value in changes.items():
        setattr(changed, field, value)
    return changed


def _negated(test):
    """Yield the opposite of a condition; comparisons are swapped by a rule of their own."""
    if not isinstance(test, (ast.Compare, ast.BoolOp)):
        yield ast.UnaryOp(ast.Not(), test)


@singledispatch
def replacements(node):
    """Yield what could stand in the place of a node."""
    yield from ()


def is_letters(node, parent):
    """Tell whether a text is what a letter is looked up in, as in `kind in "iuf"`."""
    return (
        isinstance(parent, ast.Compare)
        and isinstance(parent.ops[-1], (ast.In, ast.NotIn))
        and len(parent.ops) == 1
        and node is parent.comparators[0]
        and isinstance(node, ast.Constant)
        and isinstance(node.value, str)
    )


@replacements.register
def _compare(node: ast.Compare):
    for position, operator in enumerate(node.ops):
        for other in _COMPARISONS[type(operator)]:
            yield _with(node, ops=[*node.ops[:position], other(), *node.ops[position + 1 :]])
    if is_letters(node.comparators[0], node):
        yield _with(node, comparators=[ast.Constant(node.comparators[0].value[:-1])])


@replacements.register
def _bool_op(node: ast.BoolOp):
    yield _with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())


@replacements.register
def _bin_op(node: ast.BinOp):
    for other in _OPERATORS.get(type(node.op), ()):
        yield _with(node, op=other())


@replacements.register
def _aug_assign(node: ast.AugAssign):
    yield from _bin_op(node)
    yield ast.Pass()


@replacements.register
def _unary_op(node: ast.UnaryOp):
    yield node.operand


@replacements.register
def _constant(node: ast.Constant):
    value = node.value
    if isinstance(value, bool):
        yield _with(node, value=not value)
    elif isinstance(value, (int, float)):
        yield _with(node, value=value + 1)
        yield _with(node, value=value - 1)
    elif isinstance(value, str) and value and not any(map(str.isspace, value)):
        yield _with(node, value=_STRINGS.get(value, f"{value}_"))


@replacements.register
def _name(node: ast.Name):
    if node.id in _NAMES and node.id not in {"floor", "median", "sqrt"}:
        yield _with(node, id=_NAMES[node.id])


@replacements.register
def _attribute(node: ast.Attribute):
    if node.attr in _NAMES:
        yield _with(node, attr=_NAMES[node.attr])


@replacements.register
def _call(node: ast.Call):
    for keyword in node.keywords:
        yield _with(node, keywords=[other for other in node.keywords if other is not keyword])


@replacements.register
def _slice(node: ast.Slice):
    for bound in ("lower", "upper", "step"):
        if getattr(node, bound) is not None:
            yield _with(node, **{bound: None})


@replacements.register(ast.If)
@replacements.register(ast.IfExp)
@replacements.register(ast.While)
def _condition(node):
    for test in _negated(node.test):
        yield _with(node, test=test)


@replacements.register
def _comprehension(node: ast.comprehension):
    for position, test in enumerate(node.ifs):
        for other in _negated(test):
            yield _with(node, ifs=[*node.ifs[:position], other, *node.ifs[position + 1 :]])


@replacements.register
def _return(node: ast.Return):
    if node.value is not None and ast.unparse(node.value) != "None":
        yield ast.Return(ast.Constant(None))


@replacements.register
def _assign(node: ast.Assign):
    is_stored = any(isinstance(target, (ast.Attribute, ast.Subscript)) for target in node.targets)
    if is_stored or getattr(node, "is_rebinding", False):
        yield ast.Pass()


@replacements.register
def _expression(node: ast.Expr):
    if not isinstance(node.value, (ast.Constant, ast.Yield)):
        yield ast.Pass()


@replacements.register(ast.Raise)
@replacements.register(ast.Delete)
def _statement(node):
    yield ast.Pass()


@replacements.register
def _break(node: ast.Break):
    yield ast.Continue()


@replacements.register
def _continue(node: ast.Continue):
    yield ast.Break()

"""Small changes to the source of a module, one at a time, that its tests should notice."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from types import CodeType

from _mutations import is_letters, replacements

# Annotations are not evaluated, and the width of a printed number is part of a message.
_SKIPPED_FIELDS = {"annotation", "returns", "format_spec", "type_params"}
_SKIPPED_NODES = (ast.Import, ast.ImportFrom, ast.expr_context)


@dataclass(frozen=True)
class Mutant:
    """A changed module: where and how it was changed, and its code."""

    line: int
    # First and last line of the statement, or of the head of a block.
    lines: tuple[int, int]
    before: str
    after: str
    is_critical: bool
    code: CodeType

    def __str__(self) -> str:
        return f"{self.line}: {_cut(self.before)}  ->  {_cut(self.after)}"


def mutants_of(source, path):
    """Yield every mutant of a module, in the order of its lines."""
    tree = ast.parse(source)
    critical = _critical_lines(tree)
    _mark_rebindings(tree)
    for container, key, node, lines in list(_sites(tree, (1, 1))):
        for replacement in replacements(node):
            ast.copy_location(replacement, node)
            _put(container, key, replacement)
            code = compile(ast.fix_missing_locations(tree), path, "exec")
            _put(container, key, node)
            line = getattr(node, "lineno", lines[0])
            span = range(line, getattr(node, "end_lineno", line) + 1)
            is_critical = not critical.isdisjoint(span)
            before, after = ast.unparse(node), ast.unparse(replacement)
            yield Mutant(line, lines, before, after, is_critical, code)


def _critical_lines(tree):
    """Return the lines with a comparison, a step of one, a root, a median or a number of rows."""
    lines = set()
    for node in ast.walk(tree):
        name = getattr(node, "id", getattr(node, "attr", getattr(node, "arg", None))) or ""
        is_step = (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, (ast.Add, ast.Sub))
            and isinstance(node.right, ast.Constant)
            and node.right.value == 1
        )
        is_named = name in {"sqrt", "median", "n", "len"} or name.startswith("n_")
        if isinstance(node, ast.Compare) or is_step or is_named:
            lines.update(range(node.lineno, node.end_lineno + 1))
    return lines


def _mark_rebindings(tree):
    """Mark the assignments without which a name would still have a value."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        arguments = function.args
        bound = {a.arg for a in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign):
                names = {n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
                node.is_rebinding = names <= bound
                bound |= names


def _sites(node, lines):
    """Yield where each node is kept, the node, and the lines of its statement."""
    for field, value in ast.iter_fields(node):
        if field in _SKIPPED_FIELDS:
            continue
        items = enumerate(value) if isinstance(value, list) else [(field, value)]
        container = value if isinstance(value, list) else node
        for key, child in items:
            if not isinstance(child, ast.AST) or _is_skipped(child, node):
                continue
            own = _head(child) if isinstance(child, ast.stmt) else lines
            yield container, key, child, own
            yield from _sites(child, own)


def _head(statement):
    """Return the lines of a statement without its body."""
    body = getattr(statement, "body", None)
    last = max(statement.lineno, body[0].lineno - 1) if body else statement.end_lineno
    return statement.lineno, last


def _is_skipped(node, parent):
    """Tell whether a part of a module says something to people or type checkers only."""
    if isinstance(node, _SKIPPED_NODES):
        return True
    if isinstance(node, ast.Constant):
        return isinstance(parent, (ast.JoinedStr, ast.Expr)) or is_letters(node, parent)
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        text = ast.unparse(node)
        return text.startswith("__all__") or ": TypeAlias" in text
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING"
    return isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal"


def _put(container, key, node):
    """Keep a node in a list or in a field of another node."""
    if isinstance(container, list):
        container[key] = node
    else:
        setattr(container, key, node)


def _cut(text):
    """Return the first line of some source, if need be in part."""
    first = text.splitlines()[0]
    return first if len(first) <= 90 else f"{first[:87]}..."

"""Tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

__all__ = ["html_table"]


def html_table(title: str, head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table as HTML, all texts escaped."""
    names = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(f"<tr>{''.join(f'<td>{escape(each)}</td>' for each in row)}</tr>" for row in rows)
    return f"<table><caption>{escape(title)}</caption><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"

"""YAML without its surprises: exact numbers, no anchors, no repeated keys, no dates, and only plain values."""

from __future__ import annotations

import re
from collections.abc import Hashable
from decimal import Decimal

import yaml

__all__ = ["load_yaml"]


class _Loader(yaml.SafeLoader):
    """The safe loader with exact decimals; anchors and aliases are refused, since they can grow without bound."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]  # the library is typed in part only
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise yaml.constructor.ConstructorError(None, None, "anchors and aliases are not read", event.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, object]:  # noqa: FBT001, FBT002  # the library's signature
        found: dict[Hashable, object] = {}
        for key_node, value_node in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str) or key in found:
                problem = "a key must be text" if not isinstance(key, str) else f"the key {key!r} stands twice"
                raise yaml.constructor.ConstructorError(None, None, problem, key_node.start_mark)
            found[key] = self.construct_object(value_node, deep=deep)
        return found


_WHOLE = re.compile(r"[-+]?(0|[1-9]\d*)", re.ASCII)
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?", re.ASCII)


def _whole(loader: _Loader, node: yaml.ScalarNode) -> int:
    """An integer in plain decimals: octal, sexagesimal and the like are refused, since few people mean them."""
    return int(_matching(_WHOLE, loader, node))


def _decimal(loader: _Loader, node: yaml.ScalarNode) -> Decimal:
    text = str(loader.construct_scalar(node)).lower()
    if text.lstrip("+-") in {".inf", ".nan"}:  # the plan's own checks say best what is wrong with it
        return Decimal(text.replace(".", ""))
    return Decimal(_matching(_NUMBER, loader, node))


def _matching(pattern: re.Pattern[str], loader: _Loader, node: yaml.ScalarNode) -> str:
    text = str(loader.construct_scalar(node)).replace("_", "")
    if not pattern.fullmatch(text):
        raise yaml.constructor.ConstructorError(None, None, f"{text!r} is no plain number", node.start_mark)
    return text


def _text(loader: _Loader, node: yaml.ScalarNode) -> str:
    return str(loader.construct_scalar(node))


_Loader.add_constructor("tag:yaml.org,2002:int", _whole)
_Loader.add_constructor("tag:yaml.org,2002:float", _decimal)
_Loader.add_constructor("tag:yaml.org,2002:timestamp", _text)


def load_yaml(text: str) -> object:
    """Read one YAML document.

    Raises:
        ValueError: When it is no YAML, or uses what is refused here; the message names the line.
    """
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506  # the loader above is a safe loader
    except (yaml.YAMLError, LookupError) as error:  # the library looks some values up without a check
        raise ValueError(" ".join(str(error).split())) from None

from __future__ import annotations

import optcomp as oc


def test_a_notebook_shows_both_ends() -> None:
    profile = oc.compose([oc.PureDP(epsilon="0.1").repeated(30)])
    shown = profile._repr_html_()
    assert str(profile.epsilon("1e-6")) in shown
    assert shown.startswith("<table><caption>Optimal composition")


def test_a_comparison_shows_every_row_escaped() -> None:
    found = oc.compare([oc.PureDP(epsilon="0.1").repeated(30)], delta="1e-6")
    shown = found._repr_html_()
    assert all(f"<td>{row.name}</td>" in shown for row in found.rows)
    assert "delta 1e-6" in shown


def test_a_question_without_an_answer_is_said_in_its_place() -> None:
    shown = oc.compose([oc.RenyiCurve(orders=[2], divergences=["1"])], adjacency="replace_one")._repr_html_()
    assert shown.count("<tr>") == 4


def test_a_curve_shows_points() -> None:
    curve = oc.TradeoffCurve.of(oc.PureDP(epsilon="ln(3)"))
    assert "<tr><td>0.05</td><td>0.85</td></tr>" in curve._repr_html_()

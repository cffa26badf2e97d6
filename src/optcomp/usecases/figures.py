"""The figures of the papers, and ours, as files: vector pictures, their numbers, and their captions."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from optcomp.errors import InvalidParameterError
from optcomp.plotting import Picture, save, to_csv
from optcomp.plotting.requirement import required
from optcomp.usecases import figures_kov, figures_mv, figures_ours
from optcomp.usecases.figures_calibration import what_calibration_saves

__all__ = ["FIGURES", "Figure", "FiguresAnswer", "FiguresRequest", "WrittenFigure", "caption_of", "make_figures"]

ENDINGS = (".svg", ".pdf", ".csv", ".txt")
_CAPTION_WIDTH = 100


@dataclass(frozen=True)
class Figure:
    """One entry of the table.

    Args:
        name: Of its files.
        make: Computes its numbers.
    """

    name: str
    make: Callable[[], Picture]


FIGURES: Mapping[str, Mapping[int, Figure]] = {
    "kov": {
        1: Figure("kov_1_region", figures_kov.one_mechanism),
        2: Figure("kov_2_growing_k", figures_kov.growing_counts),
        3: Figure("kov_3_theorems", figures_kov.three_theorems),
    },
    "mv": {
        1: Figure("mv_1_epsilon", figures_mv.epsilon_against_count),
        2: Figure("mv_2_ratio", figures_mv.ratio_to_the_optimum),
        3: Figure("mv_3_small_epsilon", figures_mv.small_epsilon),
    },
    "ours": {
        1: Figure("ours_1_census_profile", figures_ours.census_profile),
        2: Figure("ours_2_dpsgd_profile", figures_ours.dpsgd_profile),
        3: Figure("ours_3_census_tradeoff", figures_ours.census_tradeoff),
        4: Figure("ours_4_dpsgd_tradeoff", figures_ours.dpsgd_tradeoff),
        5: Figure("ours_5_calibration", what_calibration_saves),
    },
}


@dataclass(frozen=True, kw_only=True)
class FiguresRequest:
    """Which figures to write, and where.

    Args:
        paper: ``kov``, ``mv`` or ``ours``.
        out: The folder; it is made when it is missing.
        figure: The number of one figure; None asks for all of the paper.
        force: Whether files that are there already are replaced.
    """

    paper: str
    out: Path
    figure: int | None = None
    force: bool = False


@dataclass(frozen=True, kw_only=True)
class WrittenFigure:
    """One figure, and its files."""

    figure: int
    picture: Picture
    files: tuple[Path, ...]


@dataclass(frozen=True, kw_only=True)
class FiguresAnswer:
    """What was written."""

    paper: str
    written: tuple[WrittenFigure, ...]


def make_figures(request: FiguresRequest) -> FiguresAnswer:
    """Compute figures and write each as SVG, as PDF, as a table of its numbers and as a caption.

    Args:
        request: Which ones, and where.

    **Guarantee**: the table holds, exactly, the ends of every interval that is drawn, and each contains the truth.

    Raises:
        InvalidParameterError: When there is no such figure, ``out`` is no folder, or a file is there already and
            ``force`` was not said. Nothing is written then.
        UnsupportedError: When matplotlib is not installed.
        OSError: When a file cannot be written.
    """
    wanted = _wanted(request)
    required("matplotlib")
    _refuse_to_overwrite(request, wanted)
    try:
        request.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidParameterError(
            field="out",
            value=str(request.out),
            condition=f"cannot be made ({error.strerror})",
            remedy="Name a folder that you may write to.",
        ) from None
    pictures = {number: figure.make() for number, figure in wanted.items()}
    written = tuple(
        WrittenFigure(figure=number, picture=picture, files=_write(picture, request.out))
        for number, picture in pictures.items()
    )
    return FiguresAnswer(paper=request.paper, written=written)


def caption_of(picture: Picture) -> str:
    """The caption as a text file: the title, the words, the theorems."""
    words = textwrap.fill(picture.caption, _CAPTION_WIDTH)
    sources = "\n".join(f"- {source}" for source in picture.sources)
    return f"{picture.title}\n\n{words}\n\nTheorems:\n{sources}\n"


def _wanted(request: FiguresRequest) -> dict[int, Figure]:
    known = FIGURES.get(request.paper)
    if known is None:
        raise InvalidParameterError(
            field="paper", value=request.paper, condition=f"must be one of {', '.join(FIGURES)}", remedy="Choose one."
        )
    if request.figure is None:
        return dict(known)
    if request.figure not in known:
        raise InvalidParameterError(
            field="figure",
            value=request.figure,
            condition=f"must be one of {', '.join(map(str, known))} for {request.paper}",
            remedy="Choose one, or leave it out for all.",
        )
    return {request.figure: known[request.figure]}


def _refuse_to_overwrite(request: FiguresRequest, wanted: Mapping[int, Figure]) -> None:
    if request.out.exists() and not request.out.is_dir():
        raise InvalidParameterError(
            field="out", value=str(request.out), condition="must be a folder", remedy="Name another place."
        )
    if request.force:
        return
    for figure in wanted.values():
        for ending in ENDINGS:
            path = request.out / f"{figure.name}{ending}"
            if path.exists() or path.is_symlink():
                raise InvalidParameterError(
                    field="out",
                    value=str(path),
                    condition="must not hold the file already",
                    remedy="Choose another folder, or add --force to replace it.",
                )


def _write(picture: Picture, folder: Path) -> tuple[Path, ...]:
    vector, paper, table, words = (folder / f"{picture.name}{ending}" for ending in ENDINGS)
    save(picture, vector)
    save(picture, paper)
    table.write_text(to_csv(picture), encoding="utf-8", newline="\n")
    words.write_text(caption_of(picture), encoding="utf-8", newline="\n")
    return vector, paper, table, words

"""Make a certificate, and check one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

from optcomp.composition import Recheck, certificate_to_json, recheck
from optcomp.documents import read_certificate
from optcomp.usecases.assumptions import assumption_of
from optcomp.usecases.engine import checked_rigor
from optcomp.usecases.source import Source, asked_point

__all__ = ["RecheckAnswer", "certify_plan", "recheck_file"]


@dataclass(frozen=True, kw_only=True)
class RecheckAnswer:
    """A second engine's verdict.

    Args:
        certificate: The certificate as it was read.
        found: The verdict.
        assumption: What the certificate rests on where mechanisms are sampled.
    """

    certificate: dict[str, object]
    found: Recheck
    assumption: str | None


def certify_plan(
    source: Source,
    *,
    epsilon: str | None = None,
    delta: str | None = None,
    width: str | None = None,
    rigor: str | None = None,
) -> dict[str, object]:
    """The certificate of a plan's answer at a point, as a JSON object.

    Args:
        source: The plan.
        epsilon: Asks for the least delta at this epsilon.
        delta: Asks for the least epsilon at this delta; by default the plan's target.
        width: The largest acceptable relative width.
        rigor: ``float`` or ``ball``; by default ``ball`` where an engine reaches, else ``float``.
    """
    checked = None if rigor is None else checked_rigor(rigor)
    plan = source.plan()
    point = asked_point(plan, epsilon=epsilon, delta=delta)
    profile = plan.profile()
    if point.asked == "epsilon":
        return certificate_to_json(profile.certificate(delta=point.value, width=width, rigor=checked))
    return certificate_to_json(profile.certificate(epsilon=point.value, width=width, rigor=checked))


def recheck_file(path: str, *, standard_input: BinaryIO) -> RecheckAnswer:
    """Check a certificate file with another engine.

    Raises:
        DocumentError: When it is no certificate, or was altered.
    """
    certificate = read_certificate(path, standard_input=standard_input)
    return RecheckAnswer(
        certificate=certificate_to_json(certificate),
        found=recheck(certificate),
        assumption=assumption_of(certificate.mechanism, certificate.adjacency),
    )

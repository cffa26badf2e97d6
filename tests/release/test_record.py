"""A slot is claimed before anything is drawn, once, and stays spent."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from optcomp.composition import Plan, Release, Verdict, certificate_from_json
from optcomp.errors import InvalidParameterError, UndecidedError
from optcomp.mechanisms import DiscreteLaplace, PureDP
from optcomp.noise import SeededSourceForTests, SystemSource
from optcomp.release import Record, SlotState, plan_digest, release, slot_line
from optcomp.release import record as record_module
from optcomp.release.plans import plan_to_json
from tests.release.plans import plan_of, small_plan

LAPLACE = DiscreteLaplace(scale=2)


class Watching(SystemSource):
    """Notes what the record holds whenever bits are taken."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.seen: list[dict[str, Any]] = []

    def _look(self) -> None:
        self.seen += [json.loads(path.read_text()) for path in (self.folder / "slots").iterdir()]

    def bits(self, count: int) -> int:
        self._look()
        return super().bits(count)

    def words(self, count: int) -> Any:
        self._look()
        return super().words(count)


class Breaking(SystemSource):
    """Fails as a machine may fail, in the middle of a draw."""

    def bits(self, count: int) -> int:
        raise KeyboardInterrupt(count)

    def words(self, count: int) -> Any:
        raise KeyboardInterrupt(count)


def files_below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_the_slot_is_noted_before_the_first_bit_is_taken(tmp_path: Path) -> None:
    source = Watching(tmp_path / "record")
    found = release(5, plan_of(LAPLACE), name="it", record=tmp_path / "record", source=source)
    assert source.seen
    assert {(each["state"], each["released"], each["digest"]) for each in source.seen} == {("begun", None, None)}
    assert found.entry.state is SlotState.RELEASED
    assert found.entry.source == "caller's own source Watching"


def test_the_record_links_plan_certificate_mechanism_and_source(tmp_path: Path) -> None:
    plan, folder = small_plan(title="A title"), tmp_path / "record"
    found = release({"a": 40, "b": 2}, plan, name="streets", record=str(folder))
    held = json.loads((folder / "record.json").read_text())
    proof = certificate_from_json(json.loads((folder / "certificate.json").read_text()))
    slot = json.loads(found.file.read_text())
    assert files_below(folder) == ["certificate.json", "record.json", "slots", "slots/1-0.json"]
    assert held["plan"] == plan_to_json(plan)
    assert held["plan_digest"] == slot["plan"] == plan_digest(plan) == found.entry.plan
    assert held["certificate_digest"] == slot["certificate"] == proof.digest
    assert (proof.asked, proof.point) == ("delta", plan.target_epsilon)
    assert plan.target_delta is not None
    assert proof.answer.upper <= plan.target_delta
    assert slot["mechanism"] == {"kind": "discrete_laplace", "scale": "4", "sensitivity": 2}
    assert (slot["name"], slot["run"], slot["state"], slot["count"], slot["places"]) == ("streets", 0, "released", 2, 0)
    assert slot["source"] == "operating system"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", slot["begun"])
    assert slot["begun"] <= slot["released"]
    assert slot["library"]
    assert Record.open(folder, plan).entries() == (found.entry,)


def test_a_test_source_is_called_by_its_name(tmp_path: Path) -> None:
    found = release(5, plan_of(LAPLACE), name="it", record=tmp_path / "r", source=SeededSourceForTests(1))
    assert found.entry.source == "test source: no privacy"


def test_the_record_holds_no_value(tmp_path: Path) -> None:
    exact = [918273645000 + each for each in range(20)]
    found = release(exact, plan_of(LAPLACE), name="it", record=tmp_path / "record")
    text = "".join(path.read_text() for path in (tmp_path / "record").rglob("*.json"))
    assert text
    for value in (*exact, *found.values):
        assert str(value) not in text
    assert "918273645" not in text


def test_a_spent_slot_is_refused_and_the_next_run_is_taken(tmp_path: Path) -> None:
    plan, folder = small_plan(), tmp_path / "record"
    assert release(1, plan, name="count", record=folder).entry.run == 0
    with pytest.raises(InvalidParameterError, match="is spent: it was released") as caught:
        release(1, plan, name="count", record=folder)
    assert caught.value.field == "slot"
    assert release(1, plan, name="streets", record=folder, run=1).entry.run == 1
    with pytest.raises(InvalidParameterError, match="is spent: it was released"):
        release(1, plan, name="streets", record=folder, run=1)
    assert release(1, plan, name="streets", record=folder).entry.run == 0
    with pytest.raises(InvalidParameterError, match="has no run left: all 2 are spent"):
        release(1, plan, name="streets", record=folder)
    with pytest.raises(InvalidParameterError, match="must be below 2") as caught:
        release(1, plan, name="streets", record=folder, run=2)
    assert caught.value.field == "run"
    assert [(each.name, each.run) for each in Record.open(folder, plan).entries()] == [
        ("count", 0),
        ("streets", 0),
        ("streets", 1),
    ]


def test_a_break_in_the_draw_leaves_the_slot_spent(tmp_path: Path) -> None:
    plan, folder = plan_of(LAPLACE), tmp_path / "record"
    with pytest.raises(KeyboardInterrupt):
        release(5, plan, name="it", record=folder, source=Breaking())
    (entry,) = Record.open(folder, plan).entries()
    assert (entry.state, entry.released, entry.digest) == (SlotState.BEGUN, None, None)
    with pytest.raises(InvalidParameterError, match=r"is spent: it was begun.*stays spent"):
        release(5, plan, name="it", record=folder)


def test_a_record_that_cannot_be_completed_gives_nothing_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    plan, folder = plan_of(LAPLACE), tmp_path / "record"
    monkeypatch.setattr(record_module, "put", full)
    with pytest.raises(InvalidParameterError, match=r"cannot be completed .No space left on device.*slot is spent"):
        release(5, plan, name="it", record=folder)
    monkeypatch.undo()
    with pytest.raises(InvalidParameterError, match="is spent: it was begun"):
        release(5, plan, name="it", record=folder)


def test_a_claim_that_cannot_be_written_spends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: int) -> None:
        raise OSError(5, "Input/output error")

    plan, folder = plan_of(LAPLACE), tmp_path / "record"
    Record.open(folder, plan)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", broken)
        with pytest.raises(InvalidParameterError, match=r"cannot be written .Input/output error.*Nothing was drawn"):
            release(5, plan, name="it", record=folder)
    assert Record.open(folder, plan).entries() == ()
    assert release(5, plan, name="it", record=folder).entry.run == 0


KILLED = """
import sys, time
from optcomp.composition import Plan, Release
from optcomp.mechanisms import DiscreteLaplace
from optcomp.noise import SystemSource
from optcomp.release import release

class Slow(SystemSource):
    def bits(self, count):
        print("drawing", flush=True)
        time.sleep(60)
    words = bits

plan = Plan(releases=(Release(name="it", mechanism=DiscreteLaplace(scale=2)),))
release(5, plan, name="it", record=sys.argv[1], source=Slow())
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no such signal")
def test_a_process_that_is_killed_in_the_draw_leaves_the_slot_spent(tmp_path: Path) -> None:
    folder = tmp_path / "record"
    with subprocess.Popen([sys.executable, "-c", KILLED, str(folder)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "drawing\n"
        process.kill()
    with pytest.raises(InvalidParameterError, match="is spent: it was begun"):
        release(5, plan_of(LAPLACE), name="it", record=folder)


def test_a_slot_file_that_a_crash_left_empty_counts_as_spent(tmp_path: Path) -> None:
    plan, folder = plan_of(LAPLACE), tmp_path / "record"
    book = Record.open(folder, plan)
    for rest in ("", '{"state": "rel', '{"state": "unheard of"}', '{"state": {}}', "[]"):
        book.path_of(slot_line(plan, "it"), 0).write_text(rest)
        (entry,) = book.entries()
        assert (entry.name, entry.state) == ("it", SlotState.BEGUN)
        with pytest.raises(InvalidParameterError, match="is spent: it was begun"):
            release(5, plan, name="it", record=folder)


def _race(arguments: tuple[str, int, int]) -> tuple[bool, int]:
    folder, runs, value = arguments
    plan = plan_of(LAPLACE.repeated(runs))
    try:
        return True, release(value, plan, name="it", record=folder).entry.run
    except InvalidParameterError as error:
        return False, -1 if "spent" in str(error) else -2


@pytest.mark.parametrize("runs", [1, 3])
def test_of_processes_that_race_exactly_as_many_win_as_there_are_slots(runs: int, tmp_path: Path) -> None:
    """They also race for creating the record."""
    racers = 8
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        for turn in range(3):
            folder = str(tmp_path / f"record{turn}")
            done = pool.map(_race, [(folder, runs, each) for each in range(racers)], chunksize=1)
            assert sorted(run for won, run in done if won) == list(range(runs))
            assert {run for won, run in done if not won} == {-1}
    assert not [name for name in files_below(tmp_path) if name.endswith(".part")]


@pytest.mark.parametrize(
    "change",
    [
        {"adjacency": "add_or_remove_one"},
        {"privacy_unit": "one household"},
        {"target_epsilon": None},
        {"releases": small_plan(runs=3).releases},
        {"releases": small_plan().releases[::-1]},
        {"releases": (*small_plan().releases, Release(name="one more", mechanism=PureDP(epsilon="1e-9")))},
        {"releases": small_plan().releases[:-1]},
    ],
    ids=str,
)
def test_a_record_of_another_plan_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    plan, folder = small_plan(), tmp_path / "record"
    Record.open(folder, plan)
    before = files_below(tmp_path)
    with pytest.raises(InvalidParameterError, match="is the record of another plan"):
        release(1, replace(plan, **change), name="count", record=folder)
    assert files_below(tmp_path) == before


def test_a_new_title_makes_no_other_plan(tmp_path: Path) -> None:
    Record.open(tmp_path / "record", small_plan(title="Frist"))
    release(1, small_plan(title="First"), name="count", record=tmp_path / "record")


@pytest.mark.parametrize("epsilon", ["0.1", "1.9"])
def test_a_plan_over_its_target_is_refused_before_anything_is_created(epsilon: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match=r"must meet its target.*Nothing was drawn") as caught:
        release(1, small_plan(epsilon=epsilon), name="count", record=tmp_path / "record")
    assert caught.value.field == "plan"
    assert files_below(tmp_path) == []


def test_a_target_that_is_met_exactly_is_met(tmp_path: Path) -> None:
    plan = plan_of(PureDP(epsilon="0.1").repeated(3), epsilon="0.3", delta="0")
    assert release(1, plan, name="it", record=tmp_path / "record", categories=2).entry.certificate
    with pytest.raises(InvalidParameterError, match="must meet its target"):
        Record.open(tmp_path / "other", plan_of(PureDP(epsilon="0.1").repeated(3), epsilon="0.2999999", delta="0"))


@pytest.mark.parametrize(
    ("epsilon", "delta", "asked"), [("1", None, "delta"), (None, "1e-6", "epsilon"), (None, None, None)]
)
def test_with_half_a_target_the_other_half_is_certified(
    epsilon: str | None, delta: str | None, asked: str | None, tmp_path: Path
) -> None:
    folder = tmp_path / "record"
    book = Record.open(folder, plan_of(LAPLACE, epsilon=epsilon, delta=delta))
    if asked is None:
        assert book.certificate is None
        assert not (folder / "certificate.json").exists()
    else:
        proof = certificate_from_json(json.loads((folder / "certificate.json").read_text()))
        assert (proof.asked, proof.digest) == (asked, book.certificate)


def test_an_undecided_target_creates_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from optcomp.release import plans as plans_module

    monkeypatch.setattr(plans_module, "verdict", lambda *_: Verdict.UNDECIDED)
    with pytest.raises(UndecidedError, match="could not be proved"):
        Record.open(tmp_path / "record", small_plan())
    assert files_below(tmp_path) == []


def test_an_altered_record_is_refused(tmp_path: Path) -> None:
    plan, folder = small_plan(), tmp_path / "record"
    Record.open(folder, plan)
    held, proof = folder / "record.json", folder / "certificate.json"
    whole, proved = held.read_text(), proof.read_text()
    wrongs = [(held, whole.replace('"scale": "4"', '"scale": "5"')), (held, whole[:50]), (held, "{}"), (held, "[]")]
    wrongs += [(held, re.sub(r'"version": 1,\s+"plan":', '"version": 2, "plan":', whole))]
    wrongs += [(proof, proved.replace('"scale": "4"', '"scale": "5"')), (proof, "{}")]
    other = tmp_path / "other"
    Record.open(other, small_plan(epsilon="3.9"))
    wrongs += [(proof, (other / "certificate.json").read_text())]
    for path, text in wrongs:
        assert text not in {whole, proved}
        path.write_text(text)
        with pytest.raises(InvalidParameterError):
            release(1, plan, name="count", record=folder)
        held.write_text(whole)
        proof.write_text(proved)
    proof.unlink()
    with pytest.raises(InvalidParameterError, match="cannot be read"):
        release(1, plan, name="count", record=folder)
    assert not list((folder / "slots").iterdir())


def test_a_record_without_its_slots_folder_is_no_fresh_record(tmp_path: Path) -> None:
    plan, folder = plan_of(LAPLACE), tmp_path / "record"
    Record.open(folder, plan)
    shutil.rmtree(folder / "slots")
    with pytest.raises(InvalidParameterError, match="cannot be written"):
        release(1, plan, name="it", record=folder)


def test_places_that_hold_no_record_are_refused(tmp_path: Path) -> None:
    plan = plan_of(LAPLACE)
    file, folder, empty = tmp_path / "file", tmp_path / "folder", tmp_path / "empty"
    file.write_text("something")
    folder.mkdir()
    (folder / "other").write_text("something")
    empty.mkdir()
    for place in (file, folder):
        with pytest.raises(InvalidParameterError, match="is there, and is no record"):
            release(1, plan, name="it", record=place)
    with pytest.raises(InvalidParameterError, match=r"cannot be created.*Nothing was drawn.*in a folder that exists"):
        release(1, plan, name="it", record=tmp_path / "none" / "record")
    for nothing in ("", None, 3):
        with pytest.raises(InvalidParameterError, match="must be a folder's path"):
            release(1, plan, name="it", record=nothing)  # type: ignore[arg-type]  # the point of the test
    if os.name == "posix":
        release(1, plan, name="it", record=empty)
        (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
        with pytest.raises(InvalidParameterError):
            release(1, plan, name="it", record=tmp_path / "dangling")
        assert not (tmp_path / "nowhere").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is forbidden to this user")
def test_a_folder_without_permission_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(InvalidParameterError, match=r"Permission denied.*that you may write to"):
            release(1, plan_of(LAPLACE), name="it", record=tmp_path / "record")
    finally:
        tmp_path.chmod(0o700)


def test_a_denied_permission_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for whoever runs the tests."""
    plan, folder = plan_of(LAPLACE), tmp_path / "record"
    Record.open(folder, plan)

    def denied(*_: object, **__: object) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(record_module, "create_exclusively", denied)
    with pytest.raises(InvalidParameterError, match=r"cannot be written .Permission denied.*that you may write to"):
        release(1, plan, name="it", record=folder)
    monkeypatch.setattr(record_module, "create_folder_exclusively", denied)
    with pytest.raises(InvalidParameterError, match=r"cannot be created .Permission denied"):
        release(1, plan, name="it", record=tmp_path / "other")


def test_a_name_is_needed_that_stands_once_in_the_plan() -> None:
    plan = Plan(releases=(Release(name="a", mechanism=LAPLACE), Release(name="a", mechanism=LAPLACE)))
    with pytest.raises(InvalidParameterError, match="stands 2 times"):
        slot_line(plan, "a")
    with pytest.raises(InvalidParameterError, match="The plan has 'a'"):
        slot_line(plan, "b")
    with pytest.raises(InvalidParameterError, match="run 0 times"):
        slot_line(plan_of(LAPLACE.repeated(0)), "it")

"""The best accuracies, against enumeration in fractions, closed forms and each other."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction
from typing import Any

import pytest

from optcomp import Enclosure, FinitePair, InvalidParameterError, UnsupportedError
from optcomp.multiparty import (
    MEASURES,
    Accuracy,
    BitFunction,
    Channel,
    Interest,
    Listener,
    OtherProtocol,
    Party,
    Protocol,
    decide,
    in_words,
    indicator,
    worst_case_laws,
)
from optcomp.multiparty.counts import average_by_counts
from optcomp.multiparty.rounded import enclosed
from optcomp.multiparty.solve import solve
from optcomp.multiparty.tensor import average_by_tensor, scores
from optcomp.multiparty.worst import Game, value_of_prior, value_of_rule, worst_case

ODDS = ["ln(3/2)", "ln(2)", "ln(3)", "ln(9)", "0"]
DELTAS = ["0", "0", "1/100", "1/7", "1"]


def listener(source: random.Random, parties: int, *, symmetric: bool = False, pure: bool = False) -> Listener:
    channels = tuple(Channel.of(source.choice(ODDS), "0" if pure else source.choice(DELTAS)) for _ in range(parties))
    if symmetric:
        channels = tuple(source.choice(channels[:2]) for _ in range(parties))
        function = source.choice(
            [BitFunction.majority(parties), BitFunction.total(parties), BitFunction.threshold(parties, least=1)]
        )
    else:
        function = BitFunction.table([source.randint(0, 2) for _ in range(1 << parties)])
    size = len(function.answers)
    weights = [[Fraction(source.randint(-3, 3)) for _ in range(size)] for _ in range(size)]
    accuracy = source.choice([indicator(function), Accuracy.of(weights)])
    return Listener(function, accuracy, channels)


def chances(known: Listener) -> dict[tuple[int, ...], list[Fraction]]:
    """For each transcript its probability on every database, in fractions."""
    found = {}
    for transcript in itertools.product(*(channel.outcomes for channel in known.channels)):
        column = []
        for database in range(1 << len(known.channels)):
            product = Fraction(1)
            for place, (channel, outcome) in enumerate(zip(known.channels, transcript, strict=True)):
                exact = channel.exact
                assert exact is not None
                product *= exact[database >> place & 1][channel.outcomes.index(outcome)]
            column.append(product)
        found[transcript] = column
    return found


def gain(known: Listener, column: list[Fraction], answer: int) -> Fraction:
    weights = known.accuracy.weights
    return sum(
        (chance * weights[truth][answer] for chance, truth in zip(column, known.function.places, strict=True)),
        Fraction(0),
    )


def by_enumeration(known: Listener) -> Fraction:
    size = len(known.function.answers)
    best = (max(gain(known, column, answer) for answer in range(size)) for column in chances(known).values())
    return sum(best, Fraction(0)) / (1 << len(known.channels))


def roughly(known: Listener) -> Enclosure:
    """The way of floats, also where the exact one would be taken."""
    best = scores(known).max(axis=0)
    return enclosed(best, 5 * len(known.channels) + 2, over=1 << len(known.channels), shift=known.least)


@pytest.mark.parametrize("seed", range(60))
def test_the_average_is_that_of_enumeration(seed: int) -> None:
    source = random.Random(seed)
    known = listener(source, source.randint(1, 4))
    exact = by_enumeration(known)
    assert solve(known, "average").accuracy == Enclosure.exactly(exact)
    rough = roughly(known)
    assert rough.lower <= exact <= rough.upper
    assert rough.width < 1e-12


@pytest.mark.parametrize("seed", range(40))
def test_counts_agree_with_tensors(seed: int) -> None:
    source = random.Random(seed)
    known = listener(source, source.randint(1, 6), symmetric=True)
    exact = average_by_tensor(known)
    counted = average_by_counts(known)
    assert counted.intersects(exact)
    assert counted.width < 1e-11


def test_all_deterministic_rules_of_two_parties() -> None:
    known = Listener(
        BitFunction.conjunction(2), indicator(BitFunction.conjunction(2)), (Channel.of("ln(2)"), Channel.of("ln(3)"))
    )
    columns = list(chances(known).values())
    best = max(
        sum((gain(known, column, answer) for column, answer in zip(columns, rule, strict=True)), Fraction(0)) / 4
        for rule in itertools.product(range(2), repeat=len(columns))
    )
    assert solve(known, "average").accuracy == Enclosure.exactly(best)


@pytest.mark.parametrize("seed", range(20))
def test_the_closed_form_of_xor(seed: int) -> None:
    source = random.Random(seed)
    size = source.randint(1, 16) if seed else 16
    deltas = ["0", "0.01", "0.3"] if size <= 8 else ["0"]  # with deltas there are four outcomes each
    channels = tuple(Channel.of(f"0.{source.randint(1, 99)}", source.choice(deltas)) for _ in range(size))
    function = BitFunction.xor(size)
    known = Listener(function, indicator(function), channels)
    found = solve(known, "average")
    assert found.method == "closed form"
    assert found.accuracy.intersects(roughly(known))
    assert solve(known, "worst").accuracy == found.accuracy
    if size <= 6:
        assert worst_case(known).intersects(found.accuracy)


def test_a_million_parties_know_next_to_nothing() -> None:
    channel = Channel.of("0.1", "0.01")
    function = BitFunction.xor(10**6)
    found = solve(Listener(function, indicator(function), (channel,) * 10**6), "average").accuracy
    assert 0.5 - 1e-15 < found.lower <= found.upper < 0.5 + 1e-15


@pytest.mark.parametrize("seed", range(40))
def test_the_worst_case_is_enclosed_by_a_rule_and_a_prior(seed: int) -> None:
    """Both bounds again in fractions, from what the linear programme proposes."""
    source = random.Random(seed)
    known = listener(source, source.randint(1, 3))
    found = worst_case(known)
    assert found.width < 1e-8
    game = Game.by_databases(known)
    from optcomp.multiparty.worst import solve as proposed

    rule, prior = proposed(game)
    laws = [[Fraction(each) for each in column] for column in game.laws(rule).T]
    columns = list(chances(known).values())
    # the transcripts of the game count the first party's outcome as the lowest digit
    order = sorted(range(len(columns)), key=lambda place: list(chances(known))[place][::-1])
    databases = range(1 << len(known.channels))
    reached = min(
        sum(
            (
                columns[place][m] * share * known.accuracy.weights[known.function.places[m]][answer]
                for law, place in zip(laws, order, strict=True)
                for answer, share in enumerate(law)
            ),
            Fraction(0),
        )
        for m in databases
    )
    shares = [Fraction(each) for each in game.laws(prior[:, None])[:, 0]]
    kept = sum(
        (
            max(
                gain(known, [share * chance for share, chance in zip(shares, column, strict=True)], answer)
                for answer in range(len(known.function.answers))
            )
            for column in columns
        ),
        Fraction(0),
    )
    assert game.shift + value_of_rule(game, rule) <= reached <= kept <= game.shift + value_of_prior(game, prior)


def test_a_party_knows_its_own_bit() -> None:
    function = BitFunction.xor(3)
    protocol = Protocol(parties=[Party(epsilon="ln(3)", function=function)] * 3, observer=function)
    assert protocol.accuracy(party=0) == Enclosure(Fraction(5, 8), Fraction(5, 8), "lower")
    assert protocol.accuracy() == Enclosure(Fraction(9, 16), Fraction(9, 16), "lower")
    assert protocol.without_privacy(1).accuracy(party=0) == Enclosure(Fraction(3, 4), Fraction(3, 4), "lower")


@pytest.mark.parametrize("seed", range(30))
def test_the_decision_reaches_the_accuracy(seed: int) -> None:
    source = random.Random(seed)
    known = listener(source, source.randint(1, 3), symmetric=seed % 2 == 0)
    reached = sum(
        (gain(known, column, decide(known, transcript).place) for transcript, column in chances(known).items()),
        Fraction(0),
    ) / (1 << len(known.channels))
    assert abs(reached - by_enumeration(known)) < Fraction(1, 10**12)


def row(source: random.Random, size: int) -> list[Fraction]:
    weights = [source.randint(0, 4) for _ in range(size)]
    weights[source.randrange(size)] += 1
    return [Fraction(each, sum(weights)) for each in weights]


def processed(source: random.Random, protocol: OtherProtocol) -> list[list[Fraction]]:
    """A random processing of every transcript."""
    size = source.randint(1, 4)
    kernel = [row(source, size) for _ in protocol.rows[0]]
    return [
        [sum((mass * kernel[t][place] for t, mass in enumerate(law)), Fraction(0)) for place in range(size)]
        for law in protocol.rows
    ]


def interactive(source: random.Random, channels: list[Channel]) -> list[list[Fraction]]:
    """The first party speaks; what the second one sends depends on it, at the same privacy level."""
    first = FinitePair.randomized_response(epsilon=channels[0].epsilon, delta=channels[0].delta)
    answers = []
    for _ in range(first.size):
        pair = FinitePair.randomized_response(epsilon=channels[1].epsilon, delta=channels[1].delta)
        kernel = [row(source, 3) for _ in range(pair.size)]
        laws = [
            [sum((mass * kernel[t][place] for t, mass in enumerate(law)), Fraction(0)) for place in range(3)]
            for law in (pair.first, pair.second)
        ]
        answers.append(laws)
    rows = []
    for database in range(4):
        spoken = (first.first, first.second)[database & 1]
        rows.append([mass * chance for heard, mass in enumerate(spoken) for chance in answers[heard][database >> 1]])
    return rows


@pytest.mark.parametrize("block", range(10))
def test_no_other_protocol_is_better(block: int) -> None:
    """500 protocols that keep the parties' privacy: processed, mixed and interactive ones."""
    for seed in range(block * 50, block * 50 + 50):
        source = random.Random(seed)
        parties = source.randint(1, 3)
        channels = [Channel.of(source.choice(ODDS), source.choice(["0", "1/10"])) for _ in range(parties)]
        pairs = [FinitePair.randomized_response(epsilon=each.epsilon, delta=each.delta) for each in channels]
        rows = processed(source, OtherProtocol.of_messages(pairs))
        if seed % 3 == 1:
            other, share = processed(source, OtherProtocol.of_messages(pairs)), Fraction(source.randint(1, 4), 5)
            rows = [
                [share * mass for mass in one] + [(1 - share) * mass for mass in two]
                for one, two in zip(rows, other, strict=True)
            ]
        elif parties == 2:
            rows = interactive(source, channels)
        protocol = OtherProtocol(rows=rows)
        assert protocol.keeps(channels)
        function = source.choice(
            [BitFunction.xor(parties), BitFunction.conjunction(parties), BitFunction.total(parties)]
        )
        accuracy = MEASURES[source.choice(["indicator", "absolute_error"])](function)
        best = solve(Listener(function, accuracy, tuple(channels)), "average").accuracy
        assert protocol.accuracy(function, accuracy) <= best.upper


def test_a_protocol_that_says_a_bit_keeps_nothing() -> None:
    open_bit = OtherProtocol(rows=[["1", "0"], ["0", "1"]])
    assert not open_bit.keeps([Channel.of("1", "0.5")])
    assert open_bit.keeps([Channel.of("1", "1")])


def test_rules_in_words() -> None:
    def words(function: BitFunction, epsilon: Any) -> str | None:
        channels = tuple(Channel.of(epsilon) for _ in range(function.parties))
        return in_words(Listener(function, indicator(function), channels))

    assert words(BitFunction.majority(9), 1) == "Answer 1 when at least 5 of 9 outcomes are 2, else 0."
    assert words(BitFunction.conjunction(3), "0.1") == "Answer 0, whatever you hear."
    assert "XOR" in (words(BitFunction.xor(4), 1) or "")
    assert words(BitFunction.table([0, 1, 1, 1]), 1) is None


@pytest.mark.parametrize("epsilon", ["0", "1e-9", "700", "10000"])
@pytest.mark.parametrize("delta", ["0", "1e-300", "0.5", "1"])
def test_extreme_parties(epsilon: str, delta: str) -> None:
    function = BitFunction.majority(3)
    known = Protocol(parties=[Party(epsilon=epsilon, delta=delta, function=function)] * 3, observer=function)
    for measure in ("average", "worst"):
        for party in (None, 1):
            found = known.accuracy(party=party, measure=measure)
            assert 0.5 - 1e-8 <= found.lower <= found.upper <= 1 + 1e-8
    if epsilon in {"700", "10000"} or delta == "1":
        assert known.accuracy().upper > 1 - 1e-9


@pytest.mark.parametrize(
    "ask",
    [
        lambda: Party(epsilon=-1),
        lambda: Party(epsilon=1, delta=2),
        lambda: Protocol(parties=[]),
        lambda: Protocol(parties=[Party(epsilon=1)], observer=BitFunction.xor(2)),
        lambda: Protocol(parties=[Party(epsilon=1)]).accuracy(),
        lambda: Protocol(parties=[Party(epsilon=1)], observer=BitFunction.xor(1)).accuracy(party=1),
        lambda: Protocol(parties=[Party(epsilon=1)], observer=BitFunction.xor(1)).accuracy(measure="best"),  # type: ignore[arg-type]
        lambda: BitFunction.table([0, 1, 1]),
        lambda: BitFunction.xor(True),
        lambda: Accuracy.of([[1, 0]]),
        lambda: OtherProtocol(rows=[["1/2", "1/3"], ["1", "0"]]),
        lambda: decide(Protocol(parties=[Party(epsilon=1)], observer=BitFunction.xor(1)).listeners(None)[0], [0]),
        lambda: decide(Protocol(parties=[Party(epsilon=1)], observer=BitFunction.xor(1)).listeners(None)[0], [1, 2]),
    ],
)
def test_wrong_input_is_refused(ask: Any) -> None:
    with pytest.raises(InvalidParameterError):
        ask()


def test_what_is_too_large_is_refused() -> None:
    parties = [Party(epsilon=Fraction(i + 1, 100)) for i in range(40)]
    with pytest.raises(UnsupportedError, match="too many transcripts"):
        Protocol(parties=parties, observer=BitFunction.majority(40)).accuracy()


def test_another_weight_for_the_same_function() -> None:
    function = BitFunction.total(2)
    interest = Interest(function, MEASURES["squared_error"])
    found = Protocol(parties=[Party(epsilon="ln(3)")] * 2, observer=interest).accuracy()
    assert -1 < found.lower <= found.upper < 0


def test_functions_of_any_callable() -> None:
    made = BitFunction.of(lambda bits: bits[0] * 2 + bits[1], 2)
    assert made.answers == (0, 2, 1, 3)
    assert [made.answers[place] for place in made.places] == [0, 2, 1, 3]
    assert [made.answers[place] for place in made.fixed(1, 1).places] == [1, 3]
    assert BitFunction.majority(5).fixed(2, 1).by_sum == (0, 0, 1, 1, 1)


@pytest.mark.parametrize("seed", range(20))
def test_bits_that_are_not_uniform(seed: int) -> None:
    source = random.Random(seed)
    known = listener(source, source.randint(1, 4), symmetric=seed % 2 == 0)
    priors = tuple(Fraction(source.randint(0, 10), 10) for _ in known.channels)
    weighted = Listener(known.function, known.accuracy, known.channels, priors)
    exact = reached = Fraction(0)
    for transcript, column in chances(known).items():
        scaled = []
        for database, chance in enumerate(column):
            weights = [prior if database >> place & 1 else 1 - prior for place, prior in enumerate(priors)]
            scaled.append(chance * math.prod(weights))
        exact += max(gain(known, scaled, answer) for answer in range(len(known.function.answers)))
        reached += gain(known, scaled, decide(weighted, transcript).place)
    assert solve(weighted, "average").accuracy == Enclosure.exactly(exact)
    rough = roughly(weighted)
    assert rough.lower <= exact <= rough.upper
    assert abs(reached - exact) < Fraction(1, 10**12)


def test_a_party_weighs_its_own_bit() -> None:
    function = BitFunction.conjunction(2)
    sure = Protocol(parties=[Party(epsilon=0, function=function, prior="1/10"), Party(epsilon=0, prior="1/4")])
    assert sure.accuracy(party=0) == Enclosure(Fraction(39, 40), Fraction(39, 40), "lower")


@pytest.mark.parametrize("parties", [14, 24, 30, 400, 5000])
def test_the_xor_of_many_is_decided_by_parity(parties: int) -> None:
    """What is known of it is far smaller than a rounding of 1/2."""
    source = random.Random(parties)
    function = BitFunction.xor(parties)
    known = Listener(function, indicator(function), (Channel.of("0.1"),) * parties)
    for _ in range(20):
        transcript = [source.choice([1, 2]) for _ in range(parties)]
        assert function.answers[decide(known, transcript).place] == transcript.count(2) % 2


def test_a_prior_counts_however_many_others_there_are() -> None:
    function = BitFunction.xor(400)
    priors = (Fraction(1, 10), *(Fraction(1, 2),) * 399)
    known = Listener(function, indicator(function), (Channel.of("0.1"),) * 400, priors)
    assert function.answers[decide(known, [2] + [1] * 399).place] == 0


def test_other_protocols_are_asked_about_their_own_bits_only() -> None:
    other = OtherProtocol.of_messages([FinitePair.randomized_response(epsilon="ln(3)")] * 2)
    function = BitFunction.xor(2)
    for ask in (
        lambda: other.keeps([Channel.of("ln(3)")]),
        lambda: other.keeps([Channel.of("ln(3)")] * 3),
        lambda: other.accuracy(BitFunction.xor(3), indicator(BitFunction.xor(3))),
        lambda: other.accuracy(function, indicator(BitFunction.total(2))),
        lambda: function.fixed(2, 0),
        lambda: function.fixed(0, 7),
        lambda: indicator(BitFunction.total(20_000)),
        lambda: Protocol(parties=[Party(epsilon=1)]).without_privacy(7),
        lambda: Protocol(parties=[Party(epsilon=1)], observer=BitFunction.xor(1)).accuracy(party=1.5),  # type: ignore[arg-type]
    ):
        with pytest.raises(InvalidParameterError):
            ask()


def test_rules_for_too_many_transcripts_are_not_listed() -> None:
    function = BitFunction.xor(20)
    with pytest.raises(UnsupportedError):
        worst_case_laws(Listener(function, indicator(function), (Channel.of(1),) * 20))
    small = BitFunction.conjunction(2)
    laws = worst_case_laws(Listener(small, indicator(small), (Channel.of(1),) * 2))
    assert len(laws) == 4
    assert all(sum(law) == 1 for law in laws)

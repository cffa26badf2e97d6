"""From bytes to mappings: formats, encodings, and every way a file can be wrong before it is a plan."""

from __future__ import annotations

import io
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optcomp.documents import FORMATS, parse, read_bytes
from optcomp.documents.reading import LARGEST_FILE
from optcomp.errors import DocumentError

NO_INPUT = io.BytesIO()


def refusal(content: bytes, *, path: str = "-", format: str | None = None) -> DocumentError:  # noqa: A002  # the option's name
    with pytest.raises(DocumentError) as caught:
        parse(content, path=path, format=format)
    return caught.value


def test_the_formats() -> None:
    assert set(FORMATS) == {"toml", "json", "yaml", "yml"}


@pytest.mark.parametrize(
    ("path", "content", "format_"),
    [
        ("a.toml", b"a = 0.1", None),
        ("a.TOML", b"a = 0.1", None),
        ("a.json", b'{"a": 0.1}', None),
        ("a.JSON", b'{"a": 0.1}', None),
        ("-", b"a = 0.1", None),
        ("-", b'{"a": 0.1}', None),
        ("-", b'\n\t {"a": 0.1}', None),
        ("a", b"a = 0.1", None),
        ("a.txt", b'{"a": 0.1}', None),
        ("a.json", b"a = 0.1", "toml"),
        ("a.toml", b'{"a": 0.1}', "json"),
        ("-", b'{"a": 0.1}', "json"),
        ("-", b"\xef\xbb\xbfa = 0.1", None),
        ("-", b'\xef\xbb\xbf{"a": 0.1}', None),
        ("a.toml", b"\xef\xbb\xbfa = 0.1\r\n", None),
    ],
)
def test_the_ending_the_first_character_or_the_caller_tells_the_format(
    path: str, content: bytes, format_: str | None
) -> None:
    assert parse(content, path=path, format=format_) == {"a": Decimal("0.1")}


@pytest.mark.parametrize(
    "number", ["0.1", "1e-400", "0.1234567890123456789012345678901234567890123456789", "1e400", "-0.5", "3.0", "1E-6"]
)
def test_decimals_stay_exact(number: str) -> None:
    for content in (f'{{"a": {number}}}', f"a = {number}"):
        found = parse(content.encode(), path="-")["a"]
        assert isinstance(found, Decimal)
        assert found == Decimal(number)
        assert found.as_tuple() == Decimal(number).as_tuple()


@pytest.mark.parametrize("format_", ["toml", "json", None])
@pytest.mark.parametrize("content", [b"", b" ", b"\n\r\n\t  \n", b"\xef\xbb\xbf", b"\xef\xbb\xbf \n"])
def test_nothing_is_no_document(content: bytes, format_: str | None) -> None:
    error = refusal(content, format=format_)
    assert str(error) == (
        "standard input: file must not be empty, got 'nothing'. Check the path; standard input can be read once only."
    )


@pytest.mark.parametrize(
    "content",
    [
        b"\x00",
        b'{"a": 1}\x00',
        b"a = 1\x00",
        b"\x7fELF\x02\x01\x01\x00",
        b"\x89PNG\r\n\x1a\n",
        b"\x80",
        b"a = '\xe9'",  # Latin-1
        b"a = '\xed\xa0\x80'",  # a lone surrogate
        b"\xff\xfe{\x00}\x00",  # UTF-16
        b"a = '\xc3'",  # a letter cut in two
        '{"a": 1}'.encode("utf-16"),
        '{"a": 1}'.encode("utf-32"),
    ],
)
@pytest.mark.parametrize("path", ["-", "plan.toml", "plan.json"])
def test_binary_data_is_no_document(content: bytes, path: str) -> None:
    error = refusal(content, path=path)
    assert error.condition == "must be text in UTF-8"
    assert error.where == ("standard input" if path == "-" else path)


@pytest.mark.parametrize(
    ("content", "format_", "place"),
    [
        (b'{"a": 1,\n "b": }', "json", "line 2 column 7"),
        (b'{"a": 1}\n{', "json", "line 2 column 1"),
        (b"{", "json", "line 1 column 2"),
        (b"{'a': 1}", "json", "line 1 column 2"),
        (b'{"a": 01}', "json", "line 1 column 8"),
        (b'{"a": 1_000}', "json", "line 1 column 8"),
        (b'{"a": nan}', "json", "line 1 column 7"),
        (b'{"a": "\n"}', "json", "line 1 column 8"),
        (b"a = 1\nb\n", "toml", "line 2"),
        (b"a = 1\na = 2\n", "toml", "line 2"),
        (b"[a]\n[a]\n", "toml", "line 2"),
        (b"a = 1\n\n\nb = 'x\n'", "toml", "line 4"),
        (b"a = NaN", "toml", "line 1"),
        (b"a = Infinity", "toml", "line 1"),
        (b"a = 1979-13-40", "toml", ""),
    ],
)
def test_a_slip_is_shown_with_its_place(content: bytes, format_: str, place: str) -> None:
    error = refusal(content, format=format_)
    assert place in str(error)
    assert f"cannot be read as {format_.upper()}" in str(error)
    assert str(error).endswith("Mend that place.")


@pytest.mark.parametrize("content", [b"[]", b"[1]", b"1", b'"a"', b"null", b"true", b'[{"a": 1}]'])
def test_the_top_level_must_be_an_object(content: bytes) -> None:
    assert refusal(content, format="json").condition == "must be an object"


@pytest.mark.parametrize(
    "content", ['{"a": 1, "a": 1}', '{"b": {"a": 1, "c": 2, "a": 3}}', '{"b": [{"a": 1, "a": 2}]}']
)
def test_a_key_that_stands_twice_in_an_object_is_refused(content: str) -> None:
    assert "the key 'a' stands twice in one object" in str(refusal(content.encode()))


def test_a_key_may_stand_in_two_objects() -> None:
    assert parse(b'{"a": {"a": 1}, "b": {"a": 2}}', path="-") == {"a": {"a": 1}, "b": {"a": 2}}


DEEP = 10_000


@pytest.mark.parametrize(
    "content",
    [
        '{"a": ' + "[" * DEEP,
        '{"a": ' + "[" * DEEP + "]" * DEEP + "}",
        '{"a":' * DEEP,
        '{"a":' * DEEP + "1" + "}" * DEEP,
        "[" * DEEP + "]" * DEEP,
        "a = " + "[" * DEEP,
        "a = " + "[" * DEEP + "]" * DEEP,
        "a = " + "{a=" * DEEP,
        "a = " + "{a=" * DEEP + "1" + "}" * DEEP,
    ],
    ids=range(9),
)
def test_nesting_ten_thousand_deep_is_refused(content: str) -> None:
    assert refusal(content.encode()).where == "standard input"


@pytest.mark.parametrize("dots", [1_001, 100_000])
def test_a_key_of_very_many_parts_is_refused_before_it_fills_the_memory(dots: int) -> None:
    for content in ("a" + ".a" * dots + " = 1", "[a" + ".a" * dots + "]"):
        assert "a line has more than 1000 dots" in str(refusal(content.encode()))


@pytest.mark.parametrize("form", ['{{"a": {}}}', "a = {}"])
def test_an_integer_of_ten_thousand_digits_needs_quotes(form: str) -> None:
    assert "too many digits to stand there without quotes" in str(refusal(form.format("7" * 10_000).encode()))
    assert parse(form.format(f'"{"7" * 10_000}"').encode(), path="-") == {"a": "7" * 10_000}


@pytest.mark.parametrize("form", ['{{"a": {}}}', "a = {}"])
@pytest.mark.parametrize("number", ["1e9999999999999999999", "1e-9999999999999999999", "1.5e" + "9" * 3000])
def test_an_exponent_beyond_all_measure_is_refused(form: str, number: str) -> None:
    assert "too large an exponent" in str(refusal(form.format(number).encode()))


def test_a_file_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(b"\xef\xbb\xbfa = 1\r\n\x00")
    assert read_bytes(str(path), standard_input=NO_INPUT) == b"\xef\xbb\xbfa = 1\r\n\x00"


def test_a_dash_reads_standard_input() -> None:
    assert read_bytes("-", standard_input=io.BytesIO(b"a = 1")) == b"a = 1"


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    for path, reason in [(tmp_path / "none.toml", "No such file or directory"), (tmp_path, "Is a directory")]:
        with pytest.raises(DocumentError) as caught:
            read_bytes(str(path), standard_input=NO_INPUT)
        assert str(caught.value) == f"{path}: file cannot be read ({reason}), got {str(path)!r}. Check the path."


@pytest.mark.parametrize("path", ["", "a\0b", "x" * 5000, "\udcff"])
def test_paths_that_are_none(path: str) -> None:
    with pytest.raises(DocumentError, match="file cannot be read"):
        read_bytes(path, standard_input=NO_INPUT)


def test_sixteen_megabytes_are_read_and_no_byte_more(tmp_path: Path) -> None:
    path = tmp_path / "big.json"
    path.write_bytes(b" " * LARGEST_FILE)
    assert len(read_bytes(str(path), standard_input=NO_INPUT)) == LARGEST_FILE
    path.write_bytes(b" " * (LARGEST_FILE + 1))
    with pytest.raises(DocumentError, match="must be at most 16 MB"):
        read_bytes(str(path), standard_input=NO_INPUT)
    with pytest.raises(DocumentError, match="standard input: file must be at most 16 MB"):
        read_bytes("-", standard_input=io.BytesIO(b" " * (LARGEST_FILE + 1)))


@given(content=st.binary(max_size=200), format_=st.sampled_from(["toml", "json", None]))
def test_any_bytes_give_a_mapping_or_a_document_error(content: bytes, format_: str | None) -> None:
    with suppress(DocumentError):
        assert isinstance(parse(content, path="-", format=format_), dict)


@given(content=st.text(alphabet="{}[]\"'=:,.#\\ \n\tae019-+_ntrufls", max_size=60))
def test_any_text_of_the_formats_own_letters_gives_a_mapping_or_a_document_error(content: str) -> None:
    for format_ in FORMATS:
        with suppress(DocumentError):
            assert isinstance(parse(content.encode(), path="-", format=format_), dict)

"""Strings are packed and ids found by every backend, as dictionaries and encodings of Python do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fastkappa.kernels.contract import WordTable
from fastkappa.kernels.dispatch import word_kernels

WORDS = 1 << 64


def _table(words: Any, multipliers: Any, n_bits: int) -> WordTable:
    return WordTable(words, multipliers, np.zeros(1 << n_bits, np.uint32), 64 - n_bits)


@pytest.mark.parametrize("meet", [False, True])
@pytest.mark.parametrize("n_words", [1, 2, 3])
def test_ids_are_found_where_they_first_stand(kernels: Any, n_words: int, meet: bool) -> None:
    rng = np.random.default_rng(n_words)
    # Few different words, so that ids differ in one of them or occur again.
    words = rng.integers(WORDS - 9, WORDS, (300, n_words), np.uint64)
    multipliers = rng.integers(0, WORDS, n_words + 1, np.uint64) | np.uint64(1)
    if meet:
        multipliers[-1] = 1  # All slots are the first one or near it.
    own, others = words[:200], words[100:]
    table = _table(own, multipliers, 9)
    first, found = np.empty(200, np.int64), np.empty(200, np.int64)
    word_kernels(kernels).put_words(table, first)
    word_kernels(kernels).find_words(table, others, found)
    place: dict[Any, int] = {}
    expected = [place.setdefault(tuple(one), i) for i, one in enumerate(own.tolist())]
    assert first.tolist() == expected
    assert found.tolist() == [place.get(tuple(one), -1) for one in others.tolist()]
    assert sorted(table.slots[table.slots > 0] % 256 - 1) == sorted(place.values())


def test_nothing_is_found_among_nothing(kernels: Any) -> None:
    table = _table(np.empty((0, 1), np.uint64), np.ones(2, np.uint64), 4)
    found = np.zeros(3, np.int64)
    word_kernels(kernels).put_words(table, found[:0])
    word_kernels(kernels).find_words(table, np.arange(3, dtype=np.uint64)[:, None], found)
    assert found.tolist() == [-1, -1, -1]


@pytest.mark.parametrize("ends_type", [np.int32, np.int64])
def test_bytes_of_strings_are_packed(kernels: Any, ends_type: Any) -> None:
    for texts in (["", "a", "abc", "\xe9", "12345678", ""], ["ab", "cd"], ["", ""], []):
        encoded = [text.encode() for text in texts]
        ends = np.cumsum([2, *map(len, encoded)]).astype(ends_type)
        data = np.frombuffer(b"no" + b"".join(encoded) + b"more", np.uint8)
        packed = np.full((len(texts), 8), 255, np.uint8)
        word_kernels(kernels).pack_bytes(ends, data, packed)
        assert [row.tobytes() for row in packed] == [one.ljust(8, b"\0") for one in encoded]


@pytest.mark.parametrize("ends", [[0, 9], [0, 3, 2], [-1, 2], [0, 20, 21]])
def test_bytes_that_are_not_there_or_have_no_room_are_refused(kernels: Any, ends: Any) -> None:
    data, packed = np.ones(20, np.uint8), np.zeros((len(ends) - 1, 8), np.uint8)
    with pytest.raises(ValueError, match=r"."):
        word_kernels(kernels).pack_bytes(np.array(ends), data, packed)


def test_characters_are_packed_and_told_from_others(kernels: Any) -> None:
    for texts, are_ascii in ((["", "a", "xyz"], True), (["a", "\xe9"], False), ([""], True)):
        array = np.array(texts)
        packed = np.full((len(texts), 8), 255, np.uint8)
        characters = array.view(np.uint32).reshape(len(texts), -1)
        assert word_kernels(kernels).pack_characters(characters, packed) is are_ascii
        if are_ascii:
            expected = [text.encode().ljust(8, b"\0") for text in texts]
            assert [row.tobytes() for row in packed] == expected


@pytest.mark.parametrize("width", range(1, 26))
def test_characters_of_any_width_are_packed(kernels: Any, width: int) -> None:
    rng = np.random.default_rng(width)
    for n in (1, 2, 9):
        characters = rng.integers(1, 128, (n, width)).astype(np.uint32)
        expected = np.zeros((n, -(-width // 8) * 8), np.uint8)
        expected[:, :width] = characters
        packed = np.full_like(expected, 255)
        assert word_kernels(kernels).pack_characters(characters, packed)
        assert packed.tolist() == expected.tolist()
        for i, j in np.ndindex(characters.shape):
            # One that is more than a byte, whose last byte may be ASCII.
            other = characters.copy()
            other[i, j] = rng.choice([128, 256 + 65, 1 << 16, 1 << 24])
            assert not word_kernels(kernels).pack_characters(other, packed)


@pytest.mark.parametrize("dtype", [bool, np.int16, np.float32, np.uint64, "M8[D]"])
def test_values_are_put_to_their_places(kernels: Any, dtype: Any) -> None:
    values = np.arange(10, 14).astype(dtype)
    column = np.zeros(6, dtype)
    word_kernels(kernels).put_values(values[::-1], np.array([4, -1, 0, 5]), column)
    zero = column[1]
    assert (
        column.tolist()
        == np.array([values[1], zero, zero, zero, values[3], values[0]], dtype).tolist()
    )

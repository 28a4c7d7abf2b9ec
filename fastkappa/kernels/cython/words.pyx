# cython: language_level=3, freethreading_compatible=True, boundscheck=False, wraparound=False
"""The compiled kernels for words; see `fastkappa.kernels.contract`."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t


cdef extern from "words/find.h" nogil:
    ctypedef struct places_t:
        const uint64_t *words
        Py_ssize_t n_words
        const uint64_t *multipliers
        uint32_t *slots
        int shift
    void c_find_words "find_words" (
        const places_t *, const uint64_t *, Py_ssize_t, int64_t *
    ) noexcept
    void c_put_words "put_words" (const places_t *, Py_ssize_t, int64_t *) noexcept

cdef extern from "words/pack.h" nogil:
    int c_pack_characters "pack_characters" (
        const uint32_t *, Py_ssize_t, Py_ssize_t, Py_ssize_t, uint8_t *
    ) noexcept
    int pack_bytes_32(
        const int32_t *, const uint8_t *, Py_ssize_t, Py_ssize_t, Py_ssize_t, uint8_t *
    ) noexcept
    int pack_bytes_64(
        const int64_t *, const uint8_t *, Py_ssize_t, Py_ssize_t, Py_ssize_t, uint8_t *
    ) noexcept

cdef extern from "words/lines.h" nogil:
    ctypedef struct lines_t:
        const uint8_t *text
        Py_ssize_t n_bytes
        uint8_t delimiter
        Py_ssize_t n_fields, first, second
    int c_place_numbers "place_numbers" (
        const places_t *, Py_ssize_t, const lines_t *, int, int64_t *
    ) noexcept
    Py_ssize_t c_count_lines "count_lines" (
        const places_t *, Py_ssize_t, const places_t *, Py_ssize_t, const lines_t *, int64_t *
    ) noexcept


ctypedef fused end_t:
    int32_t
    int64_t


ctypedef fused value_t:
    uint8_t
    uint16_t
    uint32_t
    uint64_t


cdef places_t as_places(table) except *:
    cdef const uint64_t[:, ::1] own = table.words
    cdef const uint64_t[::1] multipliers = table.multipliers
    cdef uint32_t[::1] slots = table.slots
    cdef places_t places
    places.n_words, places.shift = own.shape[1], table.shift
    if multipliers.shape[0] <= own.shape[1] or own.shape[1] == 0:
        raise ValueError("there must be words, and a multiplier for each and for their sum")
    if slots.shape[0] >> (64 - places.shift) != 1 or slots.shape[0] // 2 <= own.shape[0]:
        raise ValueError("there must be as many slots as the shift leaves numbers, 2 and more an id")
    # The table is kept by who called.
    places.words = &own[0, 0] if own.shape[0] else NULL
    places.multipliers, places.slots = &multipliers[0], &slots[0]
    return places


def find_words(table, const uint64_t[:, ::1] words, int64_t[::1] found):
    """Write the place of each id, -1 for those that are not there."""
    cdef places_t places = as_places(table)
    if words.shape[1] != places.n_words or found.shape[0] != words.shape[0]:
        raise ValueError("ids must have as many words as those of the table, and a place each")
    if words.shape[0]:
        with nogil:
            c_find_words(&places, &words[0, 0], words.shape[0], &found[0])


def put_words(table, int64_t[::1] found):
    """Put the ids of a table into its slots, which are empty, and write the first place of each."""
    cdef places_t places = as_places(table)
    if found.shape[0] != len(table.words):
        raise ValueError("ids must have a place each")
    if found.shape[0]:
        with nogil:
            c_put_words(&places, found.shape[0], &found[0])


def pack_characters(const uint32_t[:, ::1] characters, uint8_t[:, ::1] packed):
    """Write characters as a byte each, and return whether all of them are ASCII."""
    cdef bint are_ascii = True
    cdef Py_ssize_t n_words = max(1, (characters.shape[1] + 7) // 8)
    if packed.shape[0] != characters.shape[0] or packed.shape[1] != 8 * n_words:
        raise ValueError("there must be the words that the characters take, and at least one")
    if packed.shape[0]:
        with nogil:
            are_ascii = c_pack_characters(
                &characters[0, 0] if characters.shape[1] else NULL,
                characters.shape[1],
                characters.shape[0],
                packed.shape[1],
                &packed[0, 0],
            )
    return are_ascii


def pack_bytes(const end_t[::1] ends, const uint8_t[::1] data, uint8_t[:, ::1] packed):
    """Write the bytes of strings, filled up with zeros."""
    cdef Py_ssize_t n = packed.shape[0], width = packed.shape[1]
    cdef bint fits = ends.shape[0] == n + 1 and width > 0 and width % 8 == 0
    cdef const uint8_t *text = &data[0] if data.shape[0] else NULL
    if fits and n:
        with nogil:
            if end_t is int32_t:
                fits = pack_bytes_32(&ends[0], text, data.shape[0], n, width, &packed[0, 0])
            else:
                fits = pack_bytes_64(&ends[0], text, data.shape[0], n, width, &packed[0, 0])
    if not fits:
        raise ValueError("strings must be among the data and have room, some words of it")


def put_values(values, places, column):
    """Write each value to its place in a column of its type; none at a place below 0."""
    if values.dtype != column.dtype or len(values) != len(places):
        raise ValueError("values must be of the type of the column, and have a place each")
    # Bytes are copied, whatever they stand for.
    bits = f"u{column.itemsize}"
    _put_bits(values.view(bits), places, column.view(bits))


def _put_bits(const value_t[:] values, const int64_t[:] places, value_t[::1] column):
    cdef Py_ssize_t i, n = places.shape[0]
    cdef uint64_t n_places = column.shape[0]
    cdef uint64_t place
    with nogil:
        for i in range(n):
            # Places below 0 are far above the last one.
            place = <uint64_t>places[i]
            if place < n_places:
                column[place] = values[i]


cdef lines_t as_lines(const uint8_t[::1] text, lines) except *:
    cdef lines_t own
    own.delimiter, own.n_fields = lines.delimiter, lines.n_fields
    own.first, own.second = lines.first, lines.second
    # The bytes after the text are taken for zeros.
    if own.delimiter == 0 or not (0 <= own.first < own.n_fields and 0 <= own.second < own.n_fields):
        raise ValueError("both fields must be among those of a line, and end at a byte above 0")
    # The text is kept by who called.
    own.n_bytes = text.shape[0]
    own.text = &text[0] if own.n_bytes else NULL
    return own


def place_numbers(table, const uint8_t[::1] text, lines, bint ids_are_numbers, int64_t[::1] numbers):
    """Write the number in each line to the place of its id; return whether all have one."""
    cdef places_t places = as_places(table)
    cdef lines_t own = as_lines(text, lines)
    cdef bint are_placed = False
    if numbers.shape[0] != len(table.words) or (ids_are_numbers and places.n_words != 1):
        raise ValueError("ids must have a number each, and one word if they are numbers")
    if text.shape[0] and numbers.shape[0]:
        with nogil:
            are_placed = c_place_numbers(
                &places, numbers.shape[0], &own, ids_are_numbers, &numbers[0]
            )
    return are_placed


def count_lines(rows, columns, const uint8_t[::1] text, lines, int64_t[:, ::1] table):
    """Count the two texts of each line; return the bytes before a line that is not counted."""
    cdef places_t own_rows = as_places(rows), own_columns = as_places(columns)
    cdef lines_t own = as_lines(text, lines)
    cdef Py_ssize_t n_bytes = 0
    if table.shape[0] != len(rows.words) or table.shape[1] != len(columns.words):
        raise ValueError("the table must have a row and a column for each text")
    if text.shape[0] and table.shape[0] and table.shape[1]:
        with nogil:
            n_bytes = c_count_lines(
                &own_rows, table.shape[0], &own_columns, table.shape[1], &own, &table[0, 0]
            )
    return n_bytes

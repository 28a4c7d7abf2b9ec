"""Damage to bytes: truncation, flipped bits, overwriting, duplication, or other content."""

from __future__ import annotations

import numpy as np

OTHERS = [
    b"",
    b"\x00",
    b"\n",
    b",",
    b"\xff\xfe\x00",
    b"a,b\n1",
    b'"',
    b"{}",
    b"[[[[[[",
    b"PAR1PAR1",
    b"ARROW1\x00\x00ARROW1",
    b"\x1f\x8b\x08\x00",
    b"x" * 70_000,
    "é,ü\n1,2\n".encode("latin-1"),
]
ODD = b'\x00\xff",\n\r\t -9e.'


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """Return the content after one to three kinds of damage."""
    for _ in range(int(rng.integers(1, 4))):
        data = bytearray(content)
        place = int(rng.integers(0, len(data) + 1))
        other = int(rng.integers(0, len(data) + 1))
        first, last = sorted((place, other))
        accident = int(rng.integers(0, 9))
        if accident == 0:
            content = bytes(data[:place])
        elif accident == 1 and data:
            data[place % len(data)] ^= 1 << int(rng.integers(0, 8))
            content = bytes(data)
        elif accident == 2:
            n_bytes = min(int(rng.integers(1, 9)), len(data) - first)
            data[first : first + n_bytes] = rng.bytes(n_bytes)
            content = bytes(data)
        elif accident == 3:
            content = bytes(data[:last] + data[first:])
        elif accident == 4:
            content = bytes(data[:first] + data[last:])
        elif accident == 5:
            content = bytes(data[:place] + OTHERS[other % len(OTHERS)] + data[place:])
        elif accident == 6 and data:
            data[place % len(data)] = ODD[other % len(ODD)]
            content = bytes(data)
        elif accident == 7:
            n_bytes = min(4, len(data) - first)
            data[first : first + n_bytes] = b"\xff\xff\xff\x7f"[:n_bytes]
            content = bytes(data)
        elif rng.integers(0, 4) == 0:
            content = OTHERS[other % len(OTHERS)]
    return content

"""A predictor's document with every large array in it once.

Members of a blend may share a level of very many rows. The page needs it once only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

#: Shorter texts are repeated: a reference would hardly be shorter.
_SHORT = 200


def compact(document: dict[str, Any]) -> dict[str, Any]:
    """The same document with arrays that occur more than once in a list ``repeated``.

    Parameters
    ----------
    document : dict
        Encoded, so that arrays are objects with ``shape`` and ``float64``.

    Returns
    -------
    dict
        Such an array has ``same``, its number in the list, instead of ``float64``.
    """
    counts = Counter(text for text in _texts(document) if len(text) > _SHORT)
    numbers = {text: i for i, text in enumerate(t for t, count in counts.items() if count > 1)}
    return {**_referring(document, numbers), "repeated": list(numbers)} if numbers else document


def _texts(value: Any) -> Iterator[str]:
    """Texts of all arrays."""
    if isinstance(value, dict):
        if "float64" in value:
            yield value["float64"]
        for entry in value.values():
            yield from _texts(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _texts(entry)


def _referring(value: Any, numbers: dict[str, int]) -> Any:
    """The same with numbers instead of texts that are repeated."""
    if isinstance(value, list):
        return [_referring(entry, numbers) for entry in value]
    if not isinstance(value, dict):
        return value
    if value.get("float64") in numbers:
        return {"shape": value["shape"], "same": numbers[value["float64"]]}
    return {key: _referring(entry, numbers) for key, entry in value.items()}


def size_of(value: Any) -> int:
    """Bytes that the texts and numbers of a document take in a page, about."""
    if isinstance(value, dict):
        return sum(len(key) + 6 + size_of(entry) for key, entry in value.items())
    if isinstance(value, list):
        return sum(2 + size_of(entry) for entry in value)
    return len(value) if isinstance(value, str) else 12

"""scikit-learn's checks of arrays, with errors of ours."""

from __future__ import annotations

from typing import Any

from sklearn.utils import validation

from ..errors import DataError, MastError


def validate_data(*arguments: Any, **options: Any) -> Any:
    """Call scikit-learn's function of this name; what it refuses by a ValueError is a DataError."""
    try:
        return validation.validate_data(*arguments, **options)
    except MastError:
        raise
    except (ValueError, OverflowError) as error:
        raise DataError(str(error)) from error

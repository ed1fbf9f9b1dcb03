"""What may go wrong in Spark, in the connection to it and in between."""

from __future__ import annotations


def failures() -> tuple[type[Exception], ...]:
    """They quote SQL and rows: an error of our own without values stands in for each of them."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    return (PySparkException, Py4JError, OSError, RuntimeError, ValueError, TypeError, ArithmeticError, AttributeError)

"""Compilation of numerical kernels that release the interpreter lock, cached on disk where possible."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar, cast

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Return `function` compiled by numba, to run without the interpreter lock.

    The machine code is stored next to the source or in the user's cache folder; if it cannot be written, the function
    is compiled once per process. numba does not notice changes of a callee in ANOTHER file, so a compiled function
    calls only compiled functions of its own file (and `popcount`, which compiles into its caller).
    """
    try:
        made: Any = numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # numba found no writable folder
        return cast(Function, numba.njit(nogil=True)(function))
    keep = made._cache.save_overload

    def keep_if_possible(signature: Any, code: Any) -> None:
        with suppress(OSError):  # e.g. on a full disk or above a file size limit
            keep(signature, code)

    made._cache.save_overload = keep_if_possible
    return cast(Function, made)


@intrinsic
def _popcount(typing: Any, word: Any) -> Any:
    """Return the number of 1 bits in an unsigned 64-bit word, as int64: one processor instruction."""

    def emit(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), emit


popcount: Any = _popcount
"""The intrinsic as it is called in compiled code, with one argument."""

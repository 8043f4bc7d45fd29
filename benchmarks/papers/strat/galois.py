"""Galois fields GF(n^b) of a prime n: all powers of one element, which run through the whole field but 0.

An element is a polynomial of degree below b with coefficients modulo n, kept as its b coefficients, lowest first. The
field is those polynomials modulo x^b - (c_0 + ... + c_(b-1) x^(b-1)); c is chosen so that the powers of x return to 1
only after n^b - 1 of them (a primitive polynomial). Such a polynomial has no factor, so nothing else is to be proved.
"""

from functools import cache
from itertools import product
from typing import Final

import numpy as np

from stratawatch.core.population import Counts
from stratawatch.errors import StratawatchError

Element = tuple[int, ...]

LARGEST: Final = 1 << 16
"""The largest field whose powers are listed."""


def is_prime(n: int) -> bool:
    """Whether n is a prime number.

    >>> [n for n in range(20) if is_prime(n)]
    [2, 3, 5, 7, 11, 13, 17, 19]
    """
    return n > 1 and prime_factors(n) == (n,)


def prime_factors(n: int) -> tuple[int, ...]:
    """The different primes that divide n, in order.

    >>> prime_factors(728)
    (2, 7, 13)
    """
    found, candidate = [], 2
    while candidate * candidate <= n:
        if n % candidate == 0:
            found.append(candidate)
            while n % candidate == 0:
                n //= candidate
        candidate += 1
    return (*found, n) if n > 1 else tuple(found)


@cache
def primitive_tail(n: int, b: int) -> Element:
    """The c of the first primitive polynomial x^b = c_0 + c_1 x + ... over the prime n.

    >>> primitive_tail(3, 2)
    (1, 1)
    """
    _refuse(n, b)
    return next(tail for tail in product(range(n), repeat=b) if tail[0] and _is_primitive(tail, n))


@cache
def powers(n: int, b: int) -> Counts:
    """x^0, x^1, ..., x^(n^b - 2): every element of GF(n^b) but 0, a row each.

    >>> powers(2, 2).tolist()
    [[1, 0], [0, 1], [1, 1]]
    """
    tail = primitive_tail(n, b)
    found = np.empty((n**b - 1, b), dtype=np.int64)
    element: Element = (1, *[0] * (b - 1))
    for row in range(len(found)):
        found[row] = element
        element = _shifted(element, tail, n)
    found.flags.writeable = False
    return found


def multiply(one: Element, other: Element, tail: Element, n: int) -> Element:
    """The product of two elements of the field that `tail` makes.

    In GF(9) with x^2 = 1 + x: x (1 + x) = x + x^2 = 1 + 2 x.

    >>> multiply((0, 1), (1, 1), (1, 1), 3)
    (1, 2)
    """
    total = [0] * len(tail)
    for factor in other:
        total = [(sum_ + factor * term) % n for sum_, term in zip(total, one, strict=True)]
        one = _shifted(one, tail, n)
    return tuple(total)


def _shifted(element: Element, tail: Element, n: int) -> Element:
    """An element times x."""
    top = element[-1]
    return tuple((low + top * c) % n for low, c in zip((0, *element[:-1]), tail, strict=True))


def _is_primitive(tail: Element, n: int) -> bool:
    """x^(q - 1) = 1, and no earlier power: it would be one whose exponent divides (q - 1)/r for some prime r."""
    order = n ** len(tail) - 1
    one = (1, *[0] * (len(tail) - 1))
    earlier = (_power_of_x(order // r, tail, n) for r in prime_factors(order))
    return _power_of_x(order, tail, n) == one and all(power != one for power in earlier)


def _power_of_x(exponent: int, tail: Element, n: int) -> Element:
    """By squaring."""
    found: Element = (1, *[0] * (len(tail) - 1))
    square = _shifted(found, tail, n)
    while exponent:
        if exponent & 1:
            found = multiply(found, square, tail, n)
        square = multiply(square, square, tail, n)
        exponent >>= 1
    return found


def _refuse(n: int, b: int) -> None:
    if not is_prime(n):
        raise StratawatchError(f"{n} is not a prime number", expected="a prime, such as 2, 3, 5 or 7")
    if b < 1 or n**b > LARGEST:
        raise StratawatchError(f"a field of {n}^{b} elements is not listed", expected=f"1 to {LARGEST:,} elements")

"""The Bradley-Terry model with ties (Davidson 1970) and an order effect (Davidson and Beaver 1977)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from metrics.analysis.arena.votes import Votes
from metrics.base import Undefined
from metrics.mathematics.arrays import Floats

_PRECISION = 1e-9
"""Maximum absolute derivative of the mean log-likelihood per vote at the solution."""
_ROUNDING = 1e-7
"""Size below which a result of the linear programme counts as zero."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Maximum-likelihood strengths (runs,) with mean 0, on the log-odds scale.

    Let d be the strength of the first run minus that of the second, plus `order` if the first caption was shown first
    and minus `order` if the second was. The odds of won : tied : lost are exp(d / 2) : `ties` : exp(-d / 2). `ordered`
    is true if the votes separate the order effect from the strengths; otherwise `order` is 0. `spread` (q, q) is the
    inverse information matrix of the strengths, then `order` if `ordered`, then log `ties` if there are ties.
    """

    strengths: Floats
    ties: float
    order: float
    ordered: bool
    spread: Floats = field(repr=False)

    @property
    def tying(self) -> bool:
        """Whether there are ties."""
        return self.ties > 0

    def differences(self, votes: Votes) -> Floats:
        """Return the difference (k,) between the strengths of each row's two runs, including the order effect."""
        return self.strengths[votes.first] - self.strengths[votes.second] + self.order * votes.shown

    def chances(self, votes: Votes) -> Floats:
        """Return the probabilities (3, k) of a win, a tie and a loss."""
        return _chances(self.differences(votes), self.ties)

    def win_rate(self, difference: Floats) -> Floats:
        """Return the expected shares (...) of votes for the first run, in 0..1, given differences (...) in strength.

        A tie counts half.
        """
        won, tied, _ = _chances(np.asarray(difference), self.ties)
        return np.asarray(won + tied / 2)

    def derivatives(self, votes: Votes) -> Floats:
        """Return the derivatives (k, q) of each row's log-likelihood with respect to the parameters of `spread`."""
        won, tied, lost = self.chances(votes)
        n = votes.total
        by_difference = (votes.won - votes.lost - n * (won - lost)) / 2
        columns = [_design(votes, self.ordered) * by_difference[:, None]]
        if self.tying:
            columns.append((votes.tied - n * tied)[:, None])
        return np.hstack(columns)

    def expected_slopes(self, votes: Votes) -> Floats:
        """Return the derivatives (k, q) of each row's expected score, in votes, with respect to the parameters."""
        won, tied, lost = self.chances(votes)
        n, gap = votes.total, won - lost
        columns = [_design(votes, self.ordered) * (n * (won + lost - gap**2) / 4)[:, None]]
        if self.tying:
            columns.append((-n * gap * tied / 2)[:, None])
        return np.hstack(columns)


def fit(votes: Votes) -> Fit:
    """Return the model fitted to votes on runs that are all on one scale (see `votes.places`).

    Raises Undefined, with the reason, if every vote is a tie, or if the likelihood has no maximum or none is found. The
    log-likelihood is concave; scipy maximises it by a trust-region method, and one Newton step refines the maximum to
    machine precision.
    """
    from scipy.optimize import minimize

    cells = votes.summed()
    if not (cells.won.any() or cells.lost.any()):
        raise Undefined("every vote is a tie")
    ordered, tying = _tells_order(cells), bool(cells.tied.any())
    if why := _unlimited(cells, ordered, tying):
        raise Undefined(why)
    of = _Likelihood(cells, _design(cells, ordered), tying)
    z = np.zeros(of.size)
    found = minimize(of.value, z, jac=of.slope, hess=of.bend, method="trust-exact", options={"gtol": _PRECISION})
    z = found.x - np.linalg.solve(of.bend(found.x), of.slope(found.x))
    if not np.abs(of.slope(z)).max() <= _PRECISION:
        raise Undefined("the strengths did not converge")
    order = float(z[cells.runs]) if ordered else 0.0
    ties = float(np.exp(z[-1])) if tying else 0.0
    spread = np.asarray(np.linalg.inv(of.bend(z)), dtype=np.float64) / of.cast
    return Fit(z[: cells.runs] - z[: cells.runs].mean(), ties, order, ordered, spread)


@dataclass(frozen=True, eq=False)
class _Likelihood:
    """The negative mean log-likelihood of the votes at parameters (size,): strengths, order effect, log of ties.

    A penalty, half the squared sum of the strengths, fixes their mean at 0 without changing any difference.
    """

    cells: Votes
    design: Floats
    tying: bool

    @property
    def size(self) -> int:
        return self.design.shape[1] + self.tying

    @property
    def cast(self) -> float:
        return float(self.cells.total.sum())

    @property
    def _pin(self) -> Floats:
        return np.asarray(np.arange(self.size) < self.cells.runs, dtype=np.float64)

    def _at(self, z: Floats) -> tuple[Floats, float]:
        return self.design @ z[: self.design.shape[1]], float(z[-1]) if self.tying else -np.inf

    def value(self, z: Floats) -> float:
        (d, log_ties), cells = self._at(z), self.cells
        scale = np.logaddexp(np.logaddexp(d / 2, -d / 2), log_ties)
        tied = cells.tied.sum() * log_ties if self.tying else 0.0
        found = ((cells.won - cells.lost) * d / 2 - cells.total * scale).sum() + tied
        return float((self._pin @ z) ** 2 / 2 - found / self.cast)

    def slope(self, z: Floats) -> Floats:
        """Return the gradient (size,)."""
        (d, log_ties), cells = self._at(z), self.cells
        won, tied, lost = _chances(d, np.exp(log_ties))
        by = self.design.T @ ((cells.won - cells.lost - cells.total * (won - lost)) / 2)
        if self.tying:
            by = np.append(by, (cells.tied - cells.total * tied).sum())
        return np.asarray((self._pin @ z) * self._pin - by / self.cast)

    def bend(self, z: Floats) -> Floats:
        """Return the Hessian (size, size)."""
        (d, log_ties), n = self._at(z), self.cells.total
        won, tied, lost = _chances(d, np.exp(log_ties))
        gap = won - lost
        made = np.zeros((self.size, self.size))
        q = self.design.shape[1]
        made[:q, :q] = self.design.T @ (self.design * (n * (won + lost - gap**2) / 4)[:, None])
        if self.tying:
            made[q, :q] = made[:q, q] = -self.design.T @ (n * gap * tied / 2)
            made[q, q] = (n * tied * (1 - tied)).sum()
        return np.asarray(made / self.cast + np.outer(self._pin, self._pin))


def _chances(d: Floats, ties: float) -> Floats:
    """(3, ...) probabilities of a win, a tie and a loss at differences d."""
    top = np.abs(d) / 2
    odds = np.stack([np.exp(d / 2 - top), ties * np.exp(-top), np.exp(-d / 2 - top)])
    return np.asarray(odds / odds.sum(axis=0))


def _design(votes: Votes, ordered: bool) -> Floats:
    """Return a design matrix (k, runs): 1 for the first run of a row of votes, -1 for the second, 0 for others.

    If `ordered`, one more column is `votes.shown`, the order in which the captions were shown.
    """
    rows = np.arange(len(votes.first))
    made = np.zeros((len(rows), votes.runs + ordered))
    made[rows, votes.first], made[rows, votes.second] = 1, -1
    if ordered:
        made[:, -1] = votes.shown
    return made


def _tells_order(cells: Votes) -> bool:
    """Whether presentation orders vary enough to separate their effect from the strengths."""
    if not cells.shown.any():
        return False
    both, alone = (_design(cells, ordered) for ordered in (True, False))
    rank = np.linalg.matrix_rank
    return bool(rank(both.T @ both) > rank(alone.T @ alone))


def _unlimited(cells: Votes, ordered: bool, tying: bool) -> str:
    """Return why the likelihood has no maximum, or "" if it has one.

    It has no maximum if some direction in parameter space makes some votes more likely and none less likely (Albert and
    Anderson 1984). A linear programme finds such a direction. Without ties and order effects, the likelihood of votes
    within one group always has a maximum. Raises Undefined if scipy cannot solve the linear programme.
    """
    from scipy.optimize import linprog

    if not (ordered or tying):
        return ""
    design = np.hstack([_design(cells, ordered), np.zeros((len(cells.first), 1))])
    log_ties = np.zeros((1, design.shape[1]))
    log_ties[0, -1] = 1
    gains = [
        design[(cells.won > 0)],
        -design[(cells.lost > 0)],
        *(sign * design[cast > 0] / 2 - log_ties for sign, cast in ((1, cells.won), (-1, cells.lost)) if tying),
        *(log_ties - sign * design[cells.tied > 0] / 2 for sign in (1, -1) if tying),
    ]
    rows = np.vstack(gains)
    done = linprog(
        -rows.sum(axis=0),
        A_ub=np.vstack([-rows, rows]),
        b_ub=np.concatenate([np.zeros(len(rows)), np.ones(len(rows))]),
        bounds=(None, None),
    )
    if done.x is None or done.fun is None:
        raise Undefined(f"scipy cannot determine whether the strengths are finite: {done.message}")
    if -done.fun < _ROUNDING:
        return ""
    if ordered and np.ptp(done.x[: cells.runs]) < _ROUNDING:
        return "captions shown in one position always win, whatever their run"
    return "the votes never contradict each other, so the strengths are infinite: more votes are needed"

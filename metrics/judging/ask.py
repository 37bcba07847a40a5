"""Questions to a judge, several at a time; each reply is cached as it arrives, so that a second call resumes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from data.judge_answers import Answer
from data.study import Study
from metrics.cache.disk import Cache
from metrics.judging import answers
from metrics.judging.endpoint import Client, Reply, Unanswered
from metrics.judging.questions import Ask, Question, checks, questions
from metrics.progress import Hooks, Unable

MOST_IN_A_ROW = 10
"""Number of consecutive failures after which no more questions are sent to a server."""


def ask(
    study: Study,
    asks: Sequence[Ask],
    client: Client,
    cache: Cache,
    repeats: int = 1,
    parallel: int = 4,
    hooks: Hooks | None = None,
) -> tuple[Answer, ...]:
    """Return the answers to all questions about a study; questions with cached replies are not sent again.

    An answer that is refused, unreadable or missing is NaN with its reason. Raises Unable if no question can be
    answered or MOST_IN_A_ROW fail in succession, and Cancelled if `hooks` request a stop; answers received before that
    are in the cache.
    """
    hooks, found = hooks or Hooks(), list[Answer]()
    for place, one in enumerate(asks):
        part = hooks.part(place / len(asks), (place + 1) / len(asks))
        halves = (part.part(0, 0.5), part.part(0.5, 1)) if one == "facts" else (part, part)
        made = answered(questions(study, one, repeats), client, cache, parallel, halves[0])
        if one == "facts":
            made += answered(checks(study, made, repeats), client, cache, parallel, halves[1])
        found += made
    return tuple(found)


def answered(
    every: Iterable[Question], client: Client, cache: Cache, parallel: int = 4, hooks: Hooks | None = None
) -> list[Answer]:
    """Return the answer to each question; equal prompts are sent once per repeat. Raises the same errors as `ask`."""
    asked = [(one, answers.key(client.endpoint, one.text, one.repeat)) for one in every]
    known: dict[str, Reply | str] = {}
    waiting: dict[str, Question] = {}
    for one, key in asked:
        if key not in known and key not in waiting:
            reply = answers.kept(cache, key)
            if reply is None:
                waiting[key] = one
            else:
                known[key] = reply
    _send(waiting, known, client, cache, parallel, hooks or Hooks())
    return [_answer(one, known[key], client) for one, key in asked]


def summary(answers: Sequence[Answer]) -> list[str]:
    """Return one line per prompt, with the number of answers, the number of unusable answers, and the reasons."""
    found = []
    for prompt in dict.fromkeys(one.prompt for one in answers):
        group = [one for one in answers if one.prompt == prompt]
        faults = Counter(one.fault for one in group if one.fault)
        why = "; ".join(f"{n:,}: {fault}" for fault, n in faults.most_common())
        found.append(f"{prompt}: {len(group):,} answers, {faults.total():,} unusable{f' ({why})' if why else ''}")
    return found


def _answer(question: Question, reply: Reply | str, client: Client) -> Answer:
    if isinstance(reply, str):
        return question.answer(client.endpoint, None, reply)
    return question.answer(client.endpoint, reply)


def _send(
    waiting: dict[str, Question],
    known: dict[str, Reply | str],
    client: Client,
    cache: Cache,
    parallel: int,
    hooks: Hooks,
) -> None:
    """Send the questions and store in `known` each reply, or the reason why there is no reply.

    Raises Unable after MOST_IN_A_ROW questions without a reply.
    """
    started, in_a_row, done = time.monotonic(), 0, 0
    left = iter(waiting.items())
    running: dict[Future[Reply], str] = {}
    pool = ThreadPoolExecutor(parallel)
    try:
        while True:
            while len(running) < parallel and (following := next(left, None)) is not None:
                key, question = following
                running[pool.submit(client.ask, question.text, question.repeat)] = key
            if not running:
                return
            for future in wait(running, timeout=1.0, return_when=FIRST_COMPLETED).done:
                key, done = running.pop(future), done + 1
                try:
                    known[key] = reply = future.result()
                except Unanswered as why:
                    known[key], in_a_row = str(why), in_a_row + 1
                else:
                    in_a_row = 0
                    answers.keep(cache, key, reply)
                if in_a_row == MOST_IN_A_ROW:
                    raise Unable(f"{in_a_row} questions in a row had no answer; the last: {known[key]}")
            hooks.check()
            rate = done / max(time.monotonic() - started, 1e-9)
            hooks.progress(f"{done:,} of {len(waiting):,} answers, {rate:.2g} per second")
            hooks.share(done / len(waiting))
    finally:
        if running:
            client.stop.set()
        pool.shutdown(wait=False, cancel_futures=True)

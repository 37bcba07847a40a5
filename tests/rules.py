"""Architecture rules: each takes a source and its path, a path alone, or all sources, and returns the violations.

`tests/test_architecture.py` tests each rule on made-up sources, then applies it to the tracked files.
"""

import ast
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import PurePosixPath
from typing import Any, TypeGuard, TypeVar

LAYERS = ("data", "metrics", "figures", "cli", "ui", "pages", "app")
DOOR = "metrics/__main__.py"  # `python -m metrics` starts the command line
STREAMLIT_AT = LAYERS.index("ui")
PLOTLY_AT = LAYERS.index("figures")
VIEWS = "figures/views/registry.py"
MAX_FILE, MAX_FUNCTION = 400, 60
HEAVY = {
    "torch",
    "sentence_transformers",
    "transformers",
    "umap",
    "pynndescent",
    "dask",
    "distributed",
    "pycocoevalcap",
}
UNSAFE_MODULES = {"pickle", "cPickle", "_pickle", "cloudpickle", "dill", "shelve", "marshal"}
UNSAFE_CALLS = {"eval", "exec"}
UNSAFE_ATTRIBUTES = {"read_pickle", "to_pickle"}

# Put together from halves, or this file would violate what it checks.
REGISTRIES = ["py" + "pi.org", "files.python" + "hosted.org", "download.py" + "torch.org", "index" + "-url"]
MACHINE_PATH = re.compile(r"(?<![\w.:/-])/(?:work|root|tmp|home|Users|private)/(?=\w)")
Node = TypeVar("Node", bound=ast.AST)
IMPORTS = (ast.Import, ast.ImportFrom, ast.Call)
BERT = re.compile(r"\bBERT\b")
CONFLICT = re.compile(r"(?:<{7}|>{7}|\|{7}) ")
SHORTEST = 40
"""The fewest characters of a body for which two equal functions are reported."""
UNFINISHED = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME)\b")


def _nodes(source: str, *kinds: type[Node]) -> Iterator[Node]:
    for kind in kinds:
        yield from nodes_by_kind(source).get(kind, ())


@cache
def nodes_by_kind(source: str) -> dict[type[ast.AST], list[Any]]:
    """Return the nodes of a file's tree by kind, since most rules read only a few kinds of the 1.8 million nodes."""
    nodes: dict[type[ast.AST], list[Any]] = {}
    for node in ast.walk(ast.parse(source)):
        nodes.setdefault(type(node), []).append(node)
    return nodes


def imported(source: str, path: str) -> Iterator[tuple[int, str]]:
    """Yield (line, dotted name) for every import, even inside functions and by calls such as `import_module`.

    `from a import b` yields both `a` and `a.b`, since b may be a module. Relative imports are resolved by `path`.
    """
    return _imports(_nodes(source, *IMPORTS), path)


def _imports(nodes: Iterable[ast.AST], path: str) -> Iterator[tuple[int, str]]:
    package = PurePosixPath(path).parent.parts
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join((*above, *((node.module,) if node.module else ())))
            yield node.lineno, base
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and _called(node) in {"import_module", "__import__", "importorskip"}:
            yield from ((node.lineno, str(arg.value)) for arg in node.args[:1] if _is_text(arg))


def import_direction(source: str, path: str) -> list[str]:
    """Return imports of a higher layer, of tests, benchmarks or tools, and of Streamlit or Plotly below their layer."""
    layer = _layer(path)
    if layer is None:
        return []
    limit = LAYERS.index("cli") if path == DOOR else layer
    found = []
    for line, name in imported(source, path):
        top = name.split(".")[0]
        if top in LAYERS and LAYERS.index(top) > limit:
            found.append(f"{path}:{line} imports {name}, which is above it")
        if top in {"tests", "benchmarks", "tools"}:
            found.append(f"{path}:{line} imports {name}")
        if top == "streamlit" and layer < STREAMLIT_AT:
            found.append(f"{path}:{line} imports {name}: Streamlit belongs to ui/, pages/ and app.py")
        if top == "plotly" and layer < PLOTLY_AT:
            found.append(f"{path}:{line} imports {name}: Plotly belongs to figures/ and above")
    return sorted(set(found))


def file_length(source: str, path: str) -> list[str]:
    lines = len(source.splitlines())
    more = f"{path} has {lines} lines, {MAX_FILE} are allowed: move a part that stands by itself to a new file"
    return [more] if lines > MAX_FILE else []


def function_length(source: str, path: str) -> list[str]:
    """Return the functions of more than 60 lines from `def` to their end; tests may be longer."""
    if path.startswith("tests/"):
        return []
    found = []
    for node in _nodes(source, ast.FunctionDef, ast.AsyncFunctionDef):
        lines = (node.end_lineno or node.lineno) - node.lineno + 1
        if lines > MAX_FUNCTION:
            found.append(f"{path}:{node.lineno} {node.name} has {lines} lines, {MAX_FUNCTION} are allowed")
    return found


def page_name(path: str) -> list[str]:
    """Return the page if it is named like a package, which it would shadow: Streamlit imports from the pages'
    folder.
    """
    file = PurePosixPath(path)
    taken = {*LAYERS, "tests", "benchmarks", "streamlit", "plotly", "pandas", "numpy"} | sys.stdlib_module_names
    if file.parts[0] == "pages" and file.stem != "__init__" and file.stem in taken:
        return [f"{path} is named like the package {file.stem}"]
    return []


def swallowed_errors(source: str, path: str) -> list[str]:
    """Return every bare except, every `except Exception` that does nothing, and every `suppress(Exception)`."""
    found = []
    for node in _nodes(source, ast.ExceptHandler, ast.Call):
        if isinstance(node, ast.ExceptHandler):
            if node.type is None:
                found.append(f"{path}:{node.lineno} bare except")
            elif _catches_all(node.type) and all(_does_nothing(statement) for statement in node.body):
                found.append(f"{path}:{node.lineno} an exception of any kind is swallowed")
        elif isinstance(node, ast.Call) and _called(node) == "suppress" and any(map(_catches_all, node.args)):
            found.append(f"{path}:{node.lineno} an exception of any kind is swallowed")
    return found


def unguarded_callbacks(source: str, path: str) -> list[str]:
    """Return callbacks of widgets without `errors.callback`: if they failed, Streamlit's own text would be shown."""
    if PurePosixPath(path).parts[0] not in {"ui", "pages"}:
        return []
    guarded = {
        node.name
        for node in _nodes(source, ast.FunctionDef)
        if "errors.callback" in map(ast.unparse, node.decorator_list)
    }
    return [
        f"{path}:{node.value.lineno} {node.arg}={ast.unparse(node.value)} is not an errors.callback"
        for node in _nodes(source, ast.keyword)
        if node.arg in {"on_click", "on_change"}
        and not isinstance(node.value, ast.Constant | ast.Call)
        and ast.unparse(node.value) not in guarded
    ]


def unwatched_children(source: str, path: str) -> list[str]:
    """Return the calls that start a process without a pipe as its input, so that it would outlive a killed parent."""
    if _layer(path) is None or path == "metrics/child_processes.py":
        return []
    return [
        f"{path}:{node.lineno} starts a process that does not end with this one: see metrics/child_processes.py"
        for node in _nodes(source, ast.Call)
        if ast.unparse(node.func).startswith(("subprocess.", "os.fork", "os.spawn", "os.posix_spawn", "os.system"))
        and not (_called(node) == "Popen" and "stdin=subprocess.PIPE" in map(ast.unparse, node.keywords))
    ]


def unsafe_code(source: str, path: str) -> list[str]:
    """Return every use of unpickling, of evaluated text, and of HTML that Streamlit is told not to escape."""
    found = [
        f"{path}:{line} imports {name}"
        for line, name in imported(source, path)
        if name in UNSAFE_MODULES or name in {"joblib.load", "torch.load"}
    ]
    for node in _nodes(source, ast.Call, ast.Attribute, ast.keyword):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in UNSAFE_CALLS:
            found.append(f"{path}:{node.lineno} calls {node.func.id}")
        elif isinstance(node, ast.Attribute) and (
            node.attr in UNSAFE_ATTRIBUTES
            or (node.attr == "load" and ast.unparse(node) in {"joblib.load", "torch.load"})
        ):
            found.append(f"{path}:{node.lineno} uses {node.attr}")
        elif (
            isinstance(node, ast.keyword) and node.arg in {"unsafe_allow_html", "allow_pickle"} and not _is_false(node)
        ):
            found.append(f"{path}:{node.value.lineno} sets {node.arg}")
    return found


def written_twice(sources: Mapping[str, str]) -> list[str]:
    """Return functions with the same parameters and body as an earlier function.

    Very short functions and those that use names of their own module are left out.
    """
    found, first = list[str](), dict[tuple[str, str], str]()
    for path, source in sources.items():
        lines = source.splitlines()
        for module in _nodes(source, ast.Module) if _layer(path) is not None else ():
            targets = [one for one in module.body if isinstance(one, ast.Assign | ast.AnnAssign | ast.AugAssign)]
            own = {name.id for one in targets for name in ast.walk(one) if isinstance(name, ast.Name)}
            own |= {getattr(one, "name", "") for one in module.body}
            for one in (one for one in module.body if isinstance(one, ast.FunctionDef)):
                told = one.body[1:] if ast.get_docstring(one, clean=False) is not None else one.body
                body = "\n".join(lines[told[0].lineno - 1 : one.end_lineno]) if told else ""
                if len(body) < SHORTEST or not own.isdisjoint(re.findall(r"\w+", body)):
                    continue
                where = f"{path}:{one.lineno} {one.name}"
                other = first.setdefault((ast.unparse(one.args), body), where)
                found += [f"{where} is also {other}"] if other != where else []
    return found


def foreign_text(text: str, path: str) -> list[str]:
    """Return lines with a path of one machine, a package registry, a conflict, or a note of unfinished work."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if MACHINE_PATH.search(line):
            found.append(f"{path}:{number} names a path of one machine")
        if any(registry in line for registry in REGISTRIES):
            found.append(f"{path}:{number} names a package registry")
        if CONFLICT.match(line):
            found.append(f"{path}:{number} is a conflict that nobody resolved")
        if UNFINISHED.search(line):
            found.append(f"{path}:{number} notes unfinished work")
    return found


def embeddings_named(text: str, path: str) -> list[str]:
    """Return the lines with "BERT" that mean neither BERTScore, nor the architecture, nor a name such as `trm_bert`."""
    of_the_architecture = path == "metrics/text/packed_bert.py"
    lines = () if of_the_architecture else enumerate(text.splitlines(), 1)
    return [f"{path}:{number} reads as BERTScore: name the encoder" for number, line in lines if BERT.search(line)]


def orphans(sources: Mapping[str, str]) -> list[str]:
    """Return the Python files that nothing imports.

    Programs, tests and packages need no importer. A page must be named in `ui/`, where pages are registered by file
    or by name, or in the list of views, which names their modules too. A module of the product needs an importer in the
    product: an import only in a test does not count.
    """
    product: set[str] = set()
    anywhere: set[str] = set()
    named_in_ui: set[str] = set()
    for path, source in sources.items():
        names = {name for _, name in imported(source, path) if name != _module(path)}
        anywhere |= names
        product |= names if _layer(path) is not None or path == "trilens.py" else set()
        if path.startswith("ui/") or path == VIEWS:
            texts = {str(node.value) for node in _nodes(source, ast.Constant) if _is_text(node)}
            named_in_ui |= texts
            product |= {f"figures.views.{text}" for text in texts if path == VIEWS}
    found = []
    for path in sources:
        file = PurePosixPath(path)
        if path == "app.py" or file.name in {"__init__.py", "__main__.py", "conftest.py"}:
            continue
        if file.name.startswith(("test_", "bench_")) and _layer(path) is None:
            continue
        users = product if _layer(path) is not None else anywhere
        used = {path, file.stem} & named_in_ui if file.parts[0] == "pages" else _module(path) in users
        if not used:
            found.append(f"{path} is used by nothing")
    return found


def heavy_starts(sources: Mapping[str, str]) -> list[str]:
    """Return the imports by which a page or the command line would load a heavy library at its start.

    Imports outside functions are followed through the tree from app.py, the pages and the programs.
    """
    waiting = [
        path for path in sources if path == "app.py" or path.startswith("pages/") or path.endswith("__main__.py")
    ]
    waiting = [path for path in waiting if _layer(path) is not None]
    seen, found = set(waiting), []
    while waiting:
        path = waiting.pop()
        for line, name in _imported_at_start(sources[path], path):
            if name.split(".")[0] in HEAVY:
                found.append(f"{path}:{line} imports {name.split('.')[0]} at the start; import it where it is used")
            folder = name.replace(".", "/")
            files = {f"{folder}.py", f"{folder}/__init__.py"} & (sources.keys() - seen)
            seen |= files
            waiting += files
    return sorted(set(found))


def circles(sources: Mapping[str, str]) -> list[str]:
    """Return files, and packages of one layer, that import each other, even if only in functions or for types.

    A package is a folder inside a layer, such as `metrics/text`, or a file beside such folders. The folders of
    `data/formats` are packages, too.
    """
    files = {_module(path).removesuffix(".__init__"): path for path in sources if _layer(path) is not None}
    uses = {name: _used(name, sources[path], path, files.keys()) for name, path in files.items()}
    packages: dict[str, set[str]] = {}
    for name, used in uses.items():
        others = {_package(other) for other in used if other.split(".")[0] == name.split(".")[0]}
        packages.setdefault(_package(name), set()).update(others - {_package(name)})
    return [f"{' and '.join(sorted(circle))} import each other" for circle in (*_circles(uses), *_circles(packages))]


def _used(name: str, source: str, path: str, files: Collection[str]) -> set[str]:
    """Return the other files that a file imports: `from a import b` counts as a.b if that is a file, else as a."""
    found = set()
    for node in _nodes(source, ast.Import, ast.ImportFrom):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            inside = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= inside & set(files)
            if not inside <= set(files):
                found.add(node.module)
    return (found & set(files)) - {name}


def _package(name: str) -> str:
    return ".".join(name.split(".")[: 3 if name.startswith("data.formats.") else 2])


def _circles(uses: Mapping[str, set[str]]) -> list[set[str]]:
    """Return the largest sets of names that all reach one another."""
    reach = {name: set(used) for name, used in uses.items()}
    changed = True
    while changed:
        changed = False
        for known in reach.values():
            more = set().union(*(reach.get(other, set()) for other in known)) - known
            if more:
                known |= more
                changed = True
    inside = [name for name in reach if name in reach[name]]
    found = {frozenset({other for other in inside if name in reach[other] and other in reach[name]}) for name in inside}
    return [set(circle) for circle in found if len(circle) > 1]


def undeclared(source: str, path: str, declared: set[str], ours: set[str]) -> list[str]:
    """Return imports of modules that no requirements file pins; `declared` and `ours` are top-level module names."""
    known = declared | ours | sys.stdlib_module_names
    return sorted(
        {
            f"{path}:{line} imports {name.split('.')[0]}, which no requirements file pins"
            for line, name in imported(source, path)
            if name.split(".")[0] not in known
        }
    )


def _imported_at_start(source: str, path: str) -> Iterator[tuple[int, str]]:
    later: set[ast.AST] = set()
    for node in _nodes(source, ast.FunctionDef, ast.AsyncFunctionDef, ast.If):
        if _runs_later(node):
            later |= {inner for statement in node.body for inner in ast.walk(statement)}
    return _imports((node for node in _nodes(source, *IMPORTS) if node not in later), path)


def _runs_later(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.If) -> bool:
    return not isinstance(node, ast.If) or ast.unparse(node.test).endswith("TYPE_CHECKING")


def _layer(path: str) -> int | None:
    top = PurePosixPath(path).parts[0].removesuffix(".py")
    return LAYERS.index(top) if top in LAYERS else None


def _module(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _is_text(node: ast.AST) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_false(keyword: ast.keyword) -> bool:
    return isinstance(keyword.value, ast.Constant) and keyword.value.value is False


def _catches_all(node: ast.expr) -> bool:
    kinds = node.elts if isinstance(node, ast.Tuple) else [node]
    return any(isinstance(kind, ast.Name) and kind.id in {"Exception", "BaseException"} for kind in kinds)


def _does_nothing(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass | ast.Continue) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )

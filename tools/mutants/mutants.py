#!/usr/bin/env python3
"""Says which of sixty small faults the integration tests on SQLite catch.

The faults (mutants) are drawn once, by a seed, from what `cargo mutants --list` offers for the crates that hold the rules, and stand in
table.json. Each becomes a second body of its function behind a switch, so that one build serves all of them. The patched tree lies
below the build folder; the clone itself is never changed.

A first run of all tests on SQLite notes which mutants each of them reaches, because threads and programs of a test have its name. Then
each mutant is switched on for the tests that reach it, some at a time, until one fails: first those of `make test`, then, with `--write`,
those that only `make test-all` runs. `--check` fails if a mutant that the table calls caught is not caught any more, or if the functions of
many have changed; `--write` stores what was found in the table. Unit tests are not asked.
"""

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
TABLE = Path(__file__).with_name("table.json")
FETCHED = ROOT / "tools" / "test-parts" / "fetched"
SEED = 20261119
COUNT = 60
# More than are needed, because some do not compile: a constant function cannot ask a switch, and some values have no default.
CANDIDATES = 170
PACKAGES = ["app", "web", "api_v1", "api_v2", "store"]
# What only the generated documents, logs and proofs of other crates call says nothing about the rules.
LEFT_OUT = re.compile(r"OpenApi|RefOr<|Schema|IntoParams|impl (Debug|Display|Drop)|/tests/|/tests\.rs|_tests\.rs|proptest")
# A mutant that nobody notices is tried with all tests that reach it; one that many reach, with so many at a time.
TESTS_AT_A_TIME = 40
# Of the tests that only `make test-all` runs, no more are tried: those that reach a mutant can be all.
MOST_BEYOND = 200
# A mutant may make a loop endless.
PATIENCE_S = 240

SWITCH = """
//! The switches of `tools/mutants`; no committed code calls them.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::sync::OnceLock;
use std::thread;

thread_local! {
    static REACHED: RefCell<[bool; 256]> = const { RefCell::new([false; 256]) };
}

pub fn is_on(mutant: u8) -> bool {
    static ON: OnceLock<Option<u8>> = OnceLock::new();
    static NOTES: OnceLock<Option<OsString>> = OnceLock::new();
    if let Some(path) = NOTES.get_or_init(|| std::env::var_os("KEEPCLEAR_MUTANTS_REACHED"))
        && !REACHED.with_borrow_mut(|reached| std::mem::replace(&mut reached[usize::from(mutant)], true))
    {
        let test = std::env::var("KEEPCLEAR_MUTANTS_TEST").ok().or(thread::current().name().map(str::to_owned));
        let line = format!("{mutant} {}\\n", test.as_deref().unwrap_or("?"));
        File::options().create(true).append(true).open(path).unwrap().write_all(line.as_bytes()).unwrap();
    }
    *ON.get_or_init(|| std::env::var("KEEPCLEAR_MUTANT").ok()?.parse().ok()) == Some(mutant)
}
"""


def listed(tree):
    """All mutants of the tree that can be drawn, each with a name that does not depend on lines."""
    program = os.environ["CARGO_MUTANTS"]
    packages = [word for package in PACKAGES for word in ("--package", package)]
    output = subprocess.run([program, "mutants", "--list", "--json", *packages], cwd=tree, check=True, capture_output=True, text=True)
    mutants, seen = [], {}
    for mutant in json.loads(output.stdout):
        function = mutant.get("function")
        what = re.sub(r"^[^:]+:\d+:\d+: ", "", mutant["name"])
        if not function or LEFT_OUT.search(f"{what} {mutant['file']} {function['return_type']}"):
            continue
        # The same change can be made several times in one function.
        name = f"{mutant['file']}: {what}"
        seen[name] = seen.get(name, 0) + 1
        mutants.append(mutant | {"name": name if seen[name] == 1 else f"{name} ({seen[name]})"})
    return mutants


def offset(text, place):
    """The index of a place, of which line and column (in characters) begin at 1."""
    start = 0
    for _ in range(place["line"] - 1):
        start = text.index("\n", start) + 1
    return start + place["column"] - 1


TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|b?r(?P<hashes>\#*)".*?"(?P=hashes)|b?"(?:\\.|[^"\\])*"|b?'(?:\\(?:x..|u\{[^}]*\}|.)|[^'\\])'|[{}]""",
    re.DOTALL,
)


def body_start(text, start, end):
    """The index after the brace that opens the body of the function which ends at `end`."""
    open_braces = []
    for token in TOKEN.finditer(text, start, end):
        if token.group() == "{":
            open_braces.append(token.end())
        elif token.group() == "}":
            opened = open_braces.pop()
            if token.end() == end:
                return opened
    raise ValueError("the function has no body")


def patch(tree, mutants):
    """Writes the mutated bodies into the tree, and returns the lines of each: (file, first line, last line, number)."""
    by_function = {}
    for number, mutant in mutants.items():
        place = mutant["function"]["span"]
        by_function.setdefault((mutant["file"], place["start"]["line"], place["start"]["column"]), []).append((number, mutant))
    places = []
    for file in sorted({file for file, _, _ in by_function}):
        path = tree / file
        text = path.read_text()
        # From the end of the file, so that places before it stay where they are.
        for key in sorted((key for key in by_function if key[0] == file), reverse=True):
            span = by_function[key][0][1]["function"]["span"]
            start, end = offset(text, span["start"]), offset(text, span["end"])
            opened = body_start(text, start, end)
            body = text[opened : end - 1]
            written = "\n"
            for number, mutant in by_function[key]:
                first, last = (offset(text, mutant["span"][side]) - opened for side in ("start", "end"))
                changed = body[:first] + mutant["replacement"] + body[last:]
                written += f"if domain::mutants::is_on({number}) {{ /*<{number}>*/\n{changed}\n/*</{number}>*/ }} else "
            text = f"{text[:opened]}{written}{{\n{body}\n}}\n{text[end - 1 :]}"
        path.write_text(text)
        lines, begun = text.split("\n"), {}
        for index, line in enumerate(lines, 1):
            for number in re.findall(r"/\*<(\d+)>\*/", line):
                begun[int(number)] = index
            for number in re.findall(r"/\*</(\d+)>\*/", line):
                places.append((file, begun[int(number)], index, int(number)))
    library = tree / "crates/domain/src/lib.rs"
    library.write_text(library.read_text() + "\n#[allow(missing_docs, clippy::all)]\npub mod mutants;\n")
    (tree / "crates/domain/src/mutants.rs").write_text(SWITCH.lstrip())
    name = 'std::thread::current().name().unwrap_or("?")'
    for file, known, named in [
        ("src/lib.rs", "Builder::new_multi_thread()", f"Builder::new_multi_thread().thread_name({name})"),
        ("src/process.rs", "Command::new(program);", f'Command::new(program);\n    command.env("KEEPCLEAR_MUTANTS_TEST", {name});'),
        ("tests/it/edge/transport.rs", "Command::new(program())", f'Command::new(program()).env("KEEPCLEAR_MUTANTS_TEST", {name})'),
        ("tests/it/command_line/mod.rs", "Command::new(program())", f'Command::new(program()).env("KEEPCLEAR_MUTANTS_TEST", {name})'),
    ]:
        path = tree / "crates/testkit" / file
        if path.read_text().count(known) != 1:
            sys.exit(f"{path.relative_to(tree)} starts threads or programs otherwise than these lines know.")
        path.write_text(path.read_text().replace(known, named))
    return places


def fresh_tree(folder, revision):
    tree = folder / "tree"
    if tree.exists():
        shutil.rmtree(tree)
    tree.mkdir(parents=True)
    archive = subprocess.run(["git", "archive", revision], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", tree], input=archive, check=True)
    return tree


def cargo(tree, command, *words, **options):
    """Runs a command of cargo for the whole workspace, so that it uses the dependencies that the tests have built."""
    environment = os.environ | {"CARGO_TARGET_DIR": str(TARGET), "CARGO_INCREMENTAL": "0"}
    words = [os.environ.get("CARGO", "cargo"), command, "--workspace", "--locked", "--message-format=json", *words]
    return subprocess.run(words, cwd=tree, env=environment, **options)


def unviable(tree, places):
    """The mutants that do not compile."""
    output = cargo(tree, "check", "--quiet", capture_output=True, text=True)
    if output.returncode == 0:
        return set()
    found, other = set(), []
    for line in output.stdout.splitlines():
        message = json.loads(line).get("message")
        if not isinstance(message, dict) or message.get("level") != "error":
            continue
        spots = {number for spot in spots_of(message) for file, first, last, number in places
                 if spot["file_name"].endswith(file) and first <= spot["line_end"] and spot["line_start"] <= last}
        if spots:
            found |= spots
        elif message["spans"]:
            other.append(message["rendered"])
    if not found:
        sys.exit("The patched tree does not compile:\n" + "\n".join(other)[:4000] + output.stderr[-2000:])
    return found


def spots_of(message):
    for span in message["spans"]:
        while span:
            yield span
            span = (span.get("expansion") or {}).get("span")
    for child in message.get("children", []):
        yield from spots_of(child)


def draw(folder, revision):
    """Draws what the table shall hold, and leaves out what does not compile."""
    candidates = random.Random(SEED).sample(listed(fresh_tree(folder, revision)), CANDIDATES)
    chosen = dict(enumerate(candidates, 1))
    while True:
        tree = fresh_tree(folder, revision)
        bad = unviable(tree, patch(tree, chosen))
        print(f"{len(chosen)} candidates, of which {len(bad)} do not compile", flush=True)
        if not bad:
            break
        chosen = {number: mutant for number, mutant in chosen.items() if number not in bad}
    return [{"mutant": mutant["name"]} for mutant in list(chosen.values())[:COUNT]]


def test_program(tree):
    output = cargo(tree, "test", "--test", "it", "--no-run", check=True, stdout=subprocess.PIPE, text=True)
    for line in output.stdout.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["target"]["name"] == "it":
            return message["executable"]
    sys.exit("cargo built no integration tests")


def names_of_tests(program, tree):
    """The tests on SQLite that `make test` runs, and those that only `make test-all` runs."""
    output = subprocess.run([program, "--list", "--format", "terse"], cwd=tree / "crates/testkit", check=True, capture_output=True, text=True)
    ignored = subprocess.run([program, "--list", "--ignored", "--format", "terse"], cwd=tree / "crates/testkit", check=True,
                             capture_output=True, text=True)
    names = lambda text: {line.removesuffix(": test") for line in text.splitlines() if line.endswith(": test")}
    fetched = [line for line in FETCHED.read_text().splitlines() if not line.startswith("#")]
    on_sqlite = {name for name in names(output.stdout) - names(ignored.stdout) if "::postgres::" not in name}
    slow = {name for name in on_sqlite if any(re.match(line, name) for line in fetched)}
    return on_sqlite - slow, slow


def run_tests(program, tree, tests, **variables):
    """Runs the tests and returns those that failed. A process that ends without its summary, or too late, fails all that had not passed."""
    words = [program, "--exact", "--test-threads", str(2 * (os.cpu_count() or 1) + 1), *tests]
    limit = None if "KEEPCLEAR_MUTANTS_REACHED" in variables else PATIENCE_S
    process = subprocess.Popen(words, cwd=tree / "crates/testkit", env=os.environ | variables, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, errors="replace", start_new_session=True)
    try:
        output, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        # And what the tests have started.
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
    passed = set(re.findall(r"^test (\S+) \.\.\. ok$", output, re.MULTILINE))
    failed = set(re.findall(r"^test (\S+) \.\.\. FAILED$", output, re.MULTILINE))
    return sorted(failed) if "test result:" in output else sorted(set(tests) - passed)


def reached(program, tree, tests):
    """Which tests reach each mutant. One that a thread without the name of a test reaches may be reached by all. A test that fails without
    any mutant is named and left out."""
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder) / "notes"
        broken = run_tests(program, tree, tests, KEEPCLEAR_MUTANTS_REACHED=str(notes))
        lines = notes.read_text().splitlines()
    known, by_mutant = set(tests), {}
    for number, name in (line.split(" ", 1) for line in lines):
        by_mutant.setdefault(int(number), set()).add(name)
    every = known - set(broken)
    return {number: every & names if names <= known else every for number, names in by_mutant.items()}, broken


def caught_by(program, tree, number, tests, most=None):
    """The tests that fail with the mutant, among the first of those that reach it of which one does."""
    order = sorted(tests)
    random.Random(number).shuffle(order)
    for start in range(0, len(order[:most]), TESTS_AT_A_TIME):
        failed = run_tests(program, tree, order[start : start + TESTS_AT_A_TIME], KEEPCLEAR_MUTANT=str(number))
        if failed:
            return failed
    return []


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--draw", action="store_true", help="draw the mutants anew, and store them in the table")
    arguments.add_argument("--revision", default="HEAD", help="the commit that is mutated")
    arguments.add_argument("--only", type=int, nargs="*", help="numbers of mutants, instead of all")
    arguments.add_argument("--missing", action="store_true", help="those of which the table says nothing yet, instead of all")
    arguments.add_argument("--write", action="store_true", help="store what is found in the table")
    arguments.add_argument("--check", action="store_true", help="fail if a mutant that was caught is not caught any more")
    given = arguments.parse_args()
    folder = TARGET / "mutants"
    folder.mkdir(parents=True, exist_ok=True)

    if given.draw:
        TABLE.write_text(json.dumps(draw(folder, given.revision), indent=1) + "\n")
        return
    table = json.loads(TABLE.read_text())
    wanted = {number for number, row in enumerate(table, 1)
              if (not given.only or number in given.only) and not (given.missing and "caught_by" in row)}
    if given.check and not any("caught_by" in row for row in table):
        sys.exit("table.json does not say yet what is caught; run this with --write before tests are cut")
    tree = fresh_tree(folder, given.revision)
    by_name = {mutant["name"]: mutant for mutant in listed(tree)}
    chosen = {number: by_name[row["mutant"]] for number, row in enumerate(table, 1)
              if row["mutant"] in by_name and number in wanted}
    gone = [number for number in sorted(wanted) if table[number - 1]["mutant"] not in by_name]
    for number in gone:
        print(f"{number} is gone, because its function has changed: {table[number - 1]['mutant']}")
    bad = unviable(tree, patch(tree, chosen))
    if bad:
        sys.exit(f"These mutants do not compile any more, draw others in their place: {sorted(bad)}")
    program = test_program(tree)
    quick, slow = names_of_tests(program, tree)
    by_mutant, broken = reached(program, tree, sorted(quick | slow if given.write else quick))
    for name in broken:
        print(f"left out, because it fails without any mutant: {name}")
    lost = []
    for number in chosen:
        row = table[number - 1]
        tests = by_mutant.get(number, set())
        found = caught_by(program, tree, number, tests & quick)
        beyond = [] if found else caught_by(program, tree, number, tests & slow, MOST_BEYOND)
        by = f"caught by {found[0]}" if found else f"caught only by {beyond[0]}" if beyond else "NOT CAUGHT"
        print(f"{number}: reached by {len(tests)}, {by}: {row['mutant']}", flush=True)
        if row.get("caught_by") and not found:
            lost.append(number)
        if given.write:
            row["reached_by"], row["caught_by"], row["caught_beyond_make_test_by"] = len(tests), found[:5], beyond[:5]
            TABLE.write_text(json.dumps(table, indent=1) + "\n")
    if given.check and lost:
        sys.exit(f"not caught any more: {lost}")
    if given.check and len(gone) > len(table) // 5:
        sys.exit(f"{len(gone)} mutants are gone; draw others in their place, and store what catches them before more tests are cut")


main()

"""Questions over incursions, beside DuckDB on the same rows.

The rows are made by `crates/cube/examples/insights` and saved as the cube saves its parts, Arrow IPC files, which DuckDB loads
into a table of its own. Both then answer the same questions in turns, and their answers are compared, number by number.
"""

import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
REQUIREMENTS = HERE / "insights-requirements.txt"
FIXED = 8
GOAL_EACH, GOAL_MEAN, GOAL_MEDIAN = 5, 15, 8


def ensure_venv(cache):
    """A virtual environment with the peer, made once."""
    venv, wanted = cache / "venv-insights", REQUIREMENTS.read_text()
    installed = venv / "installed.txt"
    if not installed.exists() or installed.read_text() != wanted:
        shutil.rmtree(venv, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([venv / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS], check=True)
        installed.write_text(wanted)
    return venv


class Cube:
    """The example program, answering line by line."""

    def __init__(self, program, folder):
        self.process = subprocess.Popen([program, "serve", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.about = json.loads(self.line())
        self.questions = [self.line().split("\t") for _ in range(int(self.line()))]

    def line(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit("the cube's side has ended")
        return line.rstrip("\n")

    def ask(self, words):
        self.process.stdin.write(f"{words}\n")
        self.process.stdin.flush()
        return self.line()

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def load(folder):
    """A native table of DuckDB, in the narrowest types that hold the rows, in order of time."""
    import duckdb
    import pyarrow
    import pyarrow.ipc

    connection = duckdb.connect()
    files = sorted(folder.glob("*.arrow"))
    for place, file in enumerate(files):
        with pyarrow.memory_map(str(file)) as source:
            part = pyarrow.ipc.open_file(source).read_all()
        part = pyarrow.table({name: column.combine_chunks().dictionary_decode() if pyarrow.types.is_dictionary(column.type) else column for name, column in zip(part.column_names, part.columns)})
        columns = (
            "started_at::timestamp as started_at, id, length::uinteger as length, waited_ms::uinteger as waited_ms, zone::utinyint as zone,"
            " review::utinyint as review, local_day, local_minute::usmallint as local_minute, project_id::usmallint as project_id,"
            " worksite_id::usmallint as worksite_id, machine_id::usmallint as machine_id, base_station_id::usmallint as base_station_id,"
            " pedestrian_id::usmallint as pedestrian_id, operator_id::usmallint as operator_id, tag_id::usmallint as tag_id, cell"
        )
        connection.register("part", part)
        make = "create table incursions as" if place == 0 else "insert into incursions"
        connection.execute(f"{make} select {columns} from part")
        connection.unregister("part")
    return connection


def ours(path, is_cut):
    """The groups of an answer, in order if some were left off."""
    groups = []
    number = lambda text: int(text) if text else None
    for line in open(path):
        keys, figures = line.rstrip("\n").split("|")
        groups.append((tuple(number(key) for key in keys.split(",")[1:-1]), tuple(number(figure) for figure in figures.split(",")[1:])))
    return groups if is_cut else sorted(groups, key=repr)


def theirs(table, sql):
    keys = [name for name in table.column_names if name.startswith("k")]
    figures = [name for name in table.column_names if name[0] in "nd"]
    has_sets = "g" in table.column_names
    groups = []
    for row in table.to_pylist():
        own = keys
        if has_sets:
            # A bit for each dimension that is summed over; those are the last ones.
            own = keys[: len(keys) - bin(row["g"]).count("1")]
        groups.append((tuple(row[key] for key in own), tuple(row[figure] for figure in figures)))
    return groups if " limit " in sql else sorted(groups, key=repr)


def measure(program, folder, rounds):
    """Both sides in turns, the best of some rounds each, warm."""
    cube = Cube(program, folder)
    connection = load(pathlib.Path(folder))
    results = []
    with tempfile.TemporaryDirectory() as scratch:
        for number, (name, sql) in enumerate(cube.questions):
            table = connection.sql(sql).to_arrow_table()
            times = {"cube": [], "duckdb": []}
            for _ in range(rounds):
                times["cube"].append(float(cube.ask(str(number))))
                began = time.perf_counter()
                connection.sql(sql).to_arrow_table()
                times["duckdb"].append((time.perf_counter() - began) * 1e3)
            # Compared now, when the columns have found whatever shorter ways there are.
            answer = f"{scratch}/answer"
            cube.ask(f"answer {number} {answer}")
            is_equal = ours(answer, " limit " in sql) == theirs(table, sql)
            best = {side: min(values) for side, values in times.items()}
            results.append({"name": name, "groups": table.num_rows, "is_equal": is_equal, "slowest": max(times["cube"]), **best})
            print(f"{name}: {best['cube']:.2f} ms, {best['duckdb']:.1f} ms, {best['duckdb'] / best['cube']:.1f} times, {table.num_rows} groups, {'equal' if is_equal else 'DIFFERENT'}", file=sys.stderr)
    cube.about["bytes"] = int(cube.ask("bytes"))
    applied = json.loads(cube.ask("apply"))
    cube.stop()
    return {"about": cube.about, "results": results, "applied": applied}


def rows(example, cache, count, rounds):
    """The rows of the results."""
    venv = ensure_venv(cache)
    folder = cache / f"insights-{count}"
    if not (folder / "outline").exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([example, "make", str(count), "365", folder], check=True)
    measured = json.loads(subprocess.run([venv / "bin" / "python", __file__, example, folder, str(rounds)], check=True, stdout=subprocess.PIPE, text=True).stdout)
    results, about, applied = measured["results"], measured["about"], measured["applied"]
    if different := [one["name"] for one in results if not one["is_equal"]]:
        sys.exit(f"the sides answer differently: {different}")
    ratio = lambda one: one["duckdb"] / one["cube"]
    fixed, generated = results[:FIXED], results[FIXED:]
    table = [
        (one["name"], f"{one['cube']:.1f} ms", f"{ratio(one):.1f} times as fast as DuckDB's {one['duckdb']:,.0f} ms; {one['slowest']:.0f} ms at worst", f"at least {GOAL_EACH} times")
        for one in fixed
    ]
    mean = statistics.geometric_mean(ratio(one) for one in fixed[:6])
    ratios = sorted(ratio(one) for one in generated)
    table += [
        ("geometric mean of the first six", f"{mean:.1f} times", "", f"at least {GOAL_MEAN} times"),
        (f"{len(generated)} generated questions, median", f"{statistics.median(ratios):.1f} times", f"from {ratios[0]:.1f} to {ratios[-1]:.0f} times", f"at least {GOAL_MEDIAN} times"),
        ("memory of a row, all in", f"{about['bytes'] / about['rows']:.1f} bytes", f"{about['rows']:,} rows", "at most 64 bytes"),
        ("opened, and all parts read", f"{about['opened_ms']:.0f} ms, {about['loaded_ms'] / 1e3:.1f} s", "", ""),
        ("5,000 new rows in order", f"{applied['in_order'][0]:.2f} ms", f"at most {applied['in_order'][1]:.2f} ms", ""),
        ("5,000 late rows from all over the year", f"{applied['late'][0]:.2f} ms", f"at most {applied['late'][1]:.2f} ms", ""),
        ("one row changed", f"{applied['one'][0]:.3f} ms", f"at most {applied['one'][1]:.3f} ms", ""),
    ]
    windows = {}
    for history, days in ((10_000_000, 37), (100_000_000, 370)):
        out = subprocess.run([example, "window", str(history), str(days)], check=True, stdout=subprocess.PIPE, text=True).stdout
        windows[history] = json.loads(out)
    short, long = windows[10_000_000], windows[100_000_000]
    table.append((
        "30-day window, 100 M rows of history", f"{long['ms']:.1f} ms",
        f"{long['ms'] / short['ms']:.2f} of the {short['ms']:.1f} ms with 10 M", "at most 1.2",
    ))
    return table


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], sys.argv[2], int(sys.argv[3]))))

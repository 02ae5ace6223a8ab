"""Compare queries over incursions with DuckDB on the same rows.

`crates/cube/examples/insights` generates the rows and saves them as files of the cube. DuckDB loads them into a native table.
Both answer the same questions alternately, and each number of their answers is compared.
"""

import json
import pathlib
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

from servers import ExampleProgram

HERE = pathlib.Path(__file__).resolve().parent
REQUIREMENTS = HERE / "insights-requirements.txt"
# The first questions are fixed; the others are generated.
FIXED_QUESTIONS = 8
GOAL_EACH, GOAL_MEAN, GOAL_MEDIAN = 5, 15, 8


def ensure_venv(cache):
    """Return the virtual environment with DuckDB. It is created on the first call and when the requirements change."""
    venv, requirements = cache / "venv-insights", REQUIREMENTS.read_text()
    installed = venv / "installed.txt"
    if not installed.exists() or installed.read_text() != requirements:
        shutil.rmtree(venv, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([venv / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS], check=True)
        installed.write_text(requirements)
    return venv


def read_part(file):
    """Return the rows of a part, whose format is described in `crates/cube/src/file/part.rs` and `layout.rs`."""
    import pyarrow
    import pyarrow.compute

    types = {1: pyarrow.uint8(), 2: pyarrow.uint16(), 3: pyarrow.uint32(), 4: pyarrow.int32(), 5: pyarrow.int64()}
    fill_up = lambda length: -(-length // 64) * 64
    part = pyarrow.py_buffer(file.read_bytes())
    magic, version, count = struct.unpack_from("<8sII", part)
    if (magic, version) != (b"KEEPPART", 3):
        raise ValueError(f"{file} is no part of this version")
    at, columns = fill_up(64 + 24 * count), []
    for number in range(count):
        kind, length = struct.unpack_from("<IQ", part, 64 + 24 * number + 4)
        size = types[kind].bit_width // 8
        columns.append(pyarrow.Array.from_buffers(types[kind], length // size, [None, part.slice(at, length)]))
        at += fill_up(length)

    def present(lengths):
        none = -(2**63) if lengths.type == pyarrow.int64() else 2**32 - 1
        return pyarrow.compute.if_else(pyarrow.compute.equal(lengths, none), pyarrow.scalar(None, lengths.type), lengths)

    started_at, ids, lengths, waits, zones_and_reviews, days, minutes = columns[:7]
    table = {
        "started_at": started_at.cast(pyarrow.timestamp("us", "UTC")), "id": ids, "length": present(lengths), "waited_ms": present(waits),
        "zone_and_review": zones_and_reviews, "local_day": days.cast(pyarrow.date32()), "local_minute": minutes,
    }
    links = ["project_id", "worksite_id", "machine_id", "base_station_id", "pedestrian_id", "operator_id", "tag_id", "cell"]
    for name, places, own in zip(links, columns[7::2], columns[8::2]):
        # The place after the last id is that of none.
        table[name] = pyarrow.concat_arrays([own, pyarrow.nulls(1, own.type)]).take(places)
    return pyarrow.table(table)


def load_into_duckdb(folder):
    """Load the rows into a native table of DuckDB, in order of time, with the narrowest types that hold them."""
    import duckdb

    connection = duckdb.connect()
    files = sorted(folder.glob("*.part"))
    for number, file in enumerate(files):
        part = read_part(file)
        columns = (
            "started_at::timestamp as started_at, id, length::uinteger as length, waited_ms::uinteger as waited_ms, (zone_and_review & 1)::utinyint as zone,"
            " (zone_and_review >> 2)::utinyint as review, local_day, local_minute::usmallint as local_minute, project_id::usmallint as project_id,"
            " worksite_id::usmallint as worksite_id, machine_id::usmallint as machine_id, base_station_id::usmallint as base_station_id,"
            " pedestrian_id::usmallint as pedestrian_id, operator_id::usmallint as operator_id, tag_id::usmallint as tag_id, cell"
        )
        connection.register("part", part)
        statement = "create table incursions as" if number == 0 else "insert into incursions"
        connection.execute(f"{statement} select {columns} from part")
        connection.unregister("part")
    return connection


def cube_groups(path, is_limited):
    """Return the groups of an answer of the cube, in its order if the question has a limit, and sorted otherwise."""
    groups = []
    parse = lambda text: int(text) if text else None
    for line in open(path):
        keys, figures = line.rstrip("\n").split("|")
        groups.append((tuple(parse(key) for key in keys.split(",")[1:-1]), tuple(parse(figure) for figure in figures.split(",")[1:])))
    return groups if is_limited else sorted(groups, key=repr)


def duckdb_groups(table, sql):
    keys = [name for name in table.column_names if name.startswith("k")]
    figures = [name for name in table.column_names if name[0] in "nd"]
    has_grouping_sets = "g" in table.column_names
    groups = []
    for row in table.to_pylist():
        row_keys = keys
        if has_grouping_sets:
            # `g` has a bit for each dimension that is summed over. Those are the last ones.
            row_keys = keys[: len(keys) - bin(row["g"]).count("1")]
        groups.append((tuple(row[key] for key in row_keys), tuple(row[figure] for figure in figures)))
    return groups if " limit " in sql else sorted(groups, key=repr)


def measure(program, folder, rounds):
    """Measure both sides alternately, and keep the best of the rounds. Both are warm."""
    cube = ExampleProgram([program, "serve", folder])
    connection = load_into_duckdb(pathlib.Path(folder))
    results = []
    with tempfile.TemporaryDirectory() as scratch:
        for number, question in enumerate(cube.questions):
            name, sql = question.split("\t")
            table = connection.sql(sql).to_arrow_table()
            times = {"cube": [], "duckdb": []}
            for _ in range(rounds):
                times["cube"].append(cube.measure_ms(str(number)))
                started_at = time.perf_counter()
                connection.sql(sql).to_arrow_table()
                times["duckdb"].append((time.perf_counter() - started_at) * 1e3)
            # The answers are compared after the rounds, when the indexes that the columns build on repetition are in use.
            answer = f"{scratch}/answer"
            cube.send(f"answer {number} {answer}")
            is_equal = cube_groups(answer, " limit " in sql) == duckdb_groups(table, sql)
            best = {side: min(values) for side, values in times.items()}
            results.append({"name": name, "groups": table.num_rows, "is_equal": is_equal, "slowest": max(times["cube"]), **best})
            print(f"{name}: {best['cube']:.2f} ms, {best['duckdb']:.1f} ms, {best['duckdb'] / best['cube']:.1f} times, {table.num_rows} groups, {'equal' if is_equal else 'DIFFERENT'}", file=sys.stderr)
    cube.summary["bytes"] = int(cube.send("bytes"))
    applied = json.loads(cube.send("apply"))
    cube.stop()
    return {"summary": cube.summary, "results": results, "applied": applied}


def rows(example, cache, count, rounds):
    """Return the rows of this part of the results."""
    venv = ensure_venv(cache)
    folder = cache / f"insights-{count}-3"
    if not (folder / "outline").exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([example, "make", str(count), "365", folder], check=True)
    measured = json.loads(subprocess.run([venv / "bin" / "python", __file__, example, folder, str(rounds)], check=True, stdout=subprocess.PIPE, text=True).stdout)
    results, summary, applied = measured["results"], measured["summary"], measured["applied"]
    if different := [result["name"] for result in results if not result["is_equal"]]:
        sys.exit(f"The answers of the cube and DuckDB differ: {different}")
    ratio = lambda result: result["duckdb"] / result["cube"]
    fixed, generated = results[:FIXED_QUESTIONS], results[FIXED_QUESTIONS:]
    table = [
        (result["name"], f"{result['cube']:.1f} ms", f"{ratio(result):.1f} times as fast as DuckDB's {result['duckdb']:,.0f} ms; {result['slowest']:.0f} ms at worst", f"at least {GOAL_EACH} times")
        for result in fixed
    ]
    mean = statistics.geometric_mean(ratio(result) for result in fixed[:6])
    ratios = sorted(ratio(result) for result in generated)
    table += [
        ("geometric mean of the first six", f"{mean:.1f} times", "", f"at least {GOAL_MEAN} times"),
        (f"{len(generated)} generated questions, median", f"{statistics.median(ratios):.1f} times", f"from {ratios[0]:.1f} to {ratios[-1]:.0f} times", f"at least {GOAL_MEDIAN} times"),
        ("memory per row, in total", f"{summary['bytes'] / summary['rows']:.1f} bytes", f"{summary['rows']:,} rows", "at most 64 bytes"),
        ("opening, and reading all parts", f"{summary['opened_ms']:.0f} ms, {summary['loaded_ms'] / 1e3:.1f} s", "", ""),
        ("5,000 new rows in order", f"{applied['in_order'][0]:.2f} ms", f"at most {applied['in_order'][1]:.2f} ms", ""),
        ("5,000 late rows from all over the year", f"{applied['late'][0]:.2f} ms", f"at most {applied['late'][1]:.2f} ms", ""),
        ("one row changed", f"{applied['one'][0]:.3f} ms", f"at most {applied['one'][1]:.3f} ms", ""),
    ]
    windows = {}
    for history, days in ((10_000_000, 37), (100_000_000, 370)):
        output = subprocess.run([example, "window", str(history), str(days)], check=True, stdout=subprocess.PIPE, text=True).stdout
        windows[history] = json.loads(output)
    short, long = windows[10_000_000], windows[100_000_000]
    table.append((
        "30-day window, 100 M rows of history", f"{long['ms']:.1f} ms",
        f"{long['ms'] / short['ms']:.2f} of the {short['ms']:.1f} ms with 10 M", "at most 1.2",
    ))
    return table


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], sys.argv[2], int(sys.argv[3]))))

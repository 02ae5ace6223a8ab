#!/usr/bin/env python3
"""Measure the performance of Keepclear, each part next to its peer in the same run, and write bench/RESULTS.md.

    make bench                                       all parts; the clean build only if its inputs have changed
    python3 bench/run.py --program P --only ingest   one part; the results of the others stay
    python3 bench/run.py --program P --only build --clean-build   always a clean build (takes minutes)

Requires wrk on the PATH, a PostgreSQL server, Chromium and Node with npm for the console and ClickHouse, and access to PyPI and npm on the first run,
to install the peers and the tools. Servers are started on free ports of this machine and stopped afterwards.
"""

import argparse
import hashlib
import json
import os
import pathlib
import platform
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import alert_splits
import alerts
import console
import documents
import exports
import fleet
import incursion_documents
import incursions
import ingest
import insights
import limits
import noisy_neighbour
import reattribution
import registry
import reports
import running_service
import shared_columns
import warehouse
from servers import Keepclear, free_port, wrk

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "RESULTS.md"
STORED_RESULTS = ROOT / "bench" / "results.json"
EMAIL, PASSWORD = "bench@example.com", "plum wagon sixty tiles"


def describe_machine():
    cpu = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    memory = int(re.search(r"MemTotal:\s+(\d+)", open("/proc/meminfo").read()).group(1)) // 1024 // 1024
    rustc = subprocess.run(["rustc", "--version"], capture_output=True, text=True).stdout.strip()
    return f"{cpu}, {os.cpu_count()} cores, {memory} GiB, {platform.system()} {platform.release()}, {rustc}"


def post(url, body):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as response:
        return response.headers


def measure_throughput(server, seconds, rounds):
    """Return the median rate of each path. The paths take turns, so that other load on the machine affects all of them."""
    cookie = post(server.base + "/api/v1/session", {"email": EMAIL, "password": PASSWORD})["set-cookie"].split(";")[0]
    token = post(server.base + "/api/v2/login", {"email": EMAIL, "password": PASSWORD})["accesstoken"]
    paths = {
        "/health/live": {},
        "/api/v1/session": {"Cookie": cookie},
        "/api/v2/session": {"Authorization": f"Bearer {token}"},
    }
    rates = {path: [] for path in paths}
    for _ in range(rounds):
        for path, headers in paths.items():
            rates[path].append(wrk(server.base + path, headers, seconds)[0])
    return {path: statistics.median(values) for path, values in rates.items()}


def time_clean_build(cache):
    """Measure `make build` into an empty folder, after the sources of all crates were fetched, and keep the binary in the cache."""
    with tempfile.TemporaryDirectory() as target:
        environment = dict(os.environ, CARGO_TARGET_DIR=target)
        subprocess.run(["cargo", "fetch", "--locked"], cwd=ROOT, check=True)
        before, started_at = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(["make", "build"], cwd=ROOT, env=environment, check=True)
        wall, cpu = time.perf_counter() - started_at, cpu_of_children_since(before)
        binary = pathlib.Path(target) / "release" / "keepclear"
        cache.mkdir(parents=True, exist_ok=True)
        shutil.copy2(binary, cache / "clean-build-keepclear")
        return {"wall_s": round(wall), "cpu_s": round(cpu), "bytes": binary.stat().st_size}


def time_first_run():
    """Measure `make run` in a fresh clone, from the command to the first page with the newest week, as somebody meets it who just cloned
    the sources, and how long the other weeks take from then on."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        subprocess.run(["git", "clone", "--quiet", ROOT, folder / "clone"], check=True)
        subprocess.run(["cargo", "fetch", "--locked"], cwd=folder / "clone", check=True)
        address = f"127.0.0.1:{free_port()}"
        environment = dict(os.environ, CARGO_TARGET_DIR=folder / "target", KEEPCLEAR_DATA=folder / "data", KEEPCLEAR_LISTEN=address)
        before, started_at = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        printed = folder / "printed"
        with open(printed, "w", encoding="utf-8") as output:
            running = subprocess.Popen(["make", "run"], cwd=folder / "clone", env=environment, stdout=output, stderr=output, start_new_session=True)
        try:
            said = lambda pattern: wait_for_line(running, printed, pattern)
            said("serving on http://")
            email = said(r"^ +email +(\S+)$")
            # Whoever did not choose their password sees only the page that changes it.
            choose = ["user", "set-password", "--email", email, "--password-stdin", "--chosen"]
            subprocess.run([folder / "target" / "first" / "keepclear", *choose], env=environment, input=PASSWORD, text=True, check=True)
            cookie = post(f"http://{address}/api/v1/session", {"email": email, "password": PASSWORD})["set-cookie"].split(";")[0]
            get = urllib.request.Request(f"http://{address}/?period=7d", headers={"Cookie": cookie, "Accept": "text/html"})
            with urllib.request.urlopen(get) as response:
                if response.status != 200 or "Nothing recorded" in response.read().decode():
                    sys.exit("make run served without its newest week.")
            wall, served_at = time.perf_counter() - started_at, time.perf_counter()
            said("the history of Demo is loaded")
            history = time.perf_counter() - served_at
        finally:
            os.killpg(running.pid, signal.SIGTERM)
            running.wait()
        return {"wall_s": round(wall), "history_s": round(history), "cpu_s": round(cpu_of_children_since(before))}


def wait_for_line(running, printed, pattern):
    """Wait until a process has printed a line, and return its first group, if the pattern has one."""
    while not (found := re.search(pattern, printed.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)):
        if running.poll() is not None:
            sys.exit(f"make run ended before it printed {pattern}.")
        time.sleep(0.05)
    return found[1] if found.re.groups else None


def cpu_of_children_since(before):
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def build_rows(program, options, stored):
    """Return the rows of a first run and of a clean build, which are measured again when Cargo.lock or Cargo.toml has changed."""
    inputs = hashlib.sha256((ROOT / "Cargo.lock").read_bytes() + (ROOT / "Cargo.toml").read_bytes()).hexdigest()
    built = stored.get("clean_build")
    if options.clean_build or not built or built["inputs"] != inputs:
        built = stored["clean_build"] = {"inputs": inputs, **time_clean_build(options.cache), "first_run": time_first_run()}
    minutes = lambda seconds: f"{seconds // 60} min {seconds % 60} s"
    first = built["first_run"]
    return [
        ("`make run`, wall time until a page has the newest week", minutes(first["wall_s"]), "", "at most 7 min"),
        ("`make run`, CPU time until the whole demo is there", minutes(first["cpu_s"]), f"the other weeks take {first['history_s']} s", "at most 13 min"),
        ("`make build`, wall time", minutes(built["wall_s"]), "", "at most 13 min"),
        ("`make build`, CPU time", minutes(built["cpu_s"]), "", "at most 25 min"),
        ("binary", f"{built['bytes'] / 1e6:.1f} MB", "", "at most 55 MB"),
    ]


def edge_rows(program, options, stored):
    """Measure requests that do almost nothing, the start and the idle memory."""
    with tempfile.TemporaryDirectory() as data:
        run = lambda *arguments, text="": subprocess.run([program, *arguments, "--data", data], input=text, text=True, check=True, stdout=subprocess.DEVNULL)
        run("brand", "create", "Bench")
        run("user", "create", "--brand", "Bench", "--email", EMAIL, "--role", "admin", "--password-stdin", text=PASSWORD)
        starts = []
        for _ in range(15):
            server = Keepclear(program, data)
            starts.append(server.wait_until_ready())
            server.stop()
        server = Keepclear(program, data)
        server.wait_until_ready()
        time.sleep(2)
        idle = server.resident_mb()
        median_rates = measure_throughput(server, options.seconds, options.rounds)
        time.sleep(2)
        after = server.resident_mb()
        server.stop()
    peer_rate = median_rates["/health/live"]
    return [
        ("`GET /health/live` (the peer)", f"{peer_rate:,.0f} a second", "", ""),
        ("`GET /api/v1/session`, valid cookie", f"{median_rates['/api/v1/session']:,.0f} a second", f"{median_rates['/api/v1/session'] / peer_rate:.2f} of the peer", "at least 0.4"),
        ("`GET /api/v2/session`, valid JWT", f"{median_rates['/api/v2/session']:,.0f} a second", f"{median_rates['/api/v2/session'] / peer_rate:.2f} of the peer", "at least 0.4"),
        ("start to ready, existing database", f"{statistics.median(starts):.0f} ms", f"slowest of 15: {max(starts):.0f} ms", "below 300 ms"),
        ("resident memory, idle after start", f"{idle:.0f} MB", f"after the load above: {after:.0f} MB", "below 60 MB"),
    ]


def registry_rows(program, options, stored):
    with tempfile.TemporaryDirectory() as folder:
        return registry.rows(program, options.cache.resolve(), pathlib.Path(folder), options.seconds, min(options.rounds, 3))


def incursions_rows(program, options, stored):
    with tempfile.TemporaryDirectory() as folder:
        return incursions.rows(program, options.cache.resolve(), pathlib.Path(folder), options.seconds, min(options.rounds, 3))


def documents_rows(program, options, stored):
    with tempfile.TemporaryDirectory() as folder:
        return documents.rows(program, options.cache.resolve(), pathlib.Path(folder), options.seconds, min(options.rounds, 3))


def incursion_documents_rows(program, options, stored):
    with tempfile.TemporaryDirectory() as folder:
        return incursion_documents.rows(program, options.cache.resolve(), pathlib.Path(folder), options.seconds, min(options.rounds, 3))


def ingest_rows(program, options, stored):
    bare_insert = options.examples / "bare_insert"
    if not bare_insert.exists():
        sys.exit("The ingest benchmark requires its peer: cargo build --release --package store --example bare_insert")
    with tempfile.TemporaryDirectory() as folder:
        return ingest.rows(program, str(bare_insert), pathlib.Path(folder), min(options.rounds, 3))


def reattribution_rows(program, options, stored):
    with tempfile.TemporaryDirectory() as folder:
        return reattribution.rows(program, pathlib.Path(folder))


def insights_rows(program, options, stored):
    example = options.examples / "insights"
    if not example.exists():
        sys.exit("The insights benchmark requires the example of the cube: cargo build --release --package cube --example insights")
    return insights.rows(str(example), options.cache.resolve(), options.incursions, options.rounds)


def running_service_rows(program, options, stored):
    with tempfile.TemporaryDirectory(dir=options.cache) as folder:
        return running_service.rows(program, pathlib.Path(folder), options.rounds)


def shared_columns_rows(program, options, stored):
    with tempfile.TemporaryDirectory(dir=options.cache) as folder:
        return shared_columns.rows(program, pathlib.Path(folder))


def noisy_neighbour_rows(program, options, stored):
    with tempfile.TemporaryDirectory() as folder:
        return noisy_neighbour.rows(program, pathlib.Path(folder))


def crosscheck_rows(program, options, stored):
    python = insights.ensure_venv(options.cache.resolve()) / "bin" / "python"
    with tempfile.TemporaryDirectory() as folder:
        output = subprocess.run([python, ROOT / "bench" / "duckdb_crosscheck.py", program, folder], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [tuple(row) for row in json.loads(output)]


def exports_rows(program, options, stored):
    example = options.examples / "rows"
    if not example.exists():
        sys.exit("The exports benchmark requires an example program: cargo build --release --package exports --example rows")
    with tempfile.TemporaryDirectory() as folder:
        return exports.rows(str(example), options.cache.resolve(), pathlib.Path(folder), min(options.rounds, 3))


def reports_rows(program, options, stored):
    with tempfile.TemporaryDirectory() as folder:
        return reports.rows(program, options.cache.resolve(), pathlib.Path(folder))


def alerts_rows(program, options, stored):
    with tempfile.TemporaryDirectory(dir=options.cache) as folder:
        return alerts.rows(program, pathlib.Path(folder)) + alert_splits.rows(program)


def console_rows(program, options, stored):
    with tempfile.TemporaryDirectory(dir=options.cache) as folder:
        return console.rows(program, options.cache.resolve(), pathlib.Path(folder))


def limits_rows(program, options, stored):
    with tempfile.TemporaryDirectory(dir=options.cache) as folder:
        return limits.rows(program, pathlib.Path(folder))


def warehouse_rows(program, options, stored):
    example = options.examples / "questions"
    if not example.exists():
        sys.exit("The benchmark of the warehouse requires its example: cargo build --release --package warehouse --example questions")
    with tempfile.TemporaryDirectory(dir=options.cache) as folder:
        return warehouse.rows(str(example), pathlib.Path(folder), options.rounds)


def fleet_rows(program, options, stored):
    with tempfile.TemporaryDirectory(dir=options.cache) as folder:
        return fleet.rows(program, pathlib.Path(folder), options.rounds)


PARTS = {
    "build": (
        build_rows, "The first run, and a clean build",
        "`make run` in a fresh clone and `make build` into an empty folder, after the sources of all crates were fetched. Measured again\n"
        "whenever Cargo.lock or Cargo.toml changes.",
    ),
    "edge": (
        edge_rows, "The edge",
        "The tool is `wrk -t1 -c32`, rounds of 5 s, medians. Logging is on, as it is by default.",
    ),
    "registry": (
        registry_rows, "Comparison with Django REST framework",
        "The peer is `bench/peer`: the same two endpoints over a copy of the same database, with the same checks in one transaction, under\n"
        "gunicorn with one worker per core, of the worker class that was faster. Both sides sync to disk at each commit, on both engines.\n"
        "Alternating, medians of 3 rounds of 5 s.",
    ),
    "incursions": (
        incursions_rows, "One incursion, compared with Django REST framework",
        "A simulated world of ten days; 2,000 of its incursions in random order, each with the names of all related records, its reviews,\n"
        "changes and clips. The same peer over the same rows; the responses of both are compared first. Medians of 3 rounds of 5 s.",
    ),
    "documents": (
        documents_rows, "JSON:API documents, compared with Django REST framework JSON:API",
        "1,000 worksites with boundaries in 50 projects; a page of 100 includes all 50. The peer is `bench/peer/documents.py` with the\n"
        "package's own serializers and renderer, over the same rows, with one join; the responses of both are compared first, each member of\n"
        "each resource. Alternating, medians of 3 rounds of 5 s.",
    ),
    "incursion_documents": (
        incursion_documents_rows, "Incursions as JSON:API, compared with Django REST framework JSON:API",
        "A simulated world of ten days with 60 machines at 6 worksites; a page has its 100 newest incursions and includes the machines and\n"
        "worksites that they refer to. The peer is `bench/peer/documents.py` over the same rows, with one statement for each table; the\n"
        "responses of both are compared first, each member of each resource. Alternating, medians of 3 rounds of 5 s.",
    ),
    "ingest": (
        ingest_rows, "Ingest",
        "Batches of 1,000 incursions as JSON over 8 connections, each answered when it is on disk; medians of 3 rounds of 300,000. The peers\n"
        "insert the same rows into the same table with its indexes: `crates/store/examples/bare_insert.rs` through the C interface of\n"
        "the same build of SQLite, WAL and `synchronous=FULL`, with as many rows per commit; `COPY` from a file on the server, in one\n"
        "transaction. Client, server and database share the machine's cores.",
    ),
    "reattribution": (
        reattribution_rows, "Ingest during reattribution",
        "The installations of all 40 stations of a brand are corrected for the last 40 days, so that all its incursions are attributed again,\n"
        "while a gateway sends a batch of 100 every 50 ms over one connection.",
    ),
    "insights": (
        insights_rows, "Insights compared with DuckDB",
        "50 M incursions of one year: 200 worksites, 2,000 machines, 5,000 people, a few of which have most of the incursions. The peer has\n"
        "the same rows in a native table in memory, in order of time and in the narrowest types that hold them. Both use all cores and are\n"
        "warm; alternating, the best of 5. The columns build indexes when a question is repeated, so the slowest of the five is given too.\n"
        "The answers of both are compared and equal. Times are for the whole answer: the cube's with sorted groups, the peer's as an Arrow\n"
        "table.\n"
        "The questions are in `crates/cube/examples/insights/questions.rs`.",
    ),
    "opinion": (
        crosscheck_rows, "Cross-check with DuckDB",
        "60 pivots of up to three dimensions and four measures, with filters, are computed by the service and by DuckDB from an export of the\n"
        "incursions. Each row, subtotal and total is compared, except for runtime, which an export of incursions does not contain.",
    ),
    "live": (
        running_service_rows, "Insights of a running service",
        "A simulated world of 20 worksites, 200 machines, 800 people and three years in SQLite, queried over one HTTP connection; the best of 5.\n"
        "Then a gateway sends 5,000 incursions per second in batches of 250, while another sends a batch and queries as soon as it is answered.",
    ),
    "columns": (
        shared_columns_rows, "Columns of several hosts",
        "The same world in PostgreSQL. A host builds the columns of the brand from its rows, the newest first, and saves them in SeaweedFS. Then\n"
        "it is stopped, and another one with an empty data folder is asked. Each time is that of one run.",
    ),
    "neighbours": (
        noisy_neighbour_rows, "Noisy neighbour",
        "Two brands in one SQLite database. One has about 800,000 incursions and repeats a large pivot in SQL on 10 connections; the other reads\n"
        "a page of people every 10 ms, 300 times while the first is idle and 300 times while it is busy. Then the first downloads the largest\n"
        "tables of the console as CSV on 24 connections, while the other reads its overview.",
    ),
    "exports": (
        exports_rows, "Exports",
        "Incursions of 21 columns, generated one by one from the same sequence in `crates/exports/examples/rows.rs` and in\n"
        "`bench/peer/exports.py`, written to a file. XlsxWriter uses `constant_memory` and typed methods; pyarrow uses the same codec (zstd,\n"
        "level 1) and row groups of the same size. Alternating, medians of 3 rounds; XlsxWriter once. One thread each, except for pyarrow's own.",
    ),
    "reports": (
        reports_rows, "Reports",
        "The world of the demo in SQLite; a report about the worksite with the most incursions over 28 days. Keepclear makes it again from its\n"
        "stored figures through the API, asked every 5 ms, the median of 20. WeasyPrint gets the same numbers, tables and SVG charts as one\n"
        "page of HTML and renders it as PDF/UA in a warm process, the median of 5; building the HTML is not counted.",
    ),
    "alerts": (
        alerts_rows, "Alerts",
        "A simulated world of 60 machines at 6 worksites and a year in SQLite. 1,000 alerts with five windows, none of which fires, are\n"
        "evaluated for two minutes while a gateway sends 1,000 incursions a second; the processor time is that of the whole process, with\n"
        "alerts and without. Then 2 events a second each fire an alert, whose mail is written as a file. Dry runs are the best of 5. Last, one\n"
        "brand has alerts that distinguish very many tags, and every two seconds new facts for them; another one has a single alert.",
    ),
    "console": (
        console_rows, "The console",
        "The world of the demo in SQLite, and its overview. There is no peer: each number has a goal of its own. Visits are those of someone\n"
        "who is signed in, with Chromium and an empty cache, in windows of 360, 768 and 1,440 px, scrolled to the end; the overview has no map.\n"
        "A page is usable when its largest part is painted and its modules have run, with the connection slowed down by Chromium through the\n"
        "DevTools protocol. Then 200 people, each with a session of their own, hold a live stream and fetch the page and its charts again as\n"
        "`crates/console/assets/live.js` does, while a gateway sends 1,000 incursions a second; the processor time is that of the whole process.\n"
        "Lighthouse audits as it does by default, on a simulated phone, medians of 5.",
    ),
    "limits": (
        limits_rows, "Limits of one PostgreSQL and of one host",
        "What docs/scale.md computes with; there is no peer. 300,000 incursions in batches of 1,000 as above, alone and with a synchronous standby\n"
        "whose processes share the two cores, alternating, medians of 3; then `wrk -t1 -c32` for 10 s each.",
    ),
    "warehouse": (
        warehouse_rows, "Questions to ClickHouse",
        "All nodes share the cores of this machine, so that processor time is compared, which is that of all processes together\n"
        "without what they use while idle: 0.8 means that four do 0.8 times as much work per processor second as one. Nodes run on one\n"
        "core for that, one or four of them, because whoever uses both cores at once takes more processor time for the same work. 8 M incursions are\n"
        "written through the `warehouse` crate into one node, into four with a shard each, and into the cube; the parts of each month are\n"
        "merged. The answers of all three are compared and equal; each is asked as by the service. One and four take turns, 8 times after 16\n"
        "that do not count. The cube uses all cores.",
    ),
    "fleet": (
        fleet_rows, "Many machines",
        "All hosts share the cores of this machine, so that processor time is compared as above. They run over one PostgreSQL with 16 simulated\n"
        "brands, whose gateways and users each meet one of them. Feed lag is what `/metrics` of two hosts says, sampled every 50 ms, with two\n"
        "ClickHouse nodes, while a gateway sends 5,000 incursions a second in batches of 250.",
    ),
}
# The parts that load a server with wrk.
PARTS_WITH_WRK = {"documents", "edge", "incursion_documents", "incursions", "limits", "registry"}


def render(stored):
    lines = [
        "# Results", "",
        "Written by `make bench`. Within a part, Keepclear and its peer are measured in the same run, alternating.", "",
    ]
    for name, (_, title, text) in PARTS.items():
        if part := stored.get("parts", {}).get(name):
            lines += [f"## {title}", "", text, "", f"{part['at']}", "", "| Measurement | Result | Comparison | Goal |", "|---|---|---|---|"]
            lines += [*(f"| {' | '.join(row)} |" for row in part["rows"]), ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the release binary")
    parser.add_argument("--examples", type=pathlib.Path, help="the folder with the binaries of the examples; by default `examples` next to the program")
    parser.add_argument("--only", choices=PARTS, action="append", help="measure only this part; may be repeated")
    parser.add_argument("--clean-build", action="store_true", help="measure the clean build even if its inputs have not changed")
    parser.add_argument("--seconds", type=int, default=5, help="the duration of each throughput measurement")
    parser.add_argument("--rounds", type=int, default=5, help="the number of rounds of each measurement")
    parser.add_argument("--incursions", type=int, default=50_000_000, help="the number of rows of the insights benchmark")
    parser.add_argument("--cache", type=pathlib.Path, default=ROOT / "target" / "bench", help="the folder for the peers and for generated data")
    options = parser.parse_args()
    if PARTS_WITH_WRK & set(options.only or PARTS) and not shutil.which("wrk"):
        sys.exit("The benchmarks require wrk (Debian: apt-get install wrk)")
    program = str(pathlib.Path(options.program).resolve())
    options.examples = (options.examples or pathlib.Path(program).parent / "examples").resolve()
    stored = json.loads(STORED_RESULTS.read_text()) if STORED_RESULTS.exists() else {}
    for name in options.only or PARTS:
        rows = PARTS[name][0](program, options, stored)
        stored.setdefault("parts", {})[name] = {"at": f"{time.strftime('%Y-%m-%d')}, {describe_machine()}", "rows": rows}
        STORED_RESULTS.write_text(json.dumps(stored, indent=1) + "\n")
        RESULTS.write_text(render(stored))
    print(RESULTS.read_text())


if __name__ == "__main__":
    main()

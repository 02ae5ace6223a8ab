"""Compare listing people and assigning tags with the same two endpoints in Django REST framework, over the same rows."""

import contextlib
import itertools
import json
import os
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import time
import urllib.parse
import urllib.request

from postgres import PostgresCluster
from servers import Django, Keepclear, RequestRefused, ensure_peer_venv, wrk

HERE = pathlib.Path(__file__).resolve().parent
PEOPLE, PAGES = 10_000, 40
READ, WRITE = "/api/v1/tester/people_assets", "/api/v1/tester/tag_assignments"
# A page of the database and the header of its frame in the write-ahead log.
WAL_FRAME_BYTES = 4096 + 24


def measure_disk_commits(folder, seconds=2):
    """Return how often per second one frame of SQLite's write-ahead log can be written and synced, cycling through a file of the
    usual size of that log."""
    frames, frame = 1000, os.urandom(WAL_FRAME_BYTES)
    with open(folder / "disk", "wb", buffering=0) as file:
        file.write(frame * frames)
        os.fsync(file.fileno())
        started_at, writes = time.perf_counter(), 0
        while time.perf_counter() - started_at < seconds:
            os.pwrite(file.fileno(), frame, writes % frames * WAL_FRAME_BYTES)
            os.fdatasync(file.fileno())
            writes += 1
        return writes / (time.perf_counter() - started_at)


def people_sql():
    row = "(1, '{kind}', 'Person {n:05}', 'person {n:05}', 'E-{n}', 'p{n}@example.com', 'p{n}@example.com', 'Plums & Co', 1772366430000000, 1772366430000000)"
    rows = ",".join(row.format(n=n, kind="visitor" if n % 4 == 0 else "staff") for n in range(1, PEOPLE + 1))
    return f"insert into people (brand_id, kind, name, name_key, employee_id, email, email_key, company, created_at, updated_at) values {rows}"


class SqliteSetup:
    """A database file for Keepclear, and a copy of it for the peer."""

    name = "SQLite"

    def __init__(self, folder):
        self.folder = folder
        (folder / "keepclear").mkdir(parents=True)
        self.keepclear_db, self.peer_db = folder / "keepclear" / "keepclear.db", folder / "peer.db"
        self.database_arguments = ["--data", folder / "keepclear"]

    def fill(self):
        with contextlib.closing(sqlite3.connect(self.keepclear_db)) as connection, connection:
            connection.execute(people_sql())
        with contextlib.closing(sqlite3.connect(self.keepclear_db)) as connection:
            connection.execute("pragma wal_checkpoint(truncate)")
        shutil.copy(self.keepclear_db, self.peer_db)

    def start_keepclear(self, program):
        return Keepclear(program, self.folder / "keepclear")

    def peer_environment(self):
        return {"PEER_SQLITE": str(self.peer_db)}

    def count_assignments(self, side):
        with contextlib.closing(sqlite3.connect(self.keepclear_db if side == "keepclear" else self.peer_db)) as connection:
            return connection.execute("select count(*) from tag_assignments").fetchone()[0]

    def stop(self):
        pass


class PostgresSetup:
    """A database for Keepclear, and a copy of it for the peer, in one cluster."""

    name = "PostgreSQL"

    def __init__(self, folder):
        self.data = folder / "data"
        self.data.mkdir(parents=True)
        self.cluster = PostgresCluster()
        self.cluster.create_database("keepclear")
        self.database_arguments = ["--data", self.data, "--database", self.cluster.url("keepclear")]

    def fill(self):
        self.cluster.run_sql("keepclear", people_sql())
        self.cluster.create_database("peer", template="keepclear")
        for name in ("keepclear", "peer"):
            self.cluster.run_sql(name, "vacuum analyze")

    def start_keepclear(self, program):
        return Keepclear(program, self.data, self.cluster.url("keepclear"))

    def peer_environment(self):
        return {"PEER_POSTGRES": f"{self.cluster.folder}/peer"}

    def count_assignments(self, side):
        return int(self.cluster.run_sql(side, "select count(*) from tag_assignments"))

    def stop(self):
        self.cluster.stop()


class MeasuredServer:
    """A running server, the paths of its pages, and the two operations that are measured."""

    run_numbers = itertools.count()

    def __init__(self, name, engine, server, token, folder):
        self.name, self.engine, self.server = name, engine, server
        self.headers = {"Authorization": f"Bearer {token}"}
        server.wait_until_ready()
        paths, path = [], READ + "?limit=50"
        while len(paths) < PAGES:
            paths.append(path)
            request = urllib.request.Request(server.base + path, headers=self.headers)
            with urllib.request.urlopen(request) as response:
                page = json.load(response)
            assert len(page["data"]) == 50, page
            path = f"{READ}?limit=50&cursor={urllib.parse.quote(page['page']['next'])}"
        body = json.dumps({"tag_serial": f"FIRST-{next(self.run_numbers)}", "person_id": 1}).encode()
        request = urllib.request.Request(server.base + WRITE, body, {**self.headers, "Content-Type": "application/json"})
        with urllib.request.urlopen(request) as response:
            assigned = json.load(response)
        # The responses of both sides must agree in this.
        self.shape = page["data"][0], list(assigned), assigned["person"]
        self.paths_file = folder / f"pages-{next(self.run_numbers)}"
        self.paths_file.write_text("\n".join(paths))

    def read(self, seconds):
        return wrk(self.server.base, self.headers, seconds, HERE / "get_paths.lua", PATHS_FILE=str(self.paths_file))[0]

    def write(self, seconds):
        before = self.engine.count_assignments(self.name)
        headers = {**self.headers, "Content-Type": "application/json"}
        rate, responses = wrk(self.server.base + WRITE, headers, seconds, HERE / "assign_tags.lua", SERIAL_PREFIX=f"R{next(self.run_numbers)}")
        added = self.engine.count_assignments(self.name) - before
        # wrk does not count the requests that are in flight when it stops.
        assert responses <= added <= responses + 64, f"{responses} responses, but {added} assignments"
        return rate


def measure(engine, program, venv, folder, seconds, rounds):
    """Return the median rates of both sides for each operation, with the worker class of the peer that is faster at it."""
    command = lambda *arguments: subprocess.run([program, *arguments, *engine.database_arguments], check=True, capture_output=True, text=True).stdout.strip()
    command("brand", "create", "Bench")
    token = command("token", "issue", "--brand", "Bench", "--kind", "tester", "--name", "Gate 1")
    engine.fill()
    with contextlib.ExitStack() as stack:
        stack.callback(engine.stop)

        def measured_server(name, server):
            stack.callback(server.stop)
            return MeasuredServer(name, engine, server, token, folder)

        ours = measured_server("keepclear", engine.start_keepclear(program))
        peers = {workers: measured_server("peer", Django(venv, workers, engine.peer_environment())) for workers in ("sync", "gthread")}
        assert all(ours.shape == peer.shape for peer in peers.values()), "the responses of Keepclear and its peer differ"
        result = {}
        for operation in ("read", "write"):
            trial_rates = {}
            for workers, peer in peers.items():
                # A writer that waits too long for SQLite's lock fails; then this worker class is not used.
                with contextlib.suppress(RequestRefused):
                    trial_rates[workers] = getattr(peer, operation)(2)
            best_workers = max(trial_rates, key=trial_rates.get)
            measured = {"ours": ours, "peer": peers[best_workers]}
            rates = {name: [] for name in measured}
            for _ in range(rounds):
                for name, server in measured.items():
                    rates[name].append(getattr(server, operation)(seconds))
            result[operation] = {name: statistics.median(values) for name, values in rates.items()} | {"workers": best_workers}
        return result


def rows(program, cache, folder, seconds, rounds):
    """Return the rows of this part of the results."""
    venv = ensure_peer_venv(cache)
    disk = measure_disk_commits(folder)
    table = [("the disk: 4,120 bytes written and synced, one at a time", f"{disk:,.0f} a second", "", "")]
    for setup_class in (SqliteSetup, PostgresSetup):
        engine = setup_class(folder / setup_class.__name__.lower())
        result = measure(engine, program, venv, folder, seconds, rounds)
        read, write = result["read"], result["write"]
        comparison = lambda rates: f"{rates['ours'] / rates['peer']:.1f} times the peer's {rates['peer']:,.0f} ({rates['workers']})"
        table += [
            (f"`GET {READ}`, 50 of 10,000, {engine.name}", f"{read['ours']:,.0f} a second", comparison(read), "at least 10 times"),
            (
                f"`POST {WRITE}`, {engine.name}",
                f"{write['ours']:,.0f} a second",
                f"{comparison(write)}; {write['ours'] / disk:.2f} of the disk",
                "at least 3 times, or 0.8 of the disk",
            ),
        ]
    return table

"""A page of people, and handing out a tag, beside the same two endpoints in Django REST framework over the same rows."""

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

from postgres import Postgres
from servers import Django, Keepclear, Refused, ensure_peer, wrk

HERE = pathlib.Path(__file__).resolve().parent
PEOPLE, PAGES = 10_000, 40
READ, WRITE = "/api/v1/tester/people_assets", "/api/v1/tester/tag_assignments"
FRAME = 4096 + 24


def disk_commits(folder, seconds=2):
    """How often a second this disk takes a frame of SQLite's log for good, written round in a file of its log's usual size."""
    frames, frame = 1000, os.urandom(FRAME)
    with open(folder / "disk", "wb", buffering=0) as file:
        file.write(frame * frames)
        os.fsync(file.fileno())
        began, done = time.perf_counter(), 0
        while time.perf_counter() - began < seconds:
            os.pwrite(file.fileno(), frame, done % frames * FRAME)
            os.fdatasync(file.fileno())
            done += 1
        return done / (time.perf_counter() - began)


def people_sql():
    row = "(1, '{kind}', 'Person {n:05}', 'person {n:05}', 'E-{n}', 'p{n}@example.com', 'p{n}@example.com', 'Plums & Co', 1772366430000000, 1772366430000000)"
    rows = ",".join(row.format(n=n, kind="visitor" if n % 4 == 0 else "staff") for n in range(1, PEOPLE + 1))
    return f"insert into people (brand_id, kind, name, name_key, employee_id, email, email_key, company, created_at, updated_at) values {rows}"


class Sqlite:
    """The embedded engine: a file for each side."""

    name = "SQLite"

    def __init__(self, folder):
        self.folder = folder
        (folder / "keepclear").mkdir(parents=True)
        self.ours, self.theirs = folder / "keepclear" / "keepclear.db", folder / "peer.db"
        self.where = ["--data", folder / "keepclear"]

    def fill(self):
        with contextlib.closing(sqlite3.connect(self.ours)) as connection, connection:
            connection.execute(people_sql())
        with contextlib.closing(sqlite3.connect(self.ours)) as connection:
            connection.execute("pragma wal_checkpoint(truncate)")
        shutil.copy(self.ours, self.theirs)

    def keepclear(self, program):
        return Keepclear(program, self.folder / "keepclear")

    def peer(self):
        return {"PEER_SQLITE": str(self.theirs)}

    def assignments(self, side):
        with contextlib.closing(sqlite3.connect(self.ours if side == "keepclear" else self.theirs)) as connection:
            return connection.execute("select count(*) from tag_assignments").fetchone()[0]

    def stop(self):
        pass


class Postgresql:
    """The server: a database for each side in one cluster."""

    name = "PostgreSQL"

    def __init__(self, folder):
        self.data = folder / "data"
        self.data.mkdir(parents=True)
        self.cluster = Postgres()
        self.cluster.create("keepclear")
        self.where = ["--data", self.data, "--database", self.cluster.url("keepclear")]

    def fill(self):
        self.cluster.run("keepclear", people_sql())
        self.cluster.create("peer", template="keepclear")
        for name in ("keepclear", "peer"):
            self.cluster.run(name, "vacuum analyze")

    def keepclear(self, program):
        return Keepclear(program, self.data, self.cluster.url("keepclear"))

    def peer(self):
        return {"PEER_POSTGRES": f"{self.cluster.folder}/peer"}

    def assignments(self, side):
        return int(self.cluster.run(side, "select count(*) from tag_assignments"))

    def stop(self):
        self.cluster.stop()


class Side:
    """One of the two: a server, its pages, and how it is loaded."""

    runs = itertools.count()

    def __init__(self, name, engine, server, token, folder):
        self.name, self.engine, self.server = name, engine, server
        self.headers = {"Authorization": f"Bearer {token}"}
        server.wait_until_ready()
        paths, path = [], READ + "?limit=50"
        while len(paths) < PAGES:
            paths.append(path)
            request = urllib.request.Request(server.base + path, headers=self.headers)
            with urllib.request.urlopen(request) as answer:
                page = json.load(answer)
            assert len(page["data"]) == 50, page
            path = f"{READ}?limit=50&cursor={urllib.parse.quote(page['page']['next'])}"
        body = json.dumps({"tag_serial": f"FIRST-{next(self.runs)}", "person_id": 1}).encode()
        request = urllib.request.Request(server.base + WRITE, body, {**self.headers, "Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            assigned = json.load(answer)
        # What both sides must answer alike.
        self.shape = page["data"][0], list(assigned), assigned["person"]
        self.pages = folder / f"pages-{next(self.runs)}"
        self.pages.write_text("\n".join(paths))

    def read(self, seconds):
        return wrk(self.server.base, self.headers, seconds, HERE / "get_paths.lua", PATHS_FILE=str(self.pages))[0]

    def write(self, seconds):
        before = self.engine.assignments(self.name)
        headers = {**self.headers, "Content-Type": "application/json"}
        rate, answers = wrk(self.server.base + WRITE, headers, seconds, HERE / "assign_tags.lua", SERIAL_PREFIX=f"R{next(self.runs)}")
        added = self.engine.assignments(self.name) - before
        # Those under way when the load ends are not counted by wrk.
        assert answers <= added <= answers + 64, f"{answers} answers, but {added} assignments"
        return rate


def measure(engine, program, venv, folder, seconds, rounds):
    """Median rates of both sides, with the peer's better kind of worker for each of the two."""
    command = lambda *words: subprocess.run([program, *words, *engine.where], check=True, capture_output=True, text=True).stdout.strip()
    command("brand", "create", "Bench")
    token = command("token", "issue", "--brand", "Bench", "--kind", "tester", "--name", "Gate 1")
    engine.fill()
    with contextlib.ExitStack() as stack:
        stack.callback(engine.stop)

        def side(name, server):
            stack.callback(server.stop)
            return Side(name, engine, server, token, folder)

        ours = side("keepclear", engine.keepclear(program))
        peers = {kind: side("peer", Django(venv, kind, engine.peer())) for kind in ("sync", "gthread")}
        assert all(ours.shape == peer.shape for peer in peers.values()), "the sides answer differently"
        result = {}
        for what in ("read", "write"):
            tried = {}
            for kind, peer in peers.items():
                # SQLite tells a writer who waited too long that it is locked; then this kind of worker is not the one.
                with contextlib.suppress(Refused):
                    tried[kind] = getattr(peer, what)(2)
            better = max(tried, key=tried.get)
            both = {"ours": ours, "peer": peers[better]}
            seen = {name: [] for name in both}
            for _ in range(rounds):
                for name, one in both.items():
                    seen[name].append(getattr(one, what)(seconds))
            result[what] = {name: statistics.median(rates) for name, rates in seen.items()} | {"workers": better}
        return result


def rows(program, cache, folder, seconds, rounds):
    """The rows of the results."""
    venv = ensure_peer(cache)
    disk = disk_commits(folder)
    table = [("the disk: 4,120 bytes written and synced, one at a time", f"{disk:,.0f} a second", "", "")]
    for make in (Sqlite, Postgresql):
        engine = make(folder / make.__name__.lower())
        result = measure(engine, program, venv, folder, seconds, rounds)
        read, write = result["read"], result["write"]
        beside = lambda of: f"{of['ours'] / of['peer']:.1f} times the peer's {of['peer']:,.0f} ({of['workers']})"
        table += [
            (f"`GET {READ}`, 50 of 10,000, {engine.name}", f"{read['ours']:,.0f} a second", beside(read), "at least 10 times"),
            (
                f"`POST {WRITE}`, {engine.name}",
                f"{write['ours']:,.0f} a second",
                f"{beside(write)}; {write['ours'] / disk:.2f} of the disk",
                "at least 3 times, or 0.8 of the disk",
            ),
        ]
    return table

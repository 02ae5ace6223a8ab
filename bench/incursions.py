"""Reading one incursion with a session, beside the same endpoint in Django REST framework over the same rows."""

import contextlib
import json
import pathlib
import random
import re
import shutil
import sqlite3
import statistics
import subprocess
import urllib.request

from postgres import Postgres
from servers import Django, Keepclear, ensure_peer, wrk

HERE = pathlib.Path(__file__).resolve().parent
PATHS = 2_000
EMAIL, PASSWORD = "bench@example.com", "plum wagon sixty tiles"
WORLD = ["--days", "10", "--sites", "6", "--machines", "60", "--people", "200", "--seed", "7"]


def login(base):
    body = json.dumps({"email": EMAIL, "password": PASSWORD}).encode()
    request = urllib.request.Request(base + "/api/v1/session", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return answer.headers["set-cookie"].split(";")[0]


def record(base, headers, path):
    """What is answered, with times written alike: one side leaves noughts out at their end."""
    with urllib.request.urlopen(urllib.request.Request(base + path, headers=headers)) as answer:
        return json.loads(re.sub(r'(\.\d*?)0+Z"', r'\1Z"', answer.read().decode()))


def set_up(program, where):
    def command(*words, text=""):
        subprocess.run([program, *words, *where], input=text, text=True, check=True, capture_output=True)

    command("brand", "create", "Bench")
    command("user", "create", "--brand", "Bench", "--email", EMAIL, "--role", "admin", "--password-stdin", text=PASSWORD)
    command("simulate", "--brand", "Bench", *WORLD)


def compare(ours, peers, headers, ids, folder, seconds, rounds):
    """Median rates of both sides, over the same random incursions."""
    chance = random.Random(7)
    paths = [f"/api/v1/incursions/{chance.choice(ids)}" for _ in range(PATHS)]
    file = folder / "paths"
    file.write_text("\n".join(paths))
    for path in paths[:200]:
        here = record(ours.base, headers, path)
        for peer in peers.values():
            there = record(peer.base, headers, path)
            assert here == there, f"the sides answer differently:\n{here}\n{there}"
    read = lambda server, time: wrk(server.base, headers, time, HERE / "get_paths.lua", PATHS_FILE=str(file))[0]
    better = max(peers, key=lambda kind: read(peers[kind], 2))
    seen = {"ours": [], "peer": []}
    for _ in range(rounds):
        seen["ours"].append(read(ours, seconds))
        seen["peer"].append(read(peers[better], seconds))
    return {name: statistics.median(rates) for name, rates in seen.items()} | {"workers": better}


def on_sqlite(program, venv, folder, seconds, rounds):
    data = folder / "data"
    data.mkdir(parents=True)
    set_up(program, ["--data", data])
    with contextlib.ExitStack() as stack:
        ours = Keepclear(program, data)
        stack.callback(ours.stop)
        ours.wait_until_ready()
        headers = {"Cookie": login(ours.base)}
        with contextlib.closing(sqlite3.connect(data / "keepclear.db")) as connection:
            ids = [row[0] for row in connection.execute("select id from incursions order by id")]
            connection.execute("vacuum into ?", [str(folder / "peer.db")])
        peers = {kind: Django(venv, kind, {"PEER_SQLITE": str(folder / "peer.db")}) for kind in ("sync", "gthread")}
        for peer in peers.values():
            stack.callback(peer.stop)
            peer.wait_until_ready()
        return compare(ours, peers, headers, ids, folder, seconds, rounds)


def on_postgres(program, venv, folder, seconds, rounds):
    folder.mkdir()
    cluster = Postgres()
    with contextlib.ExitStack() as stack:
        stack.callback(cluster.stop)
        cluster.create("keepclear")
        set_up(program, ["--data", folder / "data", "--database", cluster.url("keepclear")])
        cluster.run("keepclear", "vacuum analyze")
        ours = Keepclear(program, folder / "data", cluster.url("keepclear"))
        stack.callback(ours.stop)
        ours.wait_until_ready()
        headers = {"Cookie": login(ours.base)}
        ids = cluster.run("keepclear", "select id from incursions order by id").split()
        # Both only read, so that one database serves both.
        peers = {kind: Django(venv, kind, {"PEER_POSTGRES": f"{cluster.folder}/keepclear"}) for kind in ("sync", "gthread")}
        for peer in peers.values():
            stack.callback(peer.stop)
            peer.wait_until_ready()
        return compare(ours, peers, headers, ids, folder, seconds, rounds)


def rows(program, cache, folder, seconds, rounds):
    """The rows of the results."""
    venv = ensure_peer(cache)
    line = lambda engine, of, goal: (
        f"`GET /api/v1/incursions/{{id}}` with a session, {engine}",
        f"{of['ours']:,.0f} a second",
        f"{of['ours'] / of['peer']:.1f} times the peer's {of['peer']:,.0f} ({of['workers']})",
        goal,
    )
    sqlite = on_sqlite(program, venv, folder / "sqlite", seconds, rounds)
    postgres = on_postgres(program, venv, folder / "postgres", seconds, rounds)
    shutil.rmtree(folder, ignore_errors=True)
    return [line("SQLite", sqlite, "at least 20 times"), line("PostgreSQL", postgres, "")]

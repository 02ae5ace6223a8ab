"""Compare reading one incursion with the same endpoint in Django REST framework, over the same rows."""

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

from postgres import PostgresCluster
from servers import Django, Keepclear, ensure_peer_venv, wrk

HERE = pathlib.Path(__file__).resolve().parent
PATHS = 2_000
EMAIL, PASSWORD = "bench@example.com", "plum wagon sixty tiles"
SIMULATION_OPTIONS = ["--days", "10", "--sites", "6", "--machines", "60", "--people", "200", "--seed", "7"]


def log_in(base):
    body = json.dumps({"email": EMAIL, "password": PASSWORD}).encode()
    request = urllib.request.Request(base + "/api/v1/session", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as response:
        return response.headers["set-cookie"].split(";")[0]


def fetch_record(base, headers, path):
    """Return an incursion, with trailing zeros of times removed, since only one side writes them."""
    with urllib.request.urlopen(urllib.request.Request(base + path, headers=headers)) as response:
        return json.loads(re.sub(r'(\.\d*?)0+Z"', r'\1Z"', response.read().decode()))


def set_up(program, database_arguments):
    def command(*arguments, text=""):
        subprocess.run([program, *arguments, *database_arguments], input=text, text=True, check=True, capture_output=True)

    command("brand", "create", "Bench")
    command("user", "create", "--brand", "Bench", "--email", EMAIL, "--role", "admin", "--password-stdin", text=PASSWORD)
    command("simulate", "--brand", "Bench", *SIMULATION_OPTIONS)


def measure_rates(ours, peers, headers, ids, folder, seconds, rounds):
    """Check that both sides respond alike, and return their median rates over the same random incursions."""
    rng = random.Random(7)
    paths = [f"/api/v1/incursions/{rng.choice(ids)}" for _ in range(PATHS)]
    paths_file = folder / "paths"
    paths_file.write_text("\n".join(paths))
    for path in paths[:200]:
        our_record = fetch_record(ours.base, headers, path)
        for peer in peers.values():
            peer_record = fetch_record(peer.base, headers, path)
            assert our_record == peer_record, f"the responses of Keepclear and its peer differ:\n{our_record}\n{peer_record}"
    read = lambda server, duration_s: wrk(server.base, headers, duration_s, HERE / "get_paths.lua", PATHS_FILE=str(paths_file))[0]
    best_workers = max(peers, key=lambda workers: read(peers[workers], 2))
    rates = {"ours": [], "peer": []}
    for _ in range(rounds):
        rates["ours"].append(read(ours, seconds))
        rates["peer"].append(read(peers[best_workers], seconds))
    return {name: statistics.median(values) for name, values in rates.items()} | {"workers": best_workers}


def measure_sqlite(program, venv, folder, seconds, rounds):
    data = folder / "data"
    data.mkdir(parents=True)
    set_up(program, ["--data", data])
    with contextlib.ExitStack() as stack:
        ours = Keepclear(program, data)
        stack.callback(ours.stop)
        ours.wait_until_ready()
        headers = {"Cookie": log_in(ours.base)}
        with contextlib.closing(sqlite3.connect(data / "keepclear.db")) as connection:
            ids = [id for (id,) in connection.execute("select id from incursions order by id")]
            connection.execute("vacuum into ?", [str(folder / "peer.db")])
        peers = {workers: Django(venv, workers, {"PEER_SQLITE": str(folder / "peer.db")}) for workers in ("sync", "gthread")}
        for peer in peers.values():
            stack.callback(peer.stop)
            peer.wait_until_ready()
        return measure_rates(ours, peers, headers, ids, folder, seconds, rounds)


def measure_postgres(program, venv, folder, seconds, rounds):
    folder.mkdir()
    cluster = PostgresCluster()
    with contextlib.ExitStack() as stack:
        stack.callback(cluster.stop)
        cluster.create_database("keepclear")
        set_up(program, ["--data", folder / "data", "--database", cluster.url("keepclear")])
        cluster.run_sql("keepclear", "vacuum analyze")
        ours = Keepclear(program, folder / "data", cluster.url("keepclear"))
        stack.callback(ours.stop)
        ours.wait_until_ready()
        headers = {"Cookie": log_in(ours.base)}
        ids = cluster.run_sql("keepclear", "select id from incursions order by id").split()
        # Both sides only read, so they can share a database.
        peers = {workers: Django(venv, workers, {"PEER_POSTGRES": f"{cluster.folder}/keepclear"}) for workers in ("sync", "gthread")}
        for peer in peers.values():
            stack.callback(peer.stop)
            peer.wait_until_ready()
        return measure_rates(ours, peers, headers, ids, folder, seconds, rounds)


def rows(program, cache, folder, seconds, rounds):
    """Return the rows of this part of the results."""
    venv = ensure_peer_venv(cache)
    row = lambda engine, rates, goal: (
        f"`GET /api/v1/incursions/{{id}}` with a session, {engine}",
        f"{rates['ours']:,.0f} a second",
        f"{rates['ours'] / rates['peer']:.1f} times the peer's {rates['peer']:,.0f} ({rates['workers']})",
        goal,
    )
    sqlite = measure_sqlite(program, venv, folder / "sqlite", seconds, rounds)
    postgres = measure_postgres(program, venv, folder / "postgres", seconds, rounds)
    shutil.rmtree(folder, ignore_errors=True)
    return [row("SQLite", sqlite, "at least 20 times"), row("PostgreSQL", postgres, "")]

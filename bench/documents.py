"""A page of worksites with their projects as JSON:API, beside Django REST framework JSON:API over the same rows."""

import contextlib
import json
import pathlib
import re
import shutil
import sqlite3
import statistics
import subprocess
import urllib.request

from postgres import Postgres
from servers import Django, Keepclear, ensure_peer, wrk

EMAIL, PASSWORD = "bench@example.com", "plum wagon sixty tiles"
PROJECTS, WORKSITES, PAGE = 50, 1_000, 100
PATH = "/api/v2/worksites?include=project&page[size]=100"
KINDS = ("infrastructure", "rail_maintenance", "logistics", "other")


def log_in(base):
    body = json.dumps({"email": EMAIL, "password": PASSWORD}).encode()
    request = urllib.request.Request(base + "/api/v2/login", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return {"Authorization": f"Bearer {answer.headers['accesstoken']}"}


def create(base, headers, kind, attributes, relationships):
    sent = {"data": {"type": kind, "attributes": attributes, "relationships": relationships}}
    headers = {**headers, "Content-Type": "application/vnd.api+json"}
    with urllib.request.urlopen(urllib.request.Request(f"{base}/api/v2/{kind}", json.dumps(sent).encode(), headers)) as answer:
        return json.load(answer)["data"]["id"]


def fill(base, headers):
    """Worksites with boundaries, in turn of one project and the next, so that a page has all of them."""
    projects = [create(base, headers, "projects", {"name": f"Project {n:02}", "code": f"P-{n}"}, {}) for n in range(PROJECTS)]
    for n in range(WORKSITES):
        west, south = 6 + n % 40 * 0.1, 48 + n // 40 * 0.1
        ring = [[west, south], [west + 0.01, south], [west + 0.01, south + 0.01], [west, south + 0.01], [west, south]]
        attributes = {
            "name": f"Site {n:04}", "colour": "#ff8800", "kind": KINDS[n % 4], "technical_contact": "Ada Lovelace, +49 30 1234",
            "time_zone": "Europe/Berlin", "boundary": {"type": "Polygon", "coordinates": [ring]},
        }
        project = {"data": {"type": "projects", "id": projects[n % PROJECTS]}}
        create(base, headers, "worksites", attributes, {"project": project})


def page(base, headers):
    """What is answered: its resources, with times written alike (one side leaves noughts out at their end)."""
    with urllib.request.urlopen(urllib.request.Request(base + PATH, headers=headers)) as answer:
        said = json.loads(re.sub(r'(\.\d*?)0+Z"', r'\1Z"', answer.read().decode()))
    assert said["links"]["next"], "the only page"
    return said["data"], sorted(said["included"], key=lambda project: int(project["id"]))


def compare(ours, peers, headers, seconds, rounds):
    """Median rates of both sides."""
    data, included = page(ours.base, headers)
    assert (len(data), len(included)) == (PAGE, PROJECTS), f"{len(data)} with {len(included)}"
    for peer in peers.values():
        there = page(peer.base, headers)
        assert (data, included) == there, f"the sides answer differently:\n{data[0]}\n{there[0][0]}\n{included[0]}\n{there[1][0]}"
    read = lambda server, time: wrk(server.base + PATH, headers, time)[0]
    better = max(peers, key=lambda kind: read(peers[kind], 2))
    seen = {"ours": [], "peer": []}
    for _ in range(rounds):
        seen["ours"].append(read(ours, seconds))
        seen["peer"].append(read(peers[better], seconds))
    return {name: statistics.median(rates) for name, rates in seen.items()} | {"workers": better}


def measure(program, venv, where, database, source, seconds, rounds):
    """Both sides over the rows that ours was given; `source` says where the peer finds them, once they are there."""
    command = lambda *words, text="": subprocess.run([program, *words, *where], input=text, text=True, check=True, capture_output=True)
    command("brand", "create", "Bench")
    command("user", "create", "--brand", "Bench", "--email", EMAIL, "--role", "admin", "--password-stdin", text=PASSWORD)
    with contextlib.ExitStack() as stack:
        ours = Keepclear(program, where[1], database)
        stack.callback(ours.stop)
        ours.wait_until_ready()
        headers = log_in(ours.base)
        fill(ours.base, headers)
        environment = source()
        peers = {kind: Django(venv, kind, environment, "documents") for kind in ("sync", "gthread")}
        for peer in peers.values():
            stack.callback(peer.stop)
            peer.wait_until_ready()
        return compare(ours, peers, headers, seconds, rounds)


def on_sqlite(program, venv, folder, seconds, rounds):
    data = folder / "data"
    data.mkdir(parents=True)

    def copy():
        with contextlib.closing(sqlite3.connect(data / "keepclear.db")) as connection:
            connection.execute("vacuum into ?", [str(folder / "peer.db")])
        return {"PEER_SQLITE": str(folder / "peer.db")}

    return measure(program, venv, ["--data", data], None, copy, seconds, rounds)


def on_postgres(program, venv, folder, seconds, rounds):
    folder.mkdir()
    cluster = Postgres()
    with contextlib.ExitStack() as stack:
        stack.callback(cluster.stop)
        cluster.create("keepclear")
        url = cluster.url("keepclear")

        def ready():
            cluster.run("keepclear", "vacuum analyze")
            # Both only read, so that one database serves both.
            return {"PEER_POSTGRES": f"{cluster.folder}/keepclear"}

        return measure(program, venv, ["--data", folder / "data", "--database", url], url, ready, seconds, rounds)


def rows(program, cache, folder, seconds, rounds):
    """The rows of the results."""
    venv = ensure_peer(cache)
    line = lambda engine, of: (
        f"`GET {PATH}`, {engine}",
        f"{of['ours']:,.0f} a second",
        f"{of['ours'] / of['peer']:.1f} times the peer's {of['peer']:,.0f} ({of['workers']})",
        "at least 15 times",
    )
    sqlite = on_sqlite(program, venv, folder / "sqlite", seconds, rounds)
    postgres = on_postgres(program, venv, folder / "postgres", seconds, rounds)
    shutil.rmtree(folder, ignore_errors=True)
    return [line("SQLite", sqlite), line("PostgreSQL", postgres)]

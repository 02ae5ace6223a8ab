"""Compare a page of JSON:API resources with Django REST framework JSON:API, over the same rows: worksites with their projects."""

import contextlib
import json
import re
import shutil
import sqlite3
import statistics
import subprocess
import urllib.request

from postgres import PostgresCluster
from servers import Django, Keepclear, ensure_peer_venv, wrk

EMAIL, PASSWORD = "bench@example.com", "plum wagon sixty tiles"
PROJECTS, WORKSITES, PAGE = 50, 1_000, 100
KINDS = ("infrastructure", "rail_maintenance", "logistics", "other")


def log_in(base):
    body = json.dumps({"email": EMAIL, "password": PASSWORD}).encode()
    request = urllib.request.Request(base + "/api/v2/login", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as response:
        return {"Authorization": f"Bearer {response.headers['accesstoken']}"}


def create(base, headers, kind, attributes, relationships):
    request_document = {"data": {"type": kind, "attributes": attributes, "relationships": relationships}}
    headers = {**headers, "Content-Type": "application/vnd.api+json"}
    with urllib.request.urlopen(urllib.request.Request(f"{base}/api/v2/{kind}", json.dumps(request_document).encode(), headers)) as response:
        return json.load(response)["data"]["id"]


class WorksitePage:
    """A page of worksites with their projects."""

    path = "/api/v2/worksites?include=project&page[size]=100"
    goals = {"SQLite": "at least 15 times", "PostgreSQL": "at least 15 times"}

    def add_rows_offline(self, command):
        """Add rows with the command line, before the service starts."""

    def add_rows(self, base, headers):
        """Add rows with requests."""
        create_worksites(base, headers)

    def is_complete(self, data, included):
        return (len(data), len(included)) == (PAGE, PROJECTS)


def create_worksites(base, headers):
    """Create worksites with boundaries. They take turns between the projects, so that a page includes all projects."""
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


def fetch_page(base, path, headers):
    """Return the resources of a page, with trailing zeros of times removed, since only one side writes them."""
    with urllib.request.urlopen(urllib.request.Request(base + path, headers=headers)) as response:
        document = json.loads(re.sub(r'(\.\d*?)0+Z"', r'\1Z"', response.read().decode()))
    assert document["links"]["next"], "there is no second page"
    return document["data"], sorted(document["included"], key=lambda resource: (resource["type"], int(resource["id"])))


def measure_rates(page, ours, peers, headers, seconds, rounds):
    """Check that both sides respond alike, and return their median rates."""
    data, included = fetch_page(ours.base, page.path, headers)
    assert page.is_complete(data, included), f"{len(data)} resources with {len(included)} included ones"
    for peer in peers.values():
        peer_page = fetch_page(peer.base, page.path, headers)
        pairs = zip(data + included, peer_page[0] + peer_page[1])
        difference = next((f"{our_resource}\n{peer_resource}" for our_resource, peer_resource in pairs if our_resource != peer_resource), "")
        assert (data, included) == peer_page, f"the responses of Keepclear and its peer differ:\n{difference}"
    read = lambda server, duration_s: wrk(server.base + page.path, headers, duration_s)[0]
    best_workers = max(peers, key=lambda workers: read(peers[workers], 2))
    rates = {"ours": [], "peer": []}
    for _ in range(rounds):
        rates["ours"].append(read(ours, seconds))
        rates["peer"].append(read(peers[best_workers], seconds))
    return {name: statistics.median(values) for name, values in rates.items()} | {"workers": best_workers}


def measure(page, program, venv, database_arguments, database, prepare_peer, seconds, rounds):
    """Measure both sides over the same rows. `prepare_peer` is called once they exist, and returns the environment of the peer."""
    command = lambda *arguments, text="": subprocess.run([program, *arguments, *database_arguments], input=text, text=True, check=True, capture_output=True)
    command("brand", "create", "Bench")
    command("user", "create", "--brand", "Bench", "--email", EMAIL, "--role", "admin", "--password-stdin", text=PASSWORD)
    page.add_rows_offline(command)
    with contextlib.ExitStack() as stack:
        ours = Keepclear(program, database_arguments[1], database)
        stack.callback(ours.stop)
        ours.wait_until_ready()
        headers = log_in(ours.base)
        page.add_rows(ours.base, headers)
        environment = prepare_peer()
        peers = {workers: Django(venv, workers, environment, "documents") for workers in ("sync", "gthread")}
        for peer in peers.values():
            stack.callback(peer.stop)
            peer.wait_until_ready()
        return measure_rates(page, ours, peers, headers, seconds, rounds)


def measure_sqlite(page, program, venv, folder, seconds, rounds):
    data = folder / "data"
    data.mkdir(parents=True)

    def copy_database():
        with contextlib.closing(sqlite3.connect(data / "keepclear.db")) as connection:
            connection.execute("vacuum into ?", [str(folder / "peer.db")])
        return {"PEER_SQLITE": str(folder / "peer.db")}

    return measure(page, program, venv, ["--data", data], None, copy_database, seconds, rounds)


def measure_postgres(page, program, venv, folder, seconds, rounds):
    folder.mkdir()
    cluster = PostgresCluster()
    with contextlib.ExitStack() as stack:
        stack.callback(cluster.stop)
        cluster.create_database("keepclear")
        url = cluster.url("keepclear")

        def analyze_database():
            cluster.run_sql("keepclear", "vacuum analyze")
            # Both sides only read, so they can share a database.
            return {"PEER_POSTGRES": f"{cluster.folder}/keepclear"}

        return measure(page, program, venv, ["--data", folder / "data", "--database", url], url, analyze_database, seconds, rounds)


def compare(page, program, cache, folder, seconds, rounds):
    """Return the rows of the results for a page."""
    venv = ensure_peer_venv(cache)
    row = lambda engine, rates: (
        f"`GET {page.path}`, {engine}",
        f"{rates['ours']:,.0f} a second",
        f"{rates['ours'] / rates['peer']:.1f} times the peer's {rates['peer']:,.0f} ({rates['workers']})",
        page.goals[engine],
    )
    sqlite = measure_sqlite(page, program, venv, folder / "sqlite", seconds, rounds)
    postgres = measure_postgres(page, program, venv, folder / "postgres", seconds, rounds)
    shutil.rmtree(folder, ignore_errors=True)
    return [row("SQLite", sqlite), row("PostgreSQL", postgres)]


def rows(program, cache, folder, seconds, rounds):
    """Return the rows of this part of the results."""
    return compare(WorksitePage(), program, cache, folder, seconds, rounds)

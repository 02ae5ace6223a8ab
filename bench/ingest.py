"""Durable ingest over HTTP beside the quickest way into the same table: SQLite's C interface, PostgreSQL's COPY."""

import contextlib
import http.client
import random
import re
import shutil
import sqlite3
import statistics
import subprocess
import threading
import time
import urllib.request

from postgres import Postgres
from servers import Keepclear

BATCH, CONNECTIONS, STATIONS, TAGS = 1_000, 8, 40, 200


def template():
    """A batch without its name and its hour: a thousand incursions, as stations of a busy site send them."""
    chance = random.Random(7)
    events = []
    for number in range(BATCH):
        minute, second = divmod(chance.randrange(3_600), 60)
        events.append(
            f'{{"uid":"@NAME@-{number:04}","kind":"incursion","base_station":"ST-{chance.randrange(STATIONS):03}",'
            f'"tag":"TAG-{chance.randrange(TAGS):04}","operator_tag":"TAG-{chance.randrange(TAGS):04}",'
            f'"started_at":"@HOUR@:{minute:02}:{second:02}.{chance.randrange(1000):03}Z","duration_ms":{chance.randrange(500, 60_000)},'
            f'"zone":"{chance.choice(["warning", "warning", "danger"])}","closest_cm":{chance.randrange(20, 900)},'
            f'"lat":{52.5 + chance.random() / 100:.6f},"lon":{13.4 + chance.random() / 100:.6f}}}'
        )
    return ("[" + ",".join(events) + "]").encode()


TEMPLATE = template()


def batch(number):
    """The batch of that number: its uids are its own, its hour one of the last month's."""
    hour = time.strftime("%Y-%m-%dT%H", time.gmtime(time.time() - 3_600 * (1 + number % 700)))
    return TEMPLATE.replace(b"@NAME@", b"%07d" % number).replace(b"@HOUR@", hour.encode())


def send(port, token, batches, each=None):
    """Sends so many batches over all connections; events a second, from the first byte to the last answer."""
    numbers, lock, faults = iter(range(batches)), threading.Lock(), []

    def sender():
        connection = http.client.HTTPConnection("127.0.0.1", port)
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        while not faults:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            connection.request("POST", "/ingest/v1/events", batch(number), headers)
            answer = connection.getresponse()
            body = answer.read()
            if answer.status != 200 or b'"accepted":1000' not in body:
                faults.append((answer.status, body))
            elif each:
                each(number)

    began = time.perf_counter()
    threads = [threading.Thread(target=sender) for _ in range(CONNECTIONS)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not faults, faults[0]
    return batches * BATCH / (time.perf_counter() - began)


def commits(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        return int(re.search(r"^keepclear_intake_commits_total (\d+)$", answer.read().decode(), re.M).group(1))


def stations_sql():
    rows = ",".join(f"(1, 'ST-{n:03}', 'st-{n:03}', 1772366430000000, 1772366430000000)" for n in range(STATIONS))
    return f"insert into base_stations (brand_id, serial, serial_key, created_at, updated_at) values {rows}"


def set_up(program, where):
    command = lambda *words: subprocess.run([program, *words, *where], check=True, capture_output=True, text=True).stdout.strip()
    command("brand", "create", "Bench")
    return command("token", "issue", "--brand", "Bench", "--kind", "gateway", "--name", "Gateway 1")


def on_sqlite(program, bare, folder, batches):
    """Events a second of both sides, and how many went into a commit."""
    data = folder / "data"
    data.mkdir()
    token = set_up(program, ["--data", data])
    with contextlib.closing(sqlite3.connect(data / "keepclear.db")) as connection, connection:
        connection.execute(stations_sql())
    shutil.copytree(data, folder / "empty")
    server = Keepclear(program, data)
    server.wait_until_ready()
    ours = send(server.port, token, batches)
    per_commit = round(batches * BATCH / commits(server.port))
    server.stop()
    source, target = data / "keepclear.db", folder / "empty" / "keepclear.db"
    peer = float(subprocess.run([bare, source, target, str(per_commit)], check=True, capture_output=True, text=True).stdout)
    with contextlib.closing(sqlite3.connect(target)) as there, contextlib.closing(sqlite3.connect(source)) as here:
        count = lambda connection: connection.execute("select count(*), sum(started_at / 1000000), max(seq) from incursions").fetchone()
        assert count(here) == count(there) and count(here)[0] == batches * BATCH, (count(here), count(there))
    return {"ours": ours, "peer": peer, "per_commit": per_commit}


def on_postgres(program, folder, batches):
    cluster = Postgres()
    try:
        where = ["--data", folder / "data", "--database", cluster.url("keepclear")]
        cluster.create("keepclear")
        token = set_up(program, where)
        cluster.run("keepclear", stations_sql())
        server = Keepclear(program, folder / "data", cluster.url("keepclear"))
        server.wait_until_ready()
        ours = send(server.port, token, batches)
        per_commit = round(batches * BATCH / commits(server.port))
        server.stop()
        file = cluster.folder / "rows.copy"
        cluster.run("keepclear", f"copy (select * from incursions order by id) to '{file}'")
        cluster.run("keepclear", "truncate incursions; vacuum incursions; checkpoint")
        began = time.perf_counter()
        cluster.run("keepclear", f"copy incursions from '{file}'")
        peer = batches * BATCH / (time.perf_counter() - began)
        assert int(cluster.run("keepclear", "select count(*) from incursions")) == batches * BATCH
        return {"ours": ours, "peer": peer, "per_commit": per_commit}
    finally:
        cluster.stop()


def memory(program, folder, batches):
    """Megabytes that the server grows by over so many batches at full speed, after the first hundred."""
    data = folder / "data"
    data.mkdir()
    token = set_up(program, ["--data", data])
    with contextlib.closing(sqlite3.connect(data / "keepclear.db")) as connection, connection:
        connection.execute(stations_sql())
    server = Keepclear(program, data)
    server.wait_until_ready()
    seen = []
    rate = send(server.port, token, batches, lambda number: seen.append(server.resident_mb()) if number % 100 == 99 else None)
    server.stop()
    return {"rate": rate, "first": seen[0], "most": max(seen)}


def median(results):
    keys = results[0].keys()
    return {key: statistics.median(result[key] for result in results) for key in keys}


def rows(program, bare, folder, rounds, batches=300, memory_batches=10_000):
    """The rows of the results."""
    def repeat(name, run):
        results = []
        for number in range(rounds):
            place = folder / f"{name}-{number}"
            place.mkdir(parents=True)
            results.append(run(place))
            shutil.rmtree(place, ignore_errors=True)
        return median(results)

    sqlite = repeat("sqlite", lambda place: on_sqlite(program, bare, place, batches))
    postgres = repeat("postgres", lambda place: on_postgres(program, place, batches))
    place = folder / "memory"
    place.mkdir()
    grown = memory(program, place, memory_batches)
    line = lambda name, of, peer, goal: (
        f"durable ingest over HTTP, {name}, {of['per_commit']:,.0f} events a commit",
        f"{of['ours']:,.0f} events a second",
        f"{of['ours'] / of['peer']:.2f} of {peer}'s {of['peer']:,.0f}",
        goal,
    )
    return [
        line("SQLite", sqlite, "a bare loop through the C interface", "at least 0.5"),
        line("PostgreSQL", postgres, "`COPY`", "at least 0.33"),
        (
            f"resident memory over {memory_batches / 1_000:,.0f} M events, SQLite",
            f"{grown['most']:,.0f} MB at most",
            f"{grown['most'] - grown['first']:+.0f} MB since the first 100,000; {grown['rate']:,.0f} events a second",
            "below +50 MB",
        ),
    ]

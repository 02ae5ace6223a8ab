"""Compare durable ingest over HTTP with the fastest inserts into the same table: SQLite's C interface and PostgreSQL's COPY."""

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

from postgres import PostgresCluster
from servers import Keepclear

BATCH, CONNECTIONS, STATIONS, TAGS = 1_000, 8, 40, 200


def batch_template():
    """Return a batch of a thousand incursions, with placeholders for its name and its hour."""
    rng = random.Random(7)
    events = []
    for number in range(BATCH):
        minute, second = divmod(rng.randrange(3_600), 60)
        events.append(
            f'{{"uid":"@NAME@-{number:04}","kind":"incursion","base_station":"ST-{rng.randrange(STATIONS):03}",'
            f'"tag":"TAG-{rng.randrange(TAGS):04}","operator_tag":"TAG-{rng.randrange(TAGS):04}",'
            f'"started_at":"@HOUR@:{minute:02}:{second:02}.{rng.randrange(1000):03}Z","duration_ms":{rng.randrange(500, 60_000)},'
            f'"zone":"{rng.choice(["warning", "warning", "danger"])}","closest_cm":{rng.randrange(20, 900)},'
            f'"lat":{52.5 + rng.random() / 100:.6f},"lon":{13.4 + rng.random() / 100:.6f}}}'
        )
    return ("[" + ",".join(events) + "]").encode()


TEMPLATE = batch_template()


def batch(number):
    """Return the batch with a number. Its uids are unique, and its hour is one of the last 700."""
    hour = time.strftime("%Y-%m-%dT%H", time.gmtime(time.time() - 3_600 * (1 + number % 700)))
    return TEMPLATE.replace(b"@NAME@", b"%07d" % number).replace(b"@HOUR@", hour.encode())


def send_batches(port, token, batches, on_accepted=None):
    """Send batches over all connections. Return events per second, from the first request to the last response."""
    numbers, lock, faults = iter(range(batches)), threading.Lock(), []

    def send_from_one_connection():
        connection = http.client.HTTPConnection("127.0.0.1", port)
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        while not faults:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            connection.request("POST", "/ingest/v1/events", batch(number), headers)
            response = connection.getresponse()
            body = response.read()
            if response.status != 200 or b'"accepted":1000' not in body:
                faults.append((response.status, body))
            elif on_accepted:
                on_accepted(number)

    started_at = time.perf_counter()
    threads = [threading.Thread(target=send_from_one_connection) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults, faults[0]
    return batches * BATCH / (time.perf_counter() - started_at)


def count_commits(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as response:
        return int(re.search(r"^keepclear_intake_commits_total (\d+)$", response.read().decode(), re.M).group(1))


def stations_sql():
    rows = ",".join(f"(1, 'ST-{n:03}', 'st-{n:03}', 1772366430000000, 1772366430000000)" for n in range(STATIONS))
    return f"insert into base_stations (brand_id, serial, serial_key, created_at, updated_at) values {rows}"


def set_up(program, database_arguments):
    command = lambda *arguments: subprocess.run([program, *arguments, *database_arguments], check=True, capture_output=True, text=True).stdout.strip()
    command("brand", "create", "Bench")
    return command("token", "issue", "--brand", "Bench", "--kind", "gateway", "--name", "Gateway 1")


def measure_sqlite(program, bare_insert, folder, batches):
    """Return the events per second of both sides, and the events per commit."""
    data = folder / "data"
    data.mkdir()
    token = set_up(program, ["--data", data])
    with contextlib.closing(sqlite3.connect(data / "keepclear.db")) as connection, connection:
        connection.execute(stations_sql())
    shutil.copytree(data, folder / "empty")
    server = Keepclear(program, data)
    server.wait_until_ready()
    ours = send_batches(server.port, token, batches)
    per_commit = round(batches * BATCH / count_commits(server.port))
    server.stop()
    source, target = data / "keepclear.db", folder / "empty" / "keepclear.db"
    peer = float(subprocess.run([bare_insert, source, target, str(per_commit)], check=True, capture_output=True, text=True).stdout)
    with contextlib.closing(sqlite3.connect(target)) as peer_db, contextlib.closing(sqlite3.connect(source)) as our_db:
        count = lambda connection: connection.execute("select count(*), sum(started_at / 1000000), max(seq) from incursions").fetchone()
        assert count(our_db) == count(peer_db) and count(our_db)[0] == batches * BATCH, (count(our_db), count(peer_db))
    return {"ours": ours, "peer": peer, "per_commit": per_commit}


def measure_postgres(program, folder, batches):
    cluster = PostgresCluster()
    try:
        database_arguments = ["--data", folder / "data", "--database", cluster.url("keepclear")]
        cluster.create_database("keepclear")
        token = set_up(program, database_arguments)
        cluster.run_sql("keepclear", stations_sql())
        server = Keepclear(program, folder / "data", cluster.url("keepclear"))
        server.wait_until_ready()
        ours = send_batches(server.port, token, batches)
        per_commit = round(batches * BATCH / count_commits(server.port))
        server.stop()
        file = cluster.folder / "rows.copy"
        cluster.run_sql("keepclear", f"copy (select * from incursions order by id) to '{file}'")
        cluster.run_sql("keepclear", "truncate incursions; vacuum incursions; checkpoint")
        started_at = time.perf_counter()
        cluster.run_sql("keepclear", f"copy incursions from '{file}'")
        peer = batches * BATCH / (time.perf_counter() - started_at)
        assert int(cluster.run_sql("keepclear", "select count(*) from incursions")) == batches * BATCH
        return {"ours": ours, "peer": peer, "per_commit": per_commit}
    finally:
        cluster.stop()


def measure_memory(program, folder, batches):
    """Return the resident memory after the first hundred batches, its maximum over all batches, and the rate."""
    data = folder / "data"
    data.mkdir()
    token = set_up(program, ["--data", data])
    with contextlib.closing(sqlite3.connect(data / "keepclear.db")) as connection, connection:
        connection.execute(stations_sql())
    server = Keepclear(program, data)
    server.wait_until_ready()
    resident_samples_mb = []
    rate = send_batches(server.port, token, batches, lambda number: resident_samples_mb.append(server.resident_mb()) if number % 100 == 99 else None)
    server.stop()
    return {"rate": rate, "first_mb": resident_samples_mb[0], "max_mb": max(resident_samples_mb)}


def median(results):
    keys = results[0].keys()
    return {key: statistics.median(result[key] for result in results) for key in keys}


def rows(program, bare_insert, folder, rounds, batches=300, memory_batches=10_000):
    """Return the rows of this part of the results."""
    def repeat(name, measure):
        results = []
        for number in range(rounds):
            round_folder = folder / f"{name}-{number}"
            round_folder.mkdir(parents=True)
            results.append(measure(round_folder))
            shutil.rmtree(round_folder, ignore_errors=True)
        return median(results)

    sqlite = repeat("sqlite", lambda round_folder: measure_sqlite(program, bare_insert, round_folder, batches))
    postgres = repeat("postgres", lambda round_folder: measure_postgres(program, round_folder, batches))
    memory_folder = folder / "memory"
    memory_folder.mkdir()
    memory_growth = measure_memory(program, memory_folder, memory_batches)
    row = lambda engine, rates, peer, goal: (
        f"durable ingest over HTTP, {engine}, {rates['per_commit']:,.0f} events a commit",
        f"{rates['ours']:,.0f} events a second",
        f"{rates['ours'] / rates['peer']:.2f} of {peer}'s {rates['peer']:,.0f}",
        goal,
    )
    return [
        row("SQLite", sqlite, "a bare loop through the C interface", "at least 0.5"),
        row("PostgreSQL", postgres, "`COPY`", "at least 0.33"),
        (
            f"resident memory over {memory_batches / 1_000:,.0f} M events, SQLite",
            f"{memory_growth['max_mb']:,.0f} MB at most",
            f"{memory_growth['max_mb'] - memory_growth['first_mb']:+.0f} MB since the first 100,000; {memory_growth['rate']:,.0f} events a second",
            "below +50 MB",
        ),
    ]

"""Measure the latency of ingest while hundreds of thousands of incursions are attributed again."""

import contextlib
import http.client
import json
import sqlite3
import subprocess
import threading
import time
import urllib.request

import ingest
from postgres import PostgresCluster
from servers import Keepclear

EMAIL, PASSWORD = "bench@example.com", "plum wagon sixty tiles"
COUNT_ATTRIBUTED = "select count(*) from incursions where machine_id is not null"


def call_json(base, headers, method, path, body):
    request = urllib.request.Request(base + path, json.dumps(body).encode(), {**headers, "Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request) as response:
        return response.headers, json.load(response)


class Gateway:
    """Sends a batch of 100 incursions every 50 ms."""

    def __init__(self, port, token):
        self.port, self.token, self.number = port, token, 0

    def measure_latencies(self, is_done):
        """Send batches until `is_done()`, and return the milliseconds that each took, sorted."""
        latencies_ms = []
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        while not is_done():
            self.number += 1
            events = json.loads(ingest.batch(0))[:100]
            for event in events:
                event["uid"] = f"late-{self.number}-{event['uid']}"
            body = json.dumps(events)
            started_at = time.perf_counter()
            connection.request("POST", "/ingest/v1/events", body, headers)
            response = connection.getresponse()
            text = response.read()
            latencies_ms.append((time.perf_counter() - started_at) * 1000)
            assert response.status == 200 and b'"accepted":100' in text, text
            time.sleep(max(0, 0.05 - (time.perf_counter() - started_at)))
        return sorted(latencies_ms)


def measure(program, server, database_arguments, count, batches):
    """Measure latencies in milliseconds, first while the service is idle and then during reattribution."""
    def command(*arguments, text=""):
        return subprocess.run([program, *arguments, *database_arguments], input=text, text=True, check=True, capture_output=True).stdout.strip()

    command("user", "create", "--brand", "Bench", "--email", EMAIL, "--role", "admin", "--password-stdin", text=PASSWORD)
    token = command("token", "issue", "--brand", "Bench", "--kind", "gateway", "--name", "Gateway 2")
    ingest.send_batches(server.port, token, batches)
    headers, _ = call_json(server.base, {}, "POST", "/api/v1/session", {"email": EMAIL, "password": PASSWORD})
    cookie = {"Cookie": headers["set-cookie"].split(";")[0]}
    gateway = Gateway(server.port, token)
    end = time.perf_counter() + 10
    idle = gateway.measure_latencies(lambda: time.perf_counter() > end)
    total = count("select count(*) from incursions")
    since = time.strftime("%Y-%m-%dT00:00:00Z", time.gmtime(time.time() - 86_400 * 40))
    started_at = time.perf_counter()
    for station in range(1, ingest.STATIONS + 1):
        _, machine = call_json(server.base, cookie, "POST", "/api/v1/machines", {"name": f"Digger {station}", "kind": "excavator"})
        body = {"machine_id": machine["id"], "effective_from": since}
        call_json(server.base, cookie, "PUT", f"/api/v1/base_stations/{station}/installation", body)
    done = threading.Event()

    def wait_until_attributed():
        while count(COUNT_ATTRIBUTED) < total:
            time.sleep(0.5)
        done.set()

    threading.Thread(target=wait_until_attributed, daemon=True).start()
    busy = gateway.measure_latencies(done.is_set)
    return {"rows": total, "seconds": time.perf_counter() - started_at, "idle": idle, "busy": busy}


def measure_sqlite(program, folder, batches):
    data = folder / "data"
    data.mkdir(parents=True)
    ingest.set_up(program, ["--data", data])
    with contextlib.closing(sqlite3.connect(data / "keepclear.db")) as connection, connection:
        connection.execute(ingest.stations_sql())
    server = Keepclear(program, data)

    def count(sql):
        with contextlib.closing(sqlite3.connect(data / "keepclear.db")) as connection:
            return connection.execute(sql).fetchone()[0]

    try:
        server.wait_until_ready()
        return measure(program, server, ["--data", data], count, batches)
    finally:
        server.stop()


def measure_postgres(program, folder, batches):
    folder.mkdir(parents=True)
    cluster = PostgresCluster()
    with contextlib.ExitStack() as stack:
        stack.callback(cluster.stop)
        cluster.create_database("keepclear")
        database_arguments = ["--data", folder / "data", "--database", cluster.url("keepclear")]
        ingest.set_up(program, database_arguments)
        cluster.run_sql("keepclear", ingest.stations_sql())
        server = Keepclear(program, folder / "data", cluster.url("keepclear"))
        stack.callback(server.stop)
        server.wait_until_ready()
        return measure(program, server, database_arguments, lambda sql: int(cluster.run_sql("keepclear", sql)), batches)


def rows(program, folder, batches=300):
    """Return the rows of this part of the results."""
    percentile = lambda times, share: times[min(len(times) - 1, int(len(times) * share))]
    table = []
    for name, measure_engine in (("SQLite", measure_sqlite), ("PostgreSQL", measure_postgres)):
        result = measure_engine(program, folder / f"reattribution-{name}", batches)
        idle, busy = result["idle"], result["busy"]
        table.append((
            f"response to a batch of 100 while {result['rows']:,} incursions are attributed again ({result['seconds']:.0f} s), {name}",
            f"median {percentile(busy, 0.5):.0f} ms, p99 {percentile(busy, 0.99):.0f} ms, worst of {len(busy)} {busy[-1]:.0f} ms",
            f"otherwise median {percentile(idle, 0.5):.0f} ms, p99 {percentile(idle, 0.99):.0f} ms, worst of {len(idle)} {idle[-1]:.0f} ms",
            "delayed by at most 50 ms",
        ))
    return table

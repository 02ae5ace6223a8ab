"""How long batches wait for their answer while hundreds of thousands of incursions are attributed anew."""

import contextlib
import http.client
import json
import sqlite3
import subprocess
import threading
import time
import urllib.request

import ingest
from postgres import Postgres
from servers import Keepclear

EMAIL, PASSWORD = "bench@example.com", "plum wagon sixty tiles"
LINKED = "select count(*) from incursions where machine_id is not null"


def call(base, headers, method, path, body):
    request = urllib.request.Request(base + path, json.dumps(body).encode(), {**headers, "Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request) as answer:
        return answer.headers, json.load(answer)


class Sender:
    """A gateway that sends a batch of 100 every 50 ms and notes how long each answer took."""

    def __init__(self, port, token):
        self.port, self.token, self.number, self.faults = port, token, 0, []

    def times(self, until):
        seen = []
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        while not until():
            self.number += 1
            events = json.loads(ingest.batch(0))[:100]
            for event in events:
                event["uid"] = f"late-{self.number}-{event['uid']}"
            body = json.dumps(events)
            began = time.perf_counter()
            connection.request("POST", "/ingest/v1/events", body, headers)
            answer = connection.getresponse()
            text = answer.read()
            seen.append((time.perf_counter() - began) * 1000)
            assert answer.status == 200 and b'"accepted":100' in text, text
            time.sleep(max(0, 0.05 - (time.perf_counter() - began)))
        return sorted(seen)


def measure(program, server, where, count, batches):
    """Milliseconds until the answer, with nothing else going on and while everything is attributed anew."""
    def command(*words, text=""):
        return subprocess.run([program, *words, *where], input=text, text=True, check=True, capture_output=True).stdout.strip()

    command("user", "create", "--brand", "Bench", "--email", EMAIL, "--role", "admin", "--password-stdin", text=PASSWORD)
    token = command("token", "issue", "--brand", "Bench", "--kind", "gateway", "--name", "Gateway 2")
    ingest.send(server.port, token, batches)
    headers, _ = call(server.base, {}, "POST", "/api/v1/session", {"email": EMAIL, "password": PASSWORD})
    cookie = {"Cookie": headers["set-cookie"].split(";")[0]}
    sender = Sender(server.port, token)
    end = time.perf_counter() + 10
    idle = sender.times(lambda: time.perf_counter() > end)
    total = count("select count(*) from incursions")
    since = time.strftime("%Y-%m-%dT00:00:00Z", time.gmtime(time.time() - 86_400 * 40))
    began = time.perf_counter()
    for station in range(1, ingest.STATIONS + 1):
        _, machine = call(server.base, cookie, "POST", "/api/v1/machines", {"name": f"Digger {station}", "kind": "excavator"})
        body = {"machine_id": machine["id"], "effective_from": since}
        call(server.base, cookie, "PUT", f"/api/v1/base_stations/{station}/installation", body)
    done = threading.Event()

    def wait():
        while count(LINKED) < total:
            time.sleep(0.5)
        done.set()

    threading.Thread(target=wait, daemon=True).start()
    busy = sender.times(done.is_set)
    return {"rows": total, "seconds": time.perf_counter() - began, "idle": idle, "busy": busy}


def on_sqlite(program, folder, batches):
    data = folder / "data"
    data.mkdir(parents=True)
    ingest.set_up(program, ["--data", data])
    with contextlib.closing(sqlite3.connect(data / "keepclear.db")) as connection, connection:
        connection.execute(ingest.stations_sql())
    server = Keepclear(program, data)

    def count(text):
        with contextlib.closing(sqlite3.connect(data / "keepclear.db")) as connection:
            return connection.execute(text).fetchone()[0]

    try:
        server.wait_until_ready()
        return measure(program, server, ["--data", data], count, batches)
    finally:
        server.stop()


def on_postgres(program, folder, batches):
    folder.mkdir(parents=True)
    cluster = Postgres()
    with contextlib.ExitStack() as stack:
        stack.callback(cluster.stop)
        cluster.create("keepclear")
        where = ["--data", folder / "data", "--database", cluster.url("keepclear")]
        ingest.set_up(program, where)
        cluster.run("keepclear", ingest.stations_sql())
        server = Keepclear(program, folder / "data", cluster.url("keepclear"))
        stack.callback(server.stop)
        server.wait_until_ready()
        return measure(program, server, where, lambda text: int(cluster.run("keepclear", text)), batches)


def rows(program, folder, batches=300):
    """The rows of the results."""
    at = lambda times, part: times[min(len(times) - 1, int(len(times) * part))]
    table = []
    for name, run in (("SQLite", on_sqlite), ("PostgreSQL", on_postgres)):
        seen = run(program, folder / f"reattribution-{name}", batches)
        idle, busy = seen["idle"], seen["busy"]
        table.append((
            f"answer to a batch of 100 while {seen['rows']:,} incursions are attributed anew ({seen['seconds']:.0f} s), {name}",
            f"median {at(busy, 0.5):.0f} ms, p99 {at(busy, 0.99):.0f} ms, worst of {len(busy)} {busy[-1]:.0f} ms",
            f"otherwise median {at(idle, 0.5):.0f} ms, p99 {at(idle, 0.99):.0f} ms, worst of {len(idle)} {idle[-1]:.0f} ms",
            "held up for at most 50 ms",
        ))
    return table

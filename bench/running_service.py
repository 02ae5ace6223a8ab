"""Insights of a running service: over HTTP, on rows that really are in the store, and while more come in."""

import http.client
import json
import multiprocessing
import statistics
import subprocess
import time

from reattribution import call
from servers import Keepclear

EMAIL, PASSWORD = "bench@example.com", "plum wagon sixty tiles"
# 200 machines of 46 incursions a day and three years: about ten million.
DAYS = 1_100
WORLD = ["--projects", "5", "--sites", "20", "--machines", "200", "--people", "800", "--days", str(DAYS), "--gps-interval-s", "0"]
PIVOT = "/api/v2/advanced_insights/pivot"


def questions(since):
    """The questions of `crates/cube/examples/insights/questions.rs`, as integrators ask them: a GET of V1, or a body for the pivot."""
    filters = {"from": since}
    return [
        ("per day: count, acknowledged", f"/api/v1/insights/trends?interval=day&metric=incursions&metric=acknowledged&from={since}"),
        ("site x month x zone: count, duration", {"rows": ["worksite", "month", "zone"], "measures": ["incursions", "average_duration"], "filters": filters}),
        ("top machines, last 30 days", "/api/v1/insights/breakdown?by=machine&metric=incursions&limit=20"),
        ("machine x person pairs of one project", {"rows": ["machine", "pedestrian"], "measures": ["incursions"], "filters": {**filters, "project_id": [1]}, "limit": 100}),
        ("weekday x hour of one site", {"rows": ["day_of_week"], "columns": ["hour_of_day"], "measures": ["incursions"], "filters": {**filters, "worksite_id": [3]}}),
        ("distinct people per site and week", {"rows": ["worksite", "week"], "measures": ["pedestrians"], "filters": filters}),
        ("project x site x month with subtotals and totals", {"rows": ["project", "worksite", "month"], "measures": ["incursions", "acknowledgement_rate", "average_duration"], "filters": filters}),
        ("heat map of one site, filtered", f"/api/v1/insights/heatmap?resolution=12&worksite_id=3&zone=danger&min_duration_s=5&from={since}"),
    ]


class Asker:
    """Asks over one connection, and notes how long each answer took, in milliseconds."""

    def __init__(self, server, cookie, jwt):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port)
        self.cookie, self.jwt = cookie, jwt

    def is_answered(self, path):
        self.connection.request("GET", path, headers=self.cookie)
        answer = self.connection.getresponse()
        answer.read()
        assert answer.status in (200, 503), answer.status
        return answer.status == 200

    def ask(self, question):
        began = time.perf_counter()
        if isinstance(question, str):
            self.connection.request("GET", question, headers=self.cookie)
        else:
            headers = {**self.jwt, "Content-Type": "application/json"}
            self.connection.request("POST", PIVOT, json.dumps(question), headers)
        answer = self.connection.getresponse()
        body = answer.read()
        took = (time.perf_counter() - began) * 1000
        assert answer.status == 200, (question, answer.status, body[:500])
        return took, body


class Gateway:
    """Sends batches of 250 incursions."""

    BATCH = 250

    def __init__(self, port, token, stations, tags):
        self.connection = http.client.HTTPConnection("127.0.0.1", port)
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        events = (
            f'{{"uid":"@NAME@-{number}","kind":"incursion","base_station":"{stations[number % len(stations)]}",'
            f'"tag":"{tags[number % len(tags)]}","started_at":"@AT@.{number:03}Z","duration_ms":{500 + number * 37},"zone":"warning"}}'
            for number in range(self.BATCH)
        )
        self.template = "[" + ",".join(events) + "]"

    def send(self, name):
        """Sends one, and gives the answer's number."""
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() - 2))
        body = self.template.replace("@NAME@", name).replace("@AT@", at)
        self.connection.request("POST", "/ingest/v1/events", body, self.headers)
        answer = self.connection.getresponse()
        text = answer.read()
        assert answer.status == 200 and f'"accepted":{self.BATCH}'.encode() in text, text[:500]
        return json.loads(text)["seq"]


class Load(multiprocessing.Process):
    """A gateway that sends 5,000 incursions a second. A process of its own: whoever asks would wait for a thread's turns."""

    RATE = 5_000

    def __init__(self, *about):
        super().__init__(daemon=True)
        self.about, self.ended, self.sent = about, multiprocessing.Event(), multiprocessing.Value("i", 0)

    def run(self):
        gateway = Gateway(*self.about)
        every = gateway.BATCH / self.RATE
        due = time.perf_counter()
        while not self.ended.is_set():
            gateway.send(f"load-{self.sent.value}")
            self.sent.value += 1
            due = max(due + every, time.perf_counter() - every)
            time.sleep(max(0, due - time.perf_counter()))


def rows(program, folder, rounds):
    """The rows of the results."""
    data = folder / "data"
    said = subprocess.run([program, "simulate", "--brand", "Bench", *WORLD, "--data", data], check=True, capture_output=True, text=True).stdout
    speed = next(line for line in said.splitlines() if "incursions per second" in line).rsplit(":", 1)[1].split()[0]
    count = next(line for line in said.splitlines() if "tag tests" in line).split()[0]

    def command(*words, text=""):
        return subprocess.run([program, *words, "--data", data], input=text, text=True, check=True, capture_output=True).stdout.strip()

    command("user", "create", "--brand", "Bench", "--email", EMAIL, "--role", "admin", "--password-stdin", text=PASSWORD)
    token = command("token", "issue", "--brand", "Bench", "--kind", "gateway", "--name", "Gateway 2")
    table = [("simulated into SQLite", f"{count} incursions", f"{speed} a second", "at least 50,000 a second")]

    def start():
        server = Keepclear(program, data)
        ready = server.wait_until_ready()
        headers, _ = call(server.base, {}, "POST", "/api/v1/session", {"email": EMAIL, "password": PASSWORD})
        cookie = {"Cookie": headers["set-cookie"].split(";")[0]}
        headers, _ = call(server.base, {}, "POST", "/api/v2/login", {"email": EMAIL, "password": PASSWORD})
        return server, ready, Asker(server, cookie, {"Authorization": f"Bearer {headers['AccessToken']}"})

    since = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 86_400 * (DAYS + 2)))
    everything = f"/api/v1/insights/totals?from={since}"
    server, ready, asker = start()
    try:
        # Until the columns are made, the rows answer within their time or not at all.
        began = time.perf_counter()
        while not asker.is_answered(everything) or b"keepclear_columns_brands 1" not in call_metrics(server):
            time.sleep(0.1)
        built = time.perf_counter() - began
        table.append((f"start to ready with {count} incursions", f"{ready:.0f} ms", f"resident {server.resident_mb():.0f} MB once the columns are made, which took {built:.0f} s", "below 1 s"))
        for name, question in questions(since):
            took = [asker.ask(question)[0] for _ in range(rounds)]
            table.append((name, f"{min(took):.1f} ms", f"median {statistics.median(took):.1f} ms", ""))
        table += freshness(server, asker, token, call_serials(server, asker))
        asker.connection.close()
    finally:
        server.stop()
    server, ready, asker = start()
    try:
        first, _ = asker.ask(everything)
        table.append(("the first answer after another start, from the saved columns", f"{first:.0f} ms", f"ready after {ready:.0f} ms", "ready below 1 s"))
    finally:
        server.stop()
    return table


def call_metrics(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    connection.request("GET", "/metrics")
    return connection.getresponse().read()


def call_serials(server, asker):
    serials = []
    for path in ("/api/v1/base_stations?limit=200", "/api/v1/tags?limit=200&state=assigned"):
        rows = json.loads(asker.ask(path)[1])["data"]
        serials.append([row["serial"] for row in rows])
    return serials


def freshness(server, asker, token, serials, seconds=20):
    """From the answer to a batch to the end of a question that knows of it, alone and under load."""
    asked = "/api/v1/insights/breakdown?by=machine&metric=incursions&limit=20"
    def spaced():
        # As far apart on both sides: what is asked without a pause finds everything warm.
        time.sleep(0.02)
        return asker.ask(asked)[0]

    idle = sorted([spaced() for _ in range(220)][20:])
    own = Gateway(server.port, token, *serials)
    load = Load(server.port, token, *serials)
    load.start()
    time.sleep(2)
    fresh, alone = [], []
    end = time.perf_counter() + seconds
    number = 0
    while time.perf_counter() < end:
        seq = own.send(f"own-{number}")
        number += 1
        took, body = asker.ask(asked)
        assert json.loads(body)["seq"] >= seq, "an answer must know of what was acknowledged before it was asked"
        fresh.append(took)
        alone.append(spaced())
        time.sleep(0.02)
    load.ended.set()
    load.join()
    assert load.exitcode == 0, "the gateway failed"
    fresh.sort(), alone.sort()
    at = lambda times, part: times[min(len(times) - 1, int(len(times) * part))]
    usual = statistics.median(idle)
    rate = load.sent.value * own.BATCH / (seconds + 2)
    return [
        ("top machines, last 30 days, nothing else going on", f"median {usual:.1f} ms, p99 {at(idle, 0.99):.1f} ms", "", ""),
        (f"from the answer to a batch to the end of a question that knows of it, less that; {rate:,.0f} events a second meanwhile",
         f"p99 {at(fresh, 0.99) - usual:.1f} ms", f"median {at(fresh, 0.5) - usual:.1f} ms, of {len(fresh)}", "at most 50 ms"),
        ("the question itself meanwhile", f"median {at(alone, 0.5):.1f} ms, p99 {at(alone, 0.99):.1f} ms", f"{at(alone, 0.5) / usual:.2f} times as long as idle", "at most 1.5 times"),
    ]

"""Measure insights of a running service over HTTP, on stored rows, alone and during ingest."""

import http.client
import json
import multiprocessing
import statistics
import subprocess
import time

from reattribution import call_json
from servers import Keepclear, wait_until_idle

EMAIL, PASSWORD = "bench@example.com", "plum wagon sixty tiles"
# 200 machines with 46 incursions per day each, over three years: about ten million incursions.
DAYS = 1_100
WORLD_OPTIONS = ["--projects", "5", "--sites", "20", "--machines", "200", "--people", "800", "--gps-interval-s", "0"]
SIMULATION_OPTIONS = [*WORLD_OPTIONS, "--days", str(DAYS)]
PIVOT = "/api/v2/advanced_insights/pivot"
GOALS = {"per day: count, acknowledged": "at most 4 ms"}
DEFAULT_PERIOD = "/api/v1/insights/breakdown?by=machine&metric=incursions&limit=20"


def questions(since):
    """Return the questions of `crates/cube/examples/insights/questions.rs` as requests: a path of V1, or the body of a pivot. Without
    `from`, the period is the default, 28 days."""
    filters = {"from": since}
    return [
        ("per day: count, acknowledged", f"/api/v1/insights/trends?interval=day&metric=incursions&metric=acknowledged&from={since}"),
        ("site x month x zone: count, duration", {"rows": ["worksite", "month", "zone"], "measures": ["incursions", "average_duration"], "filters": filters}),
        ("top machines, last 28 days", DEFAULT_PERIOD),
        ("machine x person pairs of one project", {"rows": ["machine", "pedestrian"], "measures": ["incursions"], "filters": {**filters, "project_id": [1]}, "limit": 100}),
        ("weekday x hour of one site", {"rows": ["day_of_week"], "columns": ["hour_of_day"], "measures": ["incursions"], "filters": {**filters, "worksite_id": [3]}}),
        ("distinct people per site and week", {"rows": ["worksite", "week"], "measures": ["pedestrians"], "filters": filters}),
        ("project x site x month with subtotals and totals", {"rows": ["project", "worksite", "month"], "measures": ["incursions", "acknowledgement_rate", "average_duration"], "filters": filters}),
        ("heat map of one site, filtered", f"/api/v1/insights/heatmap?resolution=12&worksite_id=3&zone=danger&min_duration_s=5&from={since}"),
    ]


class QueryClient:
    """Sends queries over one connection."""

    def __init__(self, server, cookie, jwt):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port)
        self.cookie, self.jwt = cookie, jwt

    def is_answered(self, path):
        self.connection.request("GET", path, headers=self.cookie)
        response = self.connection.getresponse()
        response.read()
        assert response.status in (200, 503), response.status
        return response.status == 200

    def query(self, question):
        """Send a query. Return the milliseconds it took, and the body of the response."""
        started_at = time.perf_counter()
        if isinstance(question, str):
            self.connection.request("GET", question, headers=self.cookie)
        else:
            headers = {**self.jwt, "Content-Type": "application/json"}
            self.connection.request("POST", PIVOT, json.dumps(question), headers)
        response = self.connection.getresponse()
        body = response.read()
        elapsed_ms = (time.perf_counter() - started_at) * 1000
        assert response.status == 200, (question, response.status, body[:500])
        return elapsed_ms, body


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
        """Send a batch, and return the sequence number of the response."""
        second = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() - 2))
        body = self.template.replace("@NAME@", name).replace("@AT@", second)
        self.connection.request("POST", "/ingest/v1/events", body, self.headers)
        response = self.connection.getresponse()
        text = response.read()
        assert response.status == 200 and f'"accepted":{self.BATCH}'.encode() in text, text[:500]
        return json.loads(text)["seq"]


class GatewayLoad(multiprocessing.Process):
    """Sends 5,000 incursions per second, in a process of its own: a thread would delay the queries of this one."""

    RATE = 5_000

    def __init__(self, *gateway_arguments):
        super().__init__(daemon=True)
        self.gateway_arguments, self.stopped, self.sent = gateway_arguments, multiprocessing.Event(), multiprocessing.Value("i", 0)

    def run(self):
        gateway = Gateway(*self.gateway_arguments)
        interval_s = gateway.BATCH / self.RATE
        due = time.perf_counter()
        while not self.stopped.is_set():
            gateway.send(f"load-{self.pid}-{self.sent.value}")
            self.sent.value += 1
            due = max(due + interval_s, time.perf_counter() - interval_s)
            time.sleep(max(0, due - time.perf_counter()))


def rows(program, folder, rounds):
    """Return the rows of this part of the results."""
    data = folder / "data"
    output = subprocess.run([program, "simulate", "--brand", "Bench", *SIMULATION_OPTIONS, "--data", data], check=True, capture_output=True, text=True).stdout
    speed = next(line for line in output.splitlines() if "incursions per second" in line).rsplit(":", 1)[1].split()[0]
    count = next(line for line in output.splitlines() if "tag tests" in line).split()[0]

    def command(*arguments, text=""):
        return subprocess.run([program, *arguments, "--data", data], input=text, text=True, check=True, capture_output=True).stdout.strip()

    command("user", "create", "--brand", "Bench", "--email", EMAIL, "--role", "admin", "--password-stdin", text=PASSWORD)
    token = command("token", "issue", "--brand", "Bench", "--kind", "gateway", "--name", "Gateway 2")
    table = [("simulated into SQLite", f"{count} incursions", f"{speed} a second", "at least 50,000 a second")]

    def start():
        server = Keepclear(program, data)
        ready = server.wait_until_ready()
        return server, ready, sign_in(server)

    since = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 86_400 * (DAYS + 2)))
    everything = f"/api/v1/insights/totals?from={since}"
    server, ready, client = start()
    try:
        default_s, build_s = measure_building(server, client, everything)
        table.append((f"start to ready with {count} incursions", f"{ready:.0f} ms", f"resident {server.resident_mb():.0f} MB once the columns are built, which took {build_s:.0f} s", "below 1 s"))
        table.append(("columns from rows of SQLite: last 28 days answered", f"{default_s:.1f} s", "", "below 2 s"))
        table.append(("the same: totals over three years answered", f"{build_s:.1f} s", "", "at most 10 s"))
        for name, question in questions(since):
            times_ms = [client.query(question)[0] for _ in range(rounds)]
            table.append((name, f"{min(times_ms):.1f} ms", f"median {statistics.median(times_ms):.1f} ms", GOALS.get(name, "")))
        table += measure_freshness(server, client, token, fetch_serials(server, client))
        client.connection.close()
    finally:
        server.stop()
    server, ready, client = start()
    try:
        first, _ = client.query(everything)
        table.append(("the first query after a restart, from the saved columns", f"{first:.0f} ms", f"ready after {ready:.0f} ms", "ready below 1 s"))
    finally:
        server.stop()
    return table


def sign_in(server):
    """Return a client for both versions of the API."""
    headers, _ = call_json(server.base, {}, "POST", "/api/v1/session", {"email": EMAIL, "password": PASSWORD})
    cookie = {"Cookie": headers["set-cookie"].split(";")[0]}
    headers, _ = call_json(server.base, {}, "POST", "/api/v2/login", {"email": EMAIL, "password": PASSWORD})
    return QueryClient(server, cookie, {"Authorization": f"Bearer {headers['AccessToken']}"})


def measure_building(server, client, everything):
    """Return the seconds until columns that are built from rows answer for the default period, and for all times. Such questions are about
    too many facts for SQL: they wait for the columns, and get 503 if that takes too long."""
    # The first start after a simulation deletes what is older than the brand keeps, and closes what is open: as much work again.
    wait_until_idle(120)
    started_at, seconds = time.perf_counter(), []
    for path in (DEFAULT_PERIOD, everything):
        while not client.is_answered(path) or b"keepclear_columns_brands 1" not in fetch_metrics(server):
            time.sleep(0.05)
        seconds.append(time.perf_counter() - started_at)
    return seconds


def fetch_metrics(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    connection.request("GET", "/metrics")
    return connection.getresponse().read()


def fetch_serials(server, client):
    serials = []
    for path in ("/api/v1/base_stations?limit=200", "/api/v1/tags?limit=200&state=assigned"):
        rows = json.loads(client.query(path)[1])["data"]
        serials.append([row["serial"] for row in rows])
    return serials


def measure_freshness(server, client, token, serials, seconds=20):
    """Measure how long it takes until a query has counted a batch that was acknowledged before, during ingest."""
    freshness_path = DEFAULT_PERIOD

    def query_after_pause():
        # Queries are equally far apart, idle and under load: without the pause, everything would be warm.
        time.sleep(0.02)
        return client.query(freshness_path)[0]

    idle_ms = sorted([query_after_pause() for _ in range(220)][20:])
    probe_gateway = Gateway(server.port, token, *serials)
    load = GatewayLoad(server.port, token, *serials)
    load.start()
    time.sleep(2)
    fresh_ms, loaded_ms = [], []
    end = time.perf_counter() + seconds
    number = 0
    while time.perf_counter() < end:
        seq = probe_gateway.send(f"own-{number}")
        number += 1
        elapsed_ms, body = client.query(freshness_path)
        assert json.loads(body)["seq"] >= seq, "the response does not include a batch that was acknowledged before the query"
        fresh_ms.append(elapsed_ms)
        loaded_ms.append(query_after_pause())
        time.sleep(0.02)
    load.stopped.set()
    load.join()
    assert load.exitcode == 0, "the gateway failed"
    fresh_ms.sort()
    loaded_ms.sort()
    percentile = lambda times, share: times[min(len(times) - 1, int(len(times) * share))]
    idle_median_ms = statistics.median(idle_ms)
    rate = load.sent.value * probe_gateway.BATCH / (seconds + 2)
    return [
        ("top machines, last 28 days, while idle", f"median {idle_median_ms:.1f} ms, p99 {percentile(idle_ms, 0.99):.1f} ms", "", ""),
        (f"from the acknowledgement of a batch to the end of a query that includes it, minus the idle median; during {rate:,.0f} events a second",
         f"p99 {percentile(fresh_ms, 0.99) - idle_median_ms:.1f} ms", f"median {percentile(fresh_ms, 0.5) - idle_median_ms:.1f} ms, of {len(fresh_ms)}", "at most 50 ms"),
        ("the same query during ingest", f"median {percentile(loaded_ms, 0.5):.1f} ms, p99 {percentile(loaded_ms, 0.99):.1f} ms", f"{percentile(loaded_ms, 0.5) / idle_median_ms:.2f} times as long as idle", "at most 1.5 times"),
    ]

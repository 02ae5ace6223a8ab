"""Measure the reads of a brand, alone and while another brand sends as many expensive requests as it can: pivots in SQL, and large tables
of the console."""

import contextlib
import http.client
import json
import multiprocessing
import statistics
import subprocess
import time

from reattribution import call_json
from servers import Keepclear

PASSWORD = "plum wagon sixty tiles"
# 100 machines with 46 incursions per day each, over half a year: a pivot in SQL takes seconds.
SIMULATION_OPTIONS = ["--projects", "5", "--sites", "20", "--machines", "100", "--people", "400", "--days", "180", "--gps-interval-s", "0"]
CONNECTIONS, TABLE_CONNECTIONS, READS = 10, 24, 300
PIVOT = {"rows": ["machine", "pedestrian", "zone"], "measures": ["incursions", "median_duration"]}


TABLES = ["/incursions?format=csv", "/machines?format=csv", "/people?format=csv", "/explore?rows=machine,pedestrian&format=csv"]


class NoisyNeighbour(multiprocessing.Process):
    """One connection that repeats its requests, and ignores `Retry-After`."""

    def __init__(self, port, headers, requests):
        super().__init__(daemon=True)
        self.port, self.headers, self.requests, self.stopped = port, headers, requests, multiprocessing.Event()

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        while not self.stopped.is_set():
            for method, path, body in self.requests:
                connection.request(method, path, body, self.headers)
                response = connection.getresponse()
                text = response.read()
                assert response.status in (200, 429, 503), (path, response.status, text[:500])
                time.sleep(0.01)


def measure_reads(port, path, cookie):
    """Return the milliseconds of each read, sorted. All of them must succeed."""
    connection, times_ms = http.client.HTTPConnection("127.0.0.1", port), []
    for _ in range(READS):
        started_at = time.perf_counter()
        connection.request("GET", path, headers=cookie)
        response = connection.getresponse()
        text = response.read()
        times_ms.append((time.perf_counter() - started_at) * 1000)
        assert response.status == 200, (response.status, text[:500])
        time.sleep(0.01)
    return sorted(times_ms)


@contextlib.contextmanager
def busy_neighbours(count, port, headers, requests):
    neighbours = [NoisyNeighbour(port, headers, requests) for _ in range(count)]
    try:
        for neighbour in neighbours:
            neighbour.start()
        time.sleep(2)
        yield
    finally:
        # Also when a read has failed, so that they neither stay nor keep the run from ending.
        started = [neighbour for neighbour in neighbours if neighbour.pid is not None]
        for neighbour in started:
            neighbour.stopped.set()
        for neighbour in started:
            neighbour.join()
    assert all(neighbour.exitcode == 0 for neighbour in neighbours), "a noisy neighbour failed"


def session(server, brand):
    headers, _ = call_json(server.base, {}, "POST", "/api/v1/session", {"email": f"{brand}@example.com", "password": PASSWORD})
    return {"Cookie": headers["set-cookie"].split(";")[0]}


def comparison_rows(name, busy_name, alone_ms, loaded_ms):
    percentile = lambda times, share: times[min(len(times) - 1, int(len(times) * share))]
    ratio = statistics.median(loaded_ms) / statistics.median(alone_ms)
    return [
        (f"{name}, the other brand idle", f"{statistics.median(alone_ms):.1f} ms", f"p95 {percentile(alone_ms, 0.95):.1f} ms", ""),
        (f"the same, the other brand busy {busy_name}", f"{statistics.median(loaded_ms):.1f} ms", f"{ratio:.1f} times as long; p95 {percentile(loaded_ms, 0.95):.1f} ms; none refused", "none refused"),
    ]


def pivot_rows(program, data):
    # All queries run in SQL, as they do for a brand whose columns do not fit into memory.
    server = Keepclear(program, data, environment={"KEEPCLEAR__ANALYTICS__ENGINE": "sql"})
    server.wait_until_ready()
    try:
        cookie = session(server, "quiet")
        headers, _ = call_json(server.base, {}, "POST", "/api/v2/login", {"email": "noisy@example.com", "password": PASSWORD})
        noisy_headers = {"Authorization": f"Bearer {headers['AccessToken']}", "Content-Type": "application/json"}
        alone_ms = measure_reads(server.port, "/api/v1/people?limit=50", cookie)
        with busy_neighbours(CONNECTIONS, server.port, noisy_headers, [("POST", "/api/v2/advanced_insights/pivot", json.dumps(PIVOT))]):
            loaded_ms = measure_reads(server.port, "/api/v1/people?limit=50", cookie)
    finally:
        server.stop()
    return comparison_rows("a page of 50 people", f"with pivots on {CONNECTIONS} connections", alone_ms, loaded_ms)


def table_rows(program, data):
    """Measure the overview while one viewer of the other brand downloads tables."""
    server = Keepclear(program, data)
    server.wait_until_ready()
    try:
        cookie, noisy_cookie = session(server, "quiet"), session(server, "noisy")
        alone_ms = measure_reads(server.port, "/", cookie)
        requests = [("GET", path, None) for path in TABLES]
        with busy_neighbours(TABLE_CONNECTIONS, server.port, noisy_cookie, requests):
            loaded_ms = measure_reads(server.port, "/", cookie)
        resident_mb = server.resident_mb()
    finally:
        server.stop()
    rows = comparison_rows("the overview of the console", f"with CSV files of the console on {TABLE_CONNECTIONS} connections", alone_ms, loaded_ms)
    return rows + [("resident memory after that", f"{resident_mb:.0f} MB", "", "")]


def rows(program, folder):
    """Return the rows of this part of the results."""
    data = folder / "data"

    def command(*arguments, text=""):
        return subprocess.run([program, *arguments, "--data", data], input=text, text=True, check=True, capture_output=True).stdout.strip()

    command("simulate", "--brand", "Noisy", *SIMULATION_OPTIONS)
    command("simulate", "--brand", "Quiet", "--projects", "1", "--sites", "2", "--machines", "5", "--people", "60", "--days", "10", "--gps-interval-s", "0")
    for brand in ("Noisy", "Quiet"):
        command("user", "create", "--brand", brand, "--email", f"{brand.lower()}@example.com", "--role", "admin", "--password-stdin", text=PASSWORD)
    return pivot_rows(program, data) + table_rows(program, data)

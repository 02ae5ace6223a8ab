"""Measure the reads of a brand, alone and while another brand sends as many expensive queries as it can."""

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
CONNECTIONS, READS = 10, 300
PIVOT = {"rows": ["machine", "pedestrian", "zone"], "measures": ["incursions", "median_duration"]}


class NoisyNeighbour(multiprocessing.Process):
    """One connection that repeats a large pivot, and ignores `Retry-After`."""

    def __init__(self, port, headers):
        super().__init__(daemon=True)
        self.port, self.headers, self.stopped = port, headers, multiprocessing.Event()

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        while not self.stopped.is_set():
            connection.request("POST", "/api/v2/advanced_insights/pivot", json.dumps(PIVOT), self.headers)
            response = connection.getresponse()
            response.read()
            assert response.status in (200, 503), response.status
            time.sleep(0.01)


def measure_reads(port, cookie):
    """Return the milliseconds of each read, sorted. All of them must succeed."""
    connection, times_ms = http.client.HTTPConnection("127.0.0.1", port), []
    for _ in range(READS):
        started_at = time.perf_counter()
        connection.request("GET", "/api/v1/people?limit=50", headers=cookie)
        response = connection.getresponse()
        text = response.read()
        times_ms.append((time.perf_counter() - started_at) * 1000)
        assert response.status == 200, (response.status, text[:500])
        time.sleep(0.01)
    return sorted(times_ms)


def rows(program, folder):
    """Return the rows of this part of the results."""
    data = folder / "data"

    def command(*arguments, text=""):
        return subprocess.run([program, *arguments, "--data", data], input=text, text=True, check=True, capture_output=True).stdout.strip()

    command("simulate", "--brand", "Noisy", *SIMULATION_OPTIONS)
    command("simulate", "--brand", "Quiet", "--projects", "1", "--sites", "2", "--machines", "5", "--people", "60", "--days", "10", "--gps-interval-s", "0")
    for brand in ("Noisy", "Quiet"):
        command("user", "create", "--brand", brand, "--email", f"{brand.lower()}@example.com", "--role", "admin", "--password-stdin", text=PASSWORD)
    # All queries run in SQL, as they do for a brand whose columns do not fit into memory.
    server = Keepclear(program, data, environment={"KEEPCLEAR__ANALYTICS__ENGINE": "sql"})
    server.wait_until_ready()
    try:
        headers, _ = call_json(server.base, {}, "POST", "/api/v1/session", {"email": "quiet@example.com", "password": PASSWORD})
        cookie = {"Cookie": headers["set-cookie"].split(";")[0]}
        headers, _ = call_json(server.base, {}, "POST", "/api/v2/login", {"email": "noisy@example.com", "password": PASSWORD})
        noisy_headers = {"Authorization": f"Bearer {headers['AccessToken']}", "Content-Type": "application/json"}
        alone_ms = measure_reads(server.port, cookie)
        neighbours = [NoisyNeighbour(server.port, noisy_headers) for _ in range(CONNECTIONS)]
        for neighbour in neighbours:
            neighbour.start()
        time.sleep(2)
        loaded_ms = measure_reads(server.port, cookie)
        for neighbour in neighbours:
            neighbour.stopped.set()
        for neighbour in neighbours:
            neighbour.join()
            assert neighbour.exitcode == 0, "the noisy neighbour failed"
    finally:
        server.stop()
    percentile = lambda times, share: times[min(len(times) - 1, int(len(times) * share))]
    ratio = statistics.median(loaded_ms) / statistics.median(alone_ms)
    return [
        ("a page of 50 people, the other brand idle", f"{statistics.median(alone_ms):.1f} ms", f"p95 {percentile(alone_ms, 0.95):.1f} ms", ""),
        (f"the same, the other brand busy on {CONNECTIONS} connections", f"{statistics.median(loaded_ms):.1f} ms", f"{ratio:.1f} times as long; p95 {percentile(loaded_ms, 0.95):.1f} ms; none refused", "none refused"),
    ]

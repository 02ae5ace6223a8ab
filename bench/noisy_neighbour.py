"""What a brand notices of a greedy neighbour: how long its reads take, alone and beside one that asks as much as it can."""

import http.client
import json
import multiprocessing
import statistics
import subprocess
import time

from reattribution import call
from servers import Keepclear

PASSWORD = "plum wagon sixty tiles"
# 100 machines of 46 incursions a day for half a year: a question that the database answers takes seconds.
WORLD = ["--projects", "5", "--sites", "20", "--machines", "100", "--people", "400", "--days", "180", "--gps-interval-s", "0"]
CONNECTIONS, READS = 10, 300
PIVOT = {"rows": ["machine", "pedestrian", "zone"], "measures": ["incursions", "median_duration"]}


class Greedy(multiprocessing.Process):
    """One connection that asks a wide pivot again and again, without waiting for as long as it is told to."""

    def __init__(self, port, headers):
        super().__init__(daemon=True)
        self.port, self.headers, self.ended = port, headers, multiprocessing.Event()

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        while not self.ended.is_set():
            connection.request("POST", "/api/v2/advanced_insights/pivot", json.dumps(PIVOT), self.headers)
            answer = connection.getresponse()
            answer.read()
            assert answer.status in (200, 503), answer.status
            time.sleep(0.01)


def reads(port, cookie):
    """Milliseconds of each read, sorted. None may be refused."""
    connection, seen = http.client.HTTPConnection("127.0.0.1", port), []
    for _ in range(READS):
        began = time.perf_counter()
        connection.request("GET", "/api/v1/people?limit=50", headers=cookie)
        answer = connection.getresponse()
        text = answer.read()
        seen.append((time.perf_counter() - began) * 1000)
        assert answer.status == 200, (answer.status, text[:500])
        time.sleep(0.01)
    return sorted(seen)


def rows(program, folder):
    """The rows of the results."""
    data = folder / "data"

    def command(*words, text=""):
        return subprocess.run([program, *words, "--data", data], input=text, text=True, check=True, capture_output=True).stdout.strip()

    command("simulate", "--brand", "Greedy", *WORLD)
    command("simulate", "--brand", "Modest", "--sites", "2", "--machines", "5", "--people", "60", "--days", "10", "--gps-interval-s", "0")
    for brand in ("Greedy", "Modest"):
        command("user", "create", "--brand", brand, "--email", f"{brand.lower()}@example.com", "--role", "admin", "--password-stdin", text=PASSWORD)
    # The database answers all questions, as it does for a brand whose columns do not fit.
    server = Keepclear(program, data, environment={"KEEPCLEAR__ANALYTICS__ENGINE": "sql"})
    server.wait_until_ready()
    try:
        headers, _ = call(server.base, {}, "POST", "/api/v1/session", {"email": "modest@example.com", "password": PASSWORD})
        cookie = {"Cookie": headers["set-cookie"].split(";")[0]}
        headers, _ = call(server.base, {}, "POST", "/api/v2/login", {"email": "greedy@example.com", "password": PASSWORD})
        greedy = {"Authorization": f"Bearer {headers['AccessToken']}", "Content-Type": "application/json"}
        alone = reads(server.port, cookie)
        load = [Greedy(server.port, greedy) for _ in range(CONNECTIONS)]
        for one in load:
            one.start()
        time.sleep(2)
        beside = reads(server.port, cookie)
        for one in load:
            one.ended.set()
        for one in load:
            one.join()
            assert one.exitcode == 0, "the greedy one failed"
    finally:
        server.stop()
    at = lambda times, part: times[min(len(times) - 1, int(len(times) * part))]
    ratio = statistics.median(beside) / statistics.median(alone)
    return [
        ("a page of 50 people, nobody else", f"{statistics.median(alone):.1f} ms", f"95 of 100 within {at(alone, 0.95):.1f} ms", ""),
        (f"beside a brand with a wide pivot on {CONNECTIONS} connections", f"{statistics.median(beside):.1f} ms", f"{ratio:.1f} times as long; 95 of 100 within {at(beside, 0.95):.1f} ms; none refused", "none refused"),
    ]

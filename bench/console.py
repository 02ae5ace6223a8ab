"""Measure the pages of the console: the overview in a browser, alone and with many people who have it open, and audits by Lighthouse."""

import contextlib
import http.client
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

from alerts import Load, cpu_s
from open_pages import PAGE, OpenPages, chart_paths
from reattribution import call_json
from running_service import Gateway, fetch_metrics
from servers import Keepclear

BROWSER = pathlib.Path(__file__).resolve().parent / "browser"
PASSWORD = "plum wagon sixty tiles"
PEOPLE, REQUESTS, ROUNDS = 200, 200, 5
# How long each phase of the live measurement takes; the last one covers two fetches of each page.
QUIET_S, LISTENING_S, LIVE_S = 30, 30, 75
ENCODINGS = "gzip, deflate, br, zstd"


def email(number):
    return f"bench{number}@example.com"


def ensure_browser_tools(cache):
    """Return a folder with Lighthouse and the driver, installed from npm on the first call and when the lock file changes."""
    folder, lock = cache / "browser", (BROWSER / "package-lock.json").read_text()
    installed = folder / "installed.json"
    if not installed.exists() or installed.read_text() != lock:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(BROWSER / name, folder)
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--no-update-notifier", "--ignore-scripts", "--silent"], cwd=folder, check=True)
        installed.write_text(lock)
    for script in BROWSER.glob("*.mjs"):
        shutil.copy(script, folder)
    return folder


def find_chromium():
    found = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))), None)
    if not found or not shutil.which("npm"):
        sys.exit("The benchmark of the console requires Chromium and Node with npm (Debian: apt-get install chromium nodejs npm)")
    return found


def run_script(tools, script, **settings):
    output = subprocess.run(["node", script], cwd=tools, input=json.dumps(settings), text=True, check=True, stdout=subprocess.PIPE).stdout
    return json.loads(output)


class Reader:
    """Reads pages as one of the people, over one connection."""

    def __init__(self, server, number):
        headers, _ = call_json(server.base, {}, "POST", "/api/v1/session", {"email": email(number), "password": PASSWORD})
        self.cookie = headers["set-cookie"].split(";")[0]
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port)

    def get(self, path, accepted=PAGE, encodings=ENCODINGS):
        self.connection.request("GET", path, headers={"Cookie": self.cookie, "Accept": accepted, "Accept-Encoding": encodings})
        response = self.connection.getresponse()
        body = response.read()
        assert response.status == 200, (path, response.status, response.headers["location"], body[:500])
        return body

    def get_json(self, path):
        # The service closes connections that are idle.
        self.connection.close()
        return json.loads(self.get(path, "application/json", "identity"))

    def times_ms(self, path, accepted=PAGE):
        """Return the milliseconds of each of a number of requests one after another, sorted."""
        times = []
        for _ in range(REQUESTS + 20):
            started_at = time.perf_counter()
            self.get(path, accepted)
            times.append((time.perf_counter() - started_at) * 1000)
        return sorted(times[20:])


def measure_server(reader, charts):
    times = reader.times_ms("/")
    drawn = [statistics.median(reader.times_ms(path, "image/*")) for path in charts]
    comparison = f"p95 {times[int(len(times) * 0.95)]:.1f} ms; each of its {len(charts)} charts p50 {max(drawn):.1f} ms at most"
    return [(f"the overview from request to last byte, {len(times)} times", f"p50 {statistics.median(times):.1f} ms", comparison, "at most 30 ms")]


def describe_bytes(visit):
    """Return the kilobytes of a visit, and of what."""
    sizes = {}
    for request in visit["requests"]:
        kind = {"Document": "page", "Stylesheet": "stylesheet", "Script": "modules", "Image": "charts"}.get(request["type"], "the rest")
        sizes[kind] = sizes.get(kind, 0) + request["bytes"]
    return f"{sum(sizes.values()) / 1e3:.1f} kB", ", ".join(f"{kind} {size / 1e3:.1f} kB" for kind, size in sizes.items())


def measure_visits(server, reader, tools, chromium):
    seen = run_script(tools, "visits.mjs", chromium=chromium, url=server.base + "/", cookie=reader.cookie, rounds=ROUNDS)
    for visit in ("first", "later"):
        assert not seen[visit]["failed"], seen[visit]["failed"]
    slow = {name: statistics.median(round_["usable"] for round_ in rounds) / 1000 for name, rounds in seen["slow"].items()}
    loaded = statistics.median(round_["load"] for round_ in seen["slow"]["desktop"]) / 1000
    others = ", ".join(f"{name} {value:.2f} s" for name, value in slow.items() if name != "desktop")
    shifts = {name: max(values) for name, values in seen["shifts"].items()}
    return [
        ("bytes of a first visit, with headers", *describe_bytes(seen["first"]), "at most 120 kB"),
        ("bytes of a later visit", *describe_bytes(seen["later"]), "at most 20 kB"),
        (
            "layout shift, the most of all visits", f"{max(shifts.values()):.3g}",
            ", ".join(f"{name} {value:.3g}" for name, value in shifts.items()), "0",
        ),
        (
            f"usable at 1.6 Mbit/s and 150 ms, nothing cached, median of {ROUNDS}", f"{slow['desktop']:.2f} s",
            f"{others}; desktop loaded after {loaded:.2f} s", "at most 1 s",
        ),
    ]


class LiveMeasurement:
    """Measures what open pages cost while a gateway sends events."""

    def __init__(self, server, token, reader):
        self.server = server
        serials = lambda path: [row["serial"] for row in reader.get_json(path)["data"]]
        stations, tags = serials("/api/v1/base_stations?limit=200"), serials("/api/v1/tags?limit=200&state=assigned")
        self.load = Load(server.port, token, stations, tags)

    def counters(self):
        text = fetch_metrics(self.server).decode()
        value = lambda name: int(re.search(rf"^{re.escape(name)} (\d+)$", text, re.M).group(1))
        return {
            "statements": value("keepclear_store_statements_total"), "looks": value('keepclear_stream_looks_total{outcome="done"}'),
            "streams": value("keepclear_streams_open"), "brands": value("keepclear_stream_brands"),
            "cpu": cpu_s(self.server), "sent": self.load.sent.value, "at": time.perf_counter(),
        }

    def wait_until_none(self, counter):
        end = time.perf_counter() + 120
        while self.counters()[counter] > 0:
            assert time.perf_counter() < end, f"there are still {counter}"
            time.sleep(0.5)

    def during(self, seconds):
        """Return what the process does in a second."""
        before = self.counters()
        time.sleep(seconds)
        after = self.counters()
        assert before["streams"] == after["streams"], "streams ended"
        elapsed = after["at"] - before["at"]
        rate = lambda name: (after[name] - before[name]) / elapsed
        return {name: rate(name) for name in ("statements", "looks", "cpu", "sent")} | {"streams": after["streams"]}

    @contextlib.contextmanager
    def open_pages(self, cookies, charts=None):
        pages = OpenPages(self.server.port, cookies, charts)
        pages.start()
        try:
            pages.wait_until_open()
            # Everyone is looked up when they begin to follow.
            time.sleep(5)
            yield pages
        finally:
            pages.stop()
            self.wait_until_none("streams")

    def rows(self, cookies, charts):
        # The service looks at a brand for half a minute after its last stream.
        self.wait_until_none("brands")
        self.load.start()
        time.sleep(5)
        try:
            quiet = self.during(QUIET_S)
            # One who fetches as the others will: what a page needs whoever opens it is in memory then.
            with self.open_pages(cookies[:1], charts):
                time.sleep(LIVE_S)
            with self.open_pages(cookies[:1]):
                one = self.during(LISTENING_S)
            resident_mb = self.server.resident_mb()
            with self.open_pages(cookies):
                listening = self.during(LISTENING_S)
            with self.open_pages(cookies, charts) as pages:
                fetched = pages.fetched.value
                live = self.during(LIVE_S)
                fetches = (pages.fetched.value - fetched) / LIVE_S
                more_mb = self.server.resident_mb() - resident_mb
        finally:
            self.load.stopped.set()
            self.load.join()
        assert self.load.exitcode == 0, "the gateway failed"
        assert (one["streams"], listening["streams"], live["streams"]) == (1, len(cookies), len(cookies))
        events = live["sent"] * Gateway.BATCH
        return [
            (
                f"{len(cookies)} people with the overview open and live, during {events:,.0f} events a second",
                f"{live['cpu'] - quiet['cpu']:.2f} of a core",
                f"{live['cpu']:.2f} with and {quiet['cpu']:.2f} without them; {fetches:.1f} pages a second are fetched again, with their charts; "
                f"{listening['cpu'] - quiet['cpu']:.2f} for the streams alone",
                "at most 0.5",
            ),
            (
                "resident memory for them", f"{more_mb:.0f} MB more",
                f"than {resident_mb:.0f} MB after one of them had it open for {LIVE_S} s, including the incursions stored meanwhile",
                "at most 50 MB",
            ),
            (
                f"looks at the database for {len(cookies)} streams", f"{listening['looks']:.1f} a second",
                f"{one['looks']:.1f} for one stream; all statements of the process: {listening['statements']:.0f} a second, {one['statements']:.0f} with one "
                f"stream, {quiet['statements']:.0f} with none",
                "as for one",
            ),
        ]


def measure_audits(server, reader, tools, chromium):
    machine = reader.get_json("/api/v1/insights/breakdown?by=machine&metric=incursions&limit=1")["rows"][0]["part"]["id"]
    pages = {"the overview": "/", "explore": "/explore", "one machine": f"/machines/{machine}"}
    found = run_script(tools, "audits.mjs", chromium=chromium, urls=[server.base + path for path in pages.values()], cookie=reader.cookie, rounds=ROUNDS)
    table = []
    for name, path in pages.items():
        rounds = found[server.base + path]
        median = lambda get: statistics.median(map(get, rounds))
        score = lambda category: f"{median(lambda one: one['scores'][category]):.0f}"
        metric = lambda metric: median(lambda one: one["metrics"][metric])
        fell_short = sorted({audit for one in rounds for audit in one["fellShort"]})
        table.append((
            f"Lighthouse {rounds[0]['version']}, {name}: performance, accessibility, best practices",
            ", ".join(map(score, ("performance", "accessibility", "best-practices"))),
            f"largest paint {metric('largest_ms') / 1000:.2f} s, blocked {metric('blocking_ms'):.0f} ms, shift {metric('shift'):.3g}"
            + (f"; falls short in {', '.join(fell_short)}" if fell_short else ""),
            "95, 100, 100",
        ))
    return table


def rows(program, cache, folder):
    """Return the rows of this part of the results."""
    chromium, tools, data = find_chromium(), ensure_browser_tools(cache), folder / "data"

    def command(*arguments, text=""):
        return subprocess.run([program, *arguments, "--data", data], input=text, text=True, check=True, capture_output=True).stdout.strip()

    # The world of the demo.
    command("simulate", "--brand", "Bench")
    for number in range(PEOPLE):
        # Whoever did not choose their password sees only the page that changes it.
        command("user", "create", "--brand", "Bench", "--email", email(number), "--role", "admin", "--password-stdin", "--chosen", text=PASSWORD)
    token = command("token", "issue", "--brand", "Bench", "--kind", "gateway", "--name", "Gateway 2")
    server = Keepclear(program, data)
    try:
        server.wait_until_ready()
        readers = [Reader(server, number) for number in range(PEOPLE)]
        reader = readers[0]
        charts = chart_paths(reader.get("/", encodings="identity").decode())
        assert charts, "the overview has no charts"
        table = measure_server(reader, charts)
        table += measure_visits(server, reader, tools, chromium)
        audits = measure_audits(server, reader, tools, chromium)
        table += LiveMeasurement(server, token, reader).rows([one.cookie for one in readers], charts)
        return table + audits
    finally:
        server.stop()

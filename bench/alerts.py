"""Measure what alerts cost: evaluation beside ingest, the way from an event to its mail, and dry runs on a year of facts."""

import http.client
import json
import os
import re
import shutil
import statistics
import subprocess
import time

import running_service
from reattribution import call_json
from running_service import Gateway, GatewayLoad
from servers import Keepclear

PASSWORD = "plum wagon sixty tiles"
SIMULATION_OPTIONS = ["--projects", "3", "--sites", "6", "--machines", "60", "--people", "240", "--days", "365", "--gps-interval-s", "0"]
# An owner has at most 200 alerts.
OWNERS, RULES = 5, 1_000
WINDOWS = [60, 120, 480, 1_440, 10_080]
# Thresholds that are never reached, so that nothing but evaluation is measured.
KINDS = [
    ("incursions", 1_000_000, ["none", "worksite", "machine", "person"]),
    ("unacknowledged_incursions", 1_000_000, ["none", "worksite", "machine"]),
    ("incursions_per_runtime_hour", 10_000, ["none", "project", "machine"]),
    ("repeat_pair", 10_000, ["pair"]),
]
SECONDS, PROBES_PER_SECOND = 120, 2
# Each is long enough for several evaluations.
BURSTS, BURST = 3, 400
# No more than a thousand messages of one alert an hour, so that no digest delays a probe.
ENVIRONMENT = {"KEEPCLEAR__ALERTS__MAX_MESSAGES_PER_HOUR": "1000"}
PROBE = re.compile(rb"PROBE-(\d{4})")


class Load(GatewayLoad):
    RATE = 1_000


class User:
    """Calls the service as one of the owners."""

    def __init__(self, server, number):
        self.base = server.base
        headers, _ = call_json(self.base, {}, "POST", "/api/v1/session", {"email": email(number), "password": PASSWORD})
        self.headers = {"Cookie": headers["set-cookie"].split(";")[0]}

    def post(self, path, body):
        return call_json(self.base, self.headers, "POST", path, body)[1]


def email(number):
    return f"bench{number}@example.com"


def cpu_s(server):
    """Return the processor time of a server, in all its threads."""
    fields = open(f"/proc/{server.process.pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rule(number):
    metric, threshold, splits = KINDS[number // len(WINDOWS) % len(KINDS)]
    body = {
        "name": f"Alert {number}", "metric": metric, "threshold": threshold, "window_minutes": WINDOWS[number % len(WINDOWS)],
        "split_by": splits[number // 20 % len(splits)], "recipients": [{"email": "ada@example.com"}],
    }
    return body | ({"scope": {"machine_ids": [number % 60 + 1]}} if number % 3 == 0 else {})


class Measurement:
    """A server over a copy of the world."""

    def __init__(self, program, world, folder, token, has_rules):
        self.data, self.token = folder, token
        shutil.copytree(world, folder)
        self.server = Keepclear(program, folder, environment=ENVIRONMENT)
        self.server.wait_until_ready()
        users = [User(self.server, number) for number in range(OWNERS)]
        self.user = users[0]
        # The last station is for probes only.
        *stations, self.probed = self.get("/api/v1/base_stations?limit=200")["data"]
        self.stations = [row["serial"] for row in stations]
        self.tags = [row["serial"] for row in self.get("/api/v1/tags?limit=200&state=assigned")["data"]]
        if has_rules:
            for number in range(RULES - 1):
                users[number % OWNERS].post("/api/v1/alerts", rule(number))
            probe = {"name": "Probe", "metric": "incursions", "threshold": 1, "split_by": "tag", "scope": {"base_station_ids": [self.probed["id"]]}}
            users[-1].post("/api/v1/alerts", probe | {"recipients": [{"email": "ada@example.com"}]})
        # The columns are loaded by the first question.
        self.get("/api/v1/insights/totals")
        time.sleep(5)

    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port)
        connection.request("GET", path, headers=self.user.headers)
        response = connection.getresponse()
        body = response.read()
        assert response.status == 200, (path, response.status, body[:500])
        return json.loads(body)

    def gateway_arguments(self):
        return self.server.port, self.token, self.stations, self.tags

    def under_load(self, probes=False):
        """Return the processor time per second of a steady load, and when each probe was acknowledged."""
        load = Load(*self.gateway_arguments())
        load.start()
        time.sleep(5)
        sent, before, began, probed_at = load.sent.value, cpu_s(self.server), time.perf_counter(), {}
        while (elapsed := time.perf_counter() - began) < SECONDS:
            if probes and len(probed_at) < elapsed * PROBES_PER_SECOND:
                self.probe(len(probed_at))
                probed_at[len(probed_at)] = time.time()
            time.sleep(0.01)
        used = (cpu_s(self.server) - before) / (time.perf_counter() - began)
        rate = (load.sent.value - sent) * Gateway.BATCH / (time.perf_counter() - began)
        load.stopped.set()
        load.join()
        assert load.exitcode == 0, "the gateway failed"
        return used, rate, probed_at

    def probe(self, number):
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        event = {"uid": f"probe-{number}", "kind": "incursion", "base_station": self.probed["serial"], "tag": f"PROBE-{number:04}", "started_at": at, "zone": "danger"}
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        connection.request("POST", "/ingest/v1/events", json.dumps([event]), headers)
        response = connection.getresponse()
        body = response.read()
        assert response.status == 200 and b'"accepted":1' in body, body

    def handed_over(self, count):
        """Wait for the mails of all probes, and return when each was written."""
        end = time.time() + 60
        while len(found := self.mails()) < count:
            assert time.time() < end, f"{len(found)} of {count} mails"
            time.sleep(0.5)
        return found

    def mails(self):
        found = {}
        for file in (self.data / "mail").glob("*.eml"):
            if match := PROBE.search(file.read_bytes()):
                found[int(match[1])] = file.stat().st_mtime
        return found

    def burst(self):
        """Return the events per second that one connection gets through as fast as it can, as the median of some tries."""
        gateway, rates = Gateway(*self.gateway_arguments()), []
        for burst in range(BURSTS):
            started_at = time.perf_counter()
            for number in range(BURST):
                gateway.send(f"burst-{burst}-{number}")
            rates.append(BURST * Gateway.BATCH / (time.perf_counter() - started_at))
        return statistics.median(rates)

    def questions(self):
        text = running_service.fetch_metrics(self.server).decode()
        value = lambda name: float(re.search(rf"^{name} ([\d.e+-]+)$", text, re.M).group(1))
        return value("keepclear_alert_questions_total") / max(1, value("keepclear_alert_evaluations_total"))

    def dry_run_ms(self, body):
        """Return the milliseconds of dry runs, best and median of five."""
        times_ms = []
        for _ in range(5):
            started_at = time.perf_counter()
            self.user.post("/api/v1/alerts/dry_run", {"name": "Trial", "recipients": [{"email": "ada@example.com"}], **body})
            times_ms.append((time.perf_counter() - started_at) * 1000)
        return min(times_ms), statistics.median(times_ms)

    def stop(self):
        self.server.stop()
        shutil.rmtree(self.data, ignore_errors=True)


def rows(program, folder):
    """Return the rows of this part of the results."""
    world = folder / "world"
    output = subprocess.run([program, "simulate", "--brand", "Bench", *SIMULATION_OPTIONS, "--data", world], check=True, capture_output=True, text=True).stdout
    count = next(line for line in output.splitlines() if "tag tests" in line).split()[0]

    def command(*arguments, text=""):
        return subprocess.run([program, *arguments, "--data", world], input=text, text=True, check=True, capture_output=True).stdout.strip()

    for number in range(OWNERS):
        command("user", "create", "--brand", "Bench", "--email", email(number), "--role", "admin", "--password-stdin", text=PASSWORD)
    token = command("token", "issue", "--brand", "Bench", "--kind", "gateway", "--name", "Gateway 2")
    measured = {}
    for has_rules in (False, True):
        run = Measurement(program, world, folder / f"rules-{has_rules}", token, has_rules)
        try:
            used, rate, _ = run.under_load()
            measured[has_rules] = {"cpu": used, "rate": rate}
            if has_rules:
                measured["questions"] = run.questions()
                _, _, probed_at = run.under_load(probes=True)
                written_at = run.handed_over(len(probed_at))
                measured["delays"] = sorted(written_at[number] - at for number, at in probed_at.items())
                by_machine = run.dry_run_ms({"metric": "incursions", "threshold": 5, "split_by": "machine"})
                by_runtime = run.dry_run_ms({"metric": "incursions_per_runtime_hour", "threshold": 3, "split_by": "machine", "window_minutes": 1_440})
                by_pair = run.dry_run_ms({"metric": "repeat_pair", "threshold": 5, "window_minutes": 43_200})
            # Last, because hundreds of thousands of incursions in a minute make every question about them dearer.
            measured[has_rules]["burst"] = run.burst()
        finally:
            run.stop()
    without, with_rules, delays = measured[False], measured[True], measured["delays"]
    late = lambda share: delays[min(len(delays) - 1, int(len(delays) * share))]
    dry_run = lambda name, times: (f"dry run of the last 30 days, {count} incursions in a year: {name}", f"{times[0]:.0f} ms", f"median {times[1]:.0f} ms", "at most 1 s")
    return [
        (f"evaluation of {RULES:,} alerts during {with_rules['rate']:,.0f} events a second, {measured['questions']:.1f} questions each time",
         f"{with_rules['cpu'] - without['cpu']:.3f} of a core", f"{with_rules['cpu']:.2f} with and {without['cpu']:.2f} without alerts", "at most 0.1"),
        ("from the acknowledgement of an event to the mail about it, handed over", f"p99 {late(0.99):.2f} s", f"median {late(0.5):.2f} s, of {len(delays)}", "at most 5 s"),
        ("durable ingest on one connection, as fast as it goes", f"{with_rules['burst']:,.0f} events a second", f"{with_rules['burst'] / without['burst']:.2f} of {without['burst']:,.0f} without alerts", "at least 0.95"),
        dry_run("incursions by machine", by_machine),
        dry_run("incursions per runtime hour by machine", by_runtime),
        dry_run("pairs of machines and people", by_pair),
    ]

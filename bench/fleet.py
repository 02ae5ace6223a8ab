"""Measure what it costs to divide work among hosts, and how far copies are behind.

All hosts share the cores of this machine, so that only processor time can be compared: what the same work takes, of all processes
together. 0.8 means that four do 0.8 times as much work per processor second as one.
"""

import contextlib
import http.client
import json
import os
import re
import statistics
import subprocess
import threading
import time

import clickhouse
import processor_time
from clickhouse import ClickHouseNode
from postgres import PostgresCluster
from reattribution import call_json
from running_service import PASSWORD, Gateway, GatewayLoad
from servers import Keepclear

BRANDS, HOSTS = 16, 4
# The work of each brand: batches of 250 events, questions and pages.
BATCHES, QUESTIONS, PAGES = 60, 60, 120
FEED_SECONDS = 40
# All hosts have the same.
KEY = {"KEEPCLEAR__INSTALLATION__KEY": "4b656570636c65617220697320746573746564207769746820746869732e2e2e"}


class Installation:
    """Hosts over one PostgreSQL, with some brands."""

    def __init__(self, program, folder, brands, configuration=""):
        self.program, self.folder = program, folder
        self.cluster = PostgresCluster()
        self.cluster.create_database("keepclear")
        self.environment = {}
        if configuration:
            file = folder / "keepclear.toml"
            file.write_text(configuration)
            self.environment["KEEPCLEAR_CONFIG"] = str(file)
        self.brands = [self.create_brand(f"Brand {number}", number) for number in range(brands)]

    def command(self, *arguments, text=""):
        database = ["--data", self.folder / "data", "--database", self.cluster.url("keepclear")]
        return subprocess.run([self.program, *arguments, *database], input=text, text=True, check=True, capture_output=True, env={**os.environ, **KEY}).stdout.strip()

    def create_brand(self, name, number):
        world = ["--projects", "1", "--sites", "2", "--machines", "20", "--people", "80", "--days", "30", "--gps-interval-s", "0"]
        self.command("simulate", "--brand", name, *world, "--seed", str(number + 1))
        email = f"brand-{number}@example.com"
        self.command("user", "create", "--brand", name, "--email", email, "--role", "admin", "--password-stdin", text=PASSWORD)
        return email, self.command("token", "issue", "--brand", name, "--kind", "gateway", "--name", "Bench")

    def start_hosts(self, count):
        hosts = []
        (self.folder / "objects").mkdir(exist_ok=True)
        for number in range(count):
            data = self.folder / f"host-{count}-{number}"
            data.mkdir()
            # All hosts share the objects, as they would share a bucket.
            shared = {"KEEPCLEAR__BLOBS__FOLDER": str(self.folder / "objects")}
            hosts.append(Keepclear(self.program, data, self.cluster.url("keepclear"), {**KEY, **shared, **self.environment}))
        for host in hosts:
            host.wait_until_ready()
        return hosts

    def stop(self):
        self.cluster.stop()


def sign_in(host, email):
    headers, _ = call_json(host.base, {}, "POST", "/api/v1/session", {"email": email, "password": PASSWORD})
    return {"Cookie": headers["set-cookie"].split(";")[0]}


def get(connection, path, headers):
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    return response.status, response.read()


def fetch_serials(connection, cookie):
    serials = []
    for path in ("/api/v1/base_stations?limit=200", "/api/v1/tags?limit=200&state=assigned"):
        status, body = get(connection, path, cookie)
        assert status == 200, body[:500]
        serials.append([row["serial"] for row in json.loads(body)["data"]])
    return serials


class BrandWork(threading.Thread):
    """The work of one brand: its gateway meets one host, and its user another, as a balancer leads them by their credentials."""

    def __init__(self, name, brand, gateway_host, user_host, faults):
        super().__init__()
        self.name_prefix, self.faults = name, faults
        email, token = brand
        self.cookie = sign_in(user_host, email)
        self.connection = http.client.HTTPConnection("127.0.0.1", user_host.port)
        self.gateway = Gateway(gateway_host.port, token, *fetch_serials(self.connection, self.cookie))
        # Columns are built before anything is measured.
        while get(self.connection, "/api/v1/insights/totals", self.cookie)[0] != 200:
            time.sleep(0.2)

    def run(self):
        # They were idle while the other brands got ready, and are opened again by the first request.
        self.connection.close()
        self.gateway.connection.close()
        try:
            for number in range(max(BATCHES, QUESTIONS, PAGES)):
                if number < BATCHES:
                    self.gateway.send(f"{self.name_prefix}-{number}")
                if number < QUESTIONS:
                    self.read("/api/v1/insights/breakdown?by=machine&metric=incursions&limit=20")
                if number < PAGES:
                    self.read("/api/v1/people?limit=50")
        except (AssertionError, OSError, http.client.HTTPException) as error:
            self.faults.append(error)

    def read(self, path):
        status, body = get(self.connection, path, self.cookie)
        assert status == 200, body[:500]


def measure_hosts(installation, count, round_number):
    """Return the processor seconds of the work of all brands, of the hosts and of PostgreSQL, and how long it took."""
    hosts, faults = installation.start_hosts(count), []
    try:
        work = [
            BrandWork(f"hosts-{count}-{round_number}-{number}", brand, hosts[2 * number % count], hosts[(2 * number + 1) % count], faults)
            for number, brand in enumerate(installation.brands)
        ]
        host_pids, database_pid = [host.process.pid for host in hosts], installation.cluster.process.pid
        before = processor_time.of_all(host_pids), processor_time.of_tree(database_pid)
        started_at = time.perf_counter()
        for one in work:
            one.start()
        for one in work:
            one.join()
        elapsed = time.perf_counter() - started_at
        assert not faults, faults[0]
        return processor_time.of_all(host_pids) - before[0], processor_time.of_tree(database_pid) - before[1], elapsed
    finally:
        for host in hosts:
            host.stop()


def host_rows(program, folder, rounds):
    installation = Installation(program, folder, BRANDS)
    try:
        used = {1: [], HOSTS: []}
        for round_number in range(rounds):
            for count in used:
                used[count].append(measure_hosts(installation, count, round_number))
                for data in folder.glob(f"host-{count}-*"):
                    subprocess.run(["rm", "-rf", data], check=True)
    finally:
        installation.stop()
    total = lambda count: statistics.median(hosts + database for hosts, database, _ in used[count])
    part = lambda count, index: statistics.median(times[index] for times in used[count])
    events = BRANDS * BATCHES * Gateway.BATCH
    return [(
        f"{HOSTS} hosts compared with one, {BRANDS} brands: {events:,} events, {BRANDS * QUESTIONS:,} questions and {BRANDS * PAGES:,} pages",
        f"{total(1) / total(HOSTS):.2f} of its work per processor second",
        f"one host {part(1, 0):.1f} s and PostgreSQL {part(1, 1):.1f} s; {HOSTS} hosts {part(HOSTS, 0):.1f} s and {part(HOSTS, 1):.1f} s",
        "at least 0.7",
    )]


def feed_rows(program, folder):
    """Return how far the copies of two hosts and of two ClickHouse nodes are behind, while one host receives 5,000 events a second."""
    with contextlib.ExitStack() as stack:
        nodes = []
        for number in range(2):
            nodes.append(ClickHouseNode(folder / f"feed-node-{number}"))
            stack.callback(nodes[-1].stop)
        installation = Installation(program, folder, 1, clickhouse.configuration(nodes))
        stack.callback(installation.stop)
        hosts = installation.start_hosts(2)
        for host in hosts:
            stack.callback(host.stop)
        email, token = installation.brands[0]
        connections = [(http.client.HTTPConnection("127.0.0.1", host.port), sign_in(host, email)) for host in hosts]
        for connection, cookie in connections:
            while get(connection, "/api/v1/insights/totals", cookie)[0] != 200:
                time.sleep(0.2)
        load = GatewayLoad(hosts[0].port, token, *fetch_serials(*connections[0]))
        load.start()
        time.sleep(3)
        lags, started_at, sent_before = {}, time.perf_counter(), load.sent.value
        while time.perf_counter() < started_at + FEED_SECONDS:
            sample_lags(connections, lags)
            time.sleep(0.05)
        sent = load.sent.value - sent_before
        elapsed = time.perf_counter() - started_at
        load.stopped.set()
        load.join()
        assert load.exitcode == 0, "the gateway failed"
        rate = sent * Gateway.BATCH / elapsed
        table = []
        for feed, samples in sorted(lags.items()):
            samples.sort()
            percentile = lambda share: samples[min(len(samples) - 1, int(len(samples) * share))]
            table.append((
                f"feed lag of {feed}, two hosts, during {rate:,.0f} events a second", f"p99 {percentile(0.99) * 1e3:,.0f} ms",
                f"median {percentile(0.5) * 1e3:,.0f} ms, of {len(samples):,} samples", "below 1 s",
            ))
        assert table, "/metrics has no feed lag"
        return table


def sample_lags(connections, lags):
    for connection, _ in connections:
        _, body = get(connection, "/metrics", {})
        for feed, lag in re.findall(r'^keepclear_feed_lag_seconds\{feed="(\w+)"\} (\S+)$', body.decode(), re.M):
            lags.setdefault(feed, []).append(float(lag))


def rows(program, folder, rounds):
    """Return the rows of this part of the results."""
    folders = [folder / name for name in ("hosts", "feed")]
    for one in folders:
        one.mkdir(parents=True)
    return [*host_rows(program, folders[0], min(rounds, 3)), *feed_rows(program, folders[1])]

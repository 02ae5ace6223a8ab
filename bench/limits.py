"""Measure the limits of one PostgreSQL and of one host that docs/scale.md computes with."""

import contextlib
import pathlib
import socket
import sqlite3
import subprocess
import time

from ingest import BATCH, set_up, send_batches, stations_sql
from postgres import PostgresCluster
from running_service import EMAIL, PASSWORD, sign_in
from servers import Keepclear, wrk

HERE = pathlib.Path(__file__).resolve().parent
BATCHES, BRANDS, IDLE_CONNECTIONS = 300, 100, 3_000


@contextlib.contextmanager
def service(program, folder, synchronous=False, set_up_more=lambda command, cluster: None):
    """Run a host over a new PostgreSQL. Yields the host, the cluster, a gateway's token and what else was set up."""
    cluster = PostgresCluster()
    try:
        cluster.create_database("keepclear")
        database = ["--data", folder, "--database", cluster.url("keepclear")]
        token = set_up(program, database)
        cluster.run_sql("keepclear", stations_sql())
        command = lambda *arguments: subprocess.run([program, *arguments, *database], check=True, capture_output=True, text=True).stdout.strip()
        more = set_up_more(command, cluster)
        if synchronous:
            cluster.add_synchronous_standby()
        server = Keepclear(program, folder, cluster.url("keepclear"))
        try:
            server.wait_until_ready()
            yield server, cluster, token, more
        finally:
            server.stop()
    finally:
        cluster.stop()


def log_position(cluster):
    return int(cluster.run_sql("keepclear", "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"))


def size_rows(program, folder):
    """Return what an incursion takes in the table with its indexes and in the write-ahead log, and the rate with a synchronous standby."""
    count = BATCHES * BATCH
    with service(program, folder / "alone") as (server, cluster, token, _):
        before = log_position(cluster)
        alone = send_batches(server.port, token, BATCHES)
        log_bytes = log_position(cluster) - before
        stored_bytes = int(cluster.run_sql("keepclear", "select pg_total_relation_size('incursions')"))
    with service(program, folder / "with-standby", synchronous=True) as (server, cluster, token, _):
        with_standby = send_batches(server.port, token, BATCHES)
        states = cluster.run_sql("keepclear", "select sync_state from pg_stat_replication")
        assert states == "sync", states
    return [
        (f"an incursion in PostgreSQL, of {count:,}", f"{stored_bytes / count:,.0f} bytes in its table with all indexes", f"{log_bytes / count:,.0f} bytes of write-ahead log, full pages included", ""),
        (
            "durable ingest over HTTP with a synchronous standby on the same two cores", f"{with_standby:,.0f} events a second",
            f"{with_standby / alone:.2f} of {alone:,.0f} without", "",
        ),
    ]


def brands_row(program, folder, duration_s):
    """Return the rate at which small batches of many brands are accepted."""
    def create_brands(command, cluster):
        tokens = []
        for number in range(BRANDS):
            command("brand", "create", f"Brand {number}")
            tokens.append(command("token", "issue", "--brand", f"Brand {number}", "--kind", "station", "--name", f"ST-{number}"))
        return tokens

    with service(program, folder / "brands", set_up_more=create_brands) as (server, cluster, _, tokens):
        tokens_file = folder / "tokens.txt"
        tokens_file.write_text("\n".join(tokens) + "\n")
        send = lambda seconds: wrk(server.base + "/ingest/v1/events", {"Content-Type": "application/json"}, seconds, HERE / "send_small_batches.lua", TOKENS_FILE=str(tokens_file), NAME_PREFIX=f"R{seconds}", STARTED_AT=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 60)))
        send(1)
        before = int(cluster.run_sql("keepclear", "select count(*) from incursions"))
        rate, responses = send(duration_s)
        fetch = lambda seconds: wrk(server.base + "/ingest/v1/commands", {}, seconds, HERE / "fetch_commands.lua", TOKENS_FILE=str(tokens_file))[0]
        fetch(1)
        commands = fetch(duration_s)
        stored = int(cluster.run_sql("keepclear", "select count(*) from incursions")) - before
        # wrk does not count the requests that are in flight when it stops.
        assert stored >= 10 * responses, (stored, responses)
    return [
        (f"batches of ten incursions from the stations of {BRANDS} brands in turn, 32 at a time", f"{10 * rate:,.0f} events a second", f"{rate:,.0f} batches a second, each on disk when it is answered", ""),
        (f"`GET /ingest/v1/commands` by the same {BRANDS} stations", f"{commands:,.0f} a second", "nothing is pending", ""),
    ]


def connections_row(program, folder):
    """Return the memory of connections that are open and idle."""
    with service(program, folder / "connections") as (server, _, _, _):
        open_sockets = []

        def open_connections(count):
            for _ in range(count):
                open_sockets.append(socket.create_connection(("127.0.0.1", server.port)))
                open_sockets[-1].sendall(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert open_sockets[-1].recv(4_096).startswith(b"HTTP/1.1 200")
            # What the start took is given back after a moment.
            time.sleep(10)
            return server.resident_mb()

        try:
            before = open_connections(100)
            grown_mb = open_connections(IDLE_CONNECTIONS) - before
        finally:
            for one in open_sockets:
                one.close()
    return (f"{IDLE_CONNECTIONS:,} open connections, idle after one request each", f"{grown_mb * 1_024 / IDLE_CONNECTIONS:.1f} KiB each", f"{before:.0f} MB before, {grown_mb:+.0f} MB", "")


def retention_row(program, folder):
    """Return the rate at which a host deletes incursions whose retention has ended."""
    def simulate(command, cluster):
        command("simulate", "--brand", "Old", "--projects", "5", "--sites", "20", "--machines", "200", "--people", "800", "--days", "20", "--gps-interval-s", "0")
        cluster.run_sql("keepclear", "update brands set keep_incursions_days = 1 where name = 'Old'; vacuum analyze")

    with service(program, folder / "retention", set_up_more=simulate) as (_, cluster, _, _):
        count = lambda: int(cluster.run_sql("keepclear", "select count(*) from incursions"))
        # The host begins with it when it starts. Each page of 250 is a commit.
        first, started_at = count(), time.perf_counter()
        last, ended_at = first, started_at
        while (now := count()) < last or last == first:
            last, ended_at = now, time.perf_counter()
            assert ended_at - started_at < 120, "nothing is deleted"
            time.sleep(1)
    return ("deletes of expired incursions, pages of 250, one host over PostgreSQL", f"{(first - last) / (ended_at - started_at):,.0f} a second", f"{first - last:,} of {first:,}, with nothing else to do", "")


def saved_columns_row(program, folder):
    """Return the size of saved columns, over SQLite with objects in a folder."""
    data, objects = folder / "saved", folder / "objects"
    command = lambda *arguments, text="": subprocess.run([program, *arguments, "--data", data], input=text, check=True, capture_output=True, text=True).stdout
    world = ["--projects", "5", "--sites", "20", "--machines", "200", "--people", "800", "--days", "60", "--gps-interval-s", "0"]
    command("simulate", "--brand", "Bench", *world)
    command("user", "create", "--brand", "Bench", "--email", EMAIL, "--role", "admin", "--password-stdin", text=PASSWORD)
    server = Keepclear(program, data, environment={"KEEPCLEAR__BLOBS__FOLDER": str(objects)})
    try:
        server.wait_until_ready()
        client = sign_in(server)
        while not client.is_answered("/api/v1/insights/totals"):
            time.sleep(0.2)
        with contextlib.closing(sqlite3.connect(data / "keepclear.db")) as connection:
            ask = lambda sql: connection.execute(sql).fetchone()[0]
            while ask("select count(manifest) from column_manifests") == 0:
                time.sleep(0.2)
            incursions, pieces = ask("select count(*) from incursions"), ask("select count(*) from runtime_pieces")
    finally:
        server.stop()
    stored_bytes = sum(file.stat().st_size for file in objects.rglob("*") if file.is_file())
    return (f"saved columns of {incursions:,} incursions and {pieces:,} pieces of runtime", f"{stored_bytes / (incursions + pieces):.1f} bytes a fact", f"{stored_bytes / 1e6:.1f} MB of objects", "")


def rows(program, folder, duration_s=10):
    """Return the rows of this part of the results."""
    return [*size_rows(program, folder), *brands_row(program, folder, duration_s), connections_row(program, folder), retention_row(program, folder), saved_columns_row(program, folder)]

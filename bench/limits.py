"""Measure the limits of one PostgreSQL and of one host that docs/scale.md computes with."""

import contextlib
import pathlib
import socket
import sqlite3
import statistics
import subprocess
import time

import clickhouse
import processor_time
from clickhouse import ClickHouseNode
from ingest import BATCH, set_up, send_batches, stations_sql
from postgres import PostgresCluster
from running_service import EMAIL, PASSWORD, WORLD_OPTIONS, sign_in
from servers import Keepclear, wrk

HERE = pathlib.Path(__file__).resolve().parent
BATCHES, ROUNDS, BRANDS, IDLE_CONNECTIONS = 300, 3, 100, 3_000


@contextlib.contextmanager
def service(program, folder, synchronous=False, set_up_more=lambda command, cluster: None, environment=None):
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
        server = Keepclear(program, folder, cluster.url("keepclear"), environment)
        try:
            server.wait_until_ready()
            yield server, cluster, token, more
        finally:
            server.stop()
    finally:
        cluster.stop()


def log_position(cluster):
    return int(cluster.run_sql("keepclear", "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"))


def count_incursions(cluster):
    return int(cluster.run_sql("keepclear", "select count(*) from incursions"))


def size_rows(program, folder):
    """Return what an incursion takes in the table with its indexes and in the write-ahead log, and the rate with a synchronous standby."""
    count, alone, with_standby = BATCHES * BATCH, [], []
    # Alternating, because rates of one machine differ by a third within minutes.
    for number in range(ROUNDS):
        with service(program, folder / f"alone-{number}") as (server, cluster, token, _):
            before = log_position(cluster)
            alone.append(send_batches(server.port, token, BATCHES))
            log_bytes = log_position(cluster) - before
            stored_bytes = int(cluster.run_sql("keepclear", "select pg_total_relation_size('incursions')"))
        with service(program, folder / f"with-standby-{number}", synchronous=True) as (server, cluster, token, _):
            with_standby.append(send_batches(server.port, token, BATCHES))
            states = cluster.run_sql("keepclear", "select sync_state from pg_stat_replication")
            assert states == "sync", states
    shares = [one / other for one, other in zip(with_standby, alone)]
    return [
        (f"an incursion in PostgreSQL, of {count:,}", f"{stored_bytes / count:,.0f} bytes in its table with all indexes", f"{log_bytes / count:,.0f} bytes of write-ahead log, full pages included", ""),
        (
            "durable ingest over HTTP with a synchronous standby on the same two cores", f"{statistics.median(with_standby):,.0f} events a second",
            f"{min(shares):.2f} to {max(shares):.2f} of the {statistics.median(alone):,.0f} without", "",
        ),
    ]


def brands_rows(program, folder, duration_s):
    """Return the rate at which small batches of many brands are accepted, and the rate at which their stations can fetch commands."""
    def create_brands(command, cluster):
        tokens = []
        for number in range(BRANDS):
            command("brand", "create", f"Brand {number}")
            tokens.append(command("token", "issue", "--brand", f"Brand {number}", "--kind", "station", "--name", f"ST-{number}"))
        return tokens

    with service(program, folder / "brands", set_up_more=create_brands) as (server, cluster, _, tokens):
        tokens_file = folder / "tokens.txt"
        tokens_file.write_text("\n".join(tokens) + "\n")
        started_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 60))

        def load(path, script, seconds, **environment):
            return wrk(server.base + path, {}, seconds, HERE / script, TOKENS_FILE=str(tokens_file), **environment)

        def send(name_prefix, seconds):
            return load("/ingest/v1/events", "send_small_batches.lua", seconds, NAME_PREFIX=name_prefix, STARTED_AT=started_at)

        send("warm-up", 1)
        before = count_incursions(cluster)
        rate, responses = send("measured", duration_s)
        load("/ingest/v1/commands", "fetch_commands.lua", 1)
        commands, _ = load("/ingest/v1/commands", "fetch_commands.lua", duration_s)
        stored = count_incursions(cluster) - before
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
        command("simulate", "--brand", "Old", *WORLD_OPTIONS, "--days", "20")
        cluster.run_sql("keepclear", "update brands set keep_incursions_days = 1 where name = 'Old'; vacuum analyze")

    with service(program, folder / "retention", set_up_more=simulate) as (_, cluster, _, _):
        # The host begins with it when it starts. Each page of 250 is a commit.
        first, started_at = count_incursions(cluster), time.perf_counter()
        last, ended_at = first, started_at
        while (now := count_incursions(cluster)) < last or last == first:
            last, ended_at = now, time.perf_counter()
            assert ended_at - started_at < 120, "nothing is deleted"
            time.sleep(1)
    return ("deletes of expired incursions, pages of 250, one host over PostgreSQL", f"{(first - last) / (ended_at - started_at):,.0f} a second", f"{first - last:,} of {first:,}, with nothing else to do", "")


def filling_row(program, folder):
    """Return the rate at which a host fills a new ClickHouse node from the rows of a brand in PostgreSQL."""
    def simulate(command, cluster):
        command("simulate", "--brand", "Filled", *WORLD_OPTIONS, "--days", "100")
        cluster.run_sql("keepclear", "vacuum analyze")

    node, file = ClickHouseNode(folder / "filled-node"), folder / "filled.toml"
    try:
        file.write_text(clickhouse.configuration([node]))
        with service(program, folder / "filled", set_up_more=simulate, environment={"KEEPCLEAR_CONFIG": str(file)}) as (server, cluster, _, _):
            processes = [server.process, cluster.process, node.process]
            used = lambda: [processor_time.of_tree(process.pid) for process in processes]
            before, brand = used(), cluster.run_sql("keepclear", "select id from brands where name = 'Filled'")
            parts = f"from system.parts where active and database = 'keepclear' and startsWith(table, 'b{brand}_')"
            # What a node holds is written there after the rows. All brands have copies; filling begins when the host starts.
            while node.run_sql(f"select count() {parts} and endsWith(table, '_applied')") == "0":
                time.sleep(0.1)
            elapsed = time.perf_counter() - server.started_at
            host_s, database_s, node_s = (now - then for now, then in zip(used(), before))
            incursions, pieces = (int(cluster.run_sql("keepclear", f"select count(*) from {table} where brand_id = {brand}")) for table in ("incursions", "runtime_pieces"))
            filled = int(node.run_sql(f"select sum(rows) {parts} and not endsWith(table, '_applied')"))
            assert filled == incursions + pieces, (filled, incursions, pieces)
    finally:
        node.stop()
    return (
        f"a new ClickHouse node is filled with {incursions:,} incursions and {pieces:,} pieces of runtime from PostgreSQL", f"{filled / elapsed:,.0f} rows a second",
        f"{elapsed:.1f} s; processor time of the host {host_s:.1f} s, of PostgreSQL {database_s:.1f} s, of ClickHouse {node_s:.1f} s", "",
    )


def saved_columns_row(program, folder):
    """Return the size of saved columns, over SQLite with objects in a folder."""
    data, objects = folder / "saved", folder / "objects"
    command = lambda *arguments, text="": subprocess.run([program, *arguments, "--data", data], input=text, check=True, capture_output=True, text=True).stdout
    command("simulate", "--brand", "Bench", *WORLD_OPTIONS, "--days", "60")
    command("user", "create", "--brand", "Bench", "--email", EMAIL, "--role", "admin", "--password-stdin", text=PASSWORD)
    server = Keepclear(program, data, environment={"KEEPCLEAR__BLOBS__FOLDER": str(objects)})
    try:
        server.wait_until_ready()
        client = sign_in(server)
        while not client.is_answered("/api/v1/insights/totals"):
            time.sleep(0.2)
        with contextlib.closing(sqlite3.connect(data / "keepclear.db")) as connection:
            ask = lambda sql: connection.execute(sql).fetchone()[0]
            while ask("select count(manifest) from saved_columns") == 0:
                time.sleep(0.2)
            incursions, pieces = ask("select count(*) from incursions"), ask("select count(*) from runtime_pieces")
    finally:
        server.stop()
    stored_bytes = sum(file.stat().st_size for file in objects.rglob("*") if file.is_file())
    return (f"saved columns of {incursions:,} incursions and {pieces:,} pieces of runtime", f"{stored_bytes / (incursions + pieces):.1f} bytes a fact", f"{stored_bytes / 1e6:.1f} MB of objects", "")


def rows(program, folder, duration_s=10):
    """Return the rows of this part of the results."""
    return [*size_rows(program, folder), *brands_rows(program, folder, duration_s), connections_row(program, folder), retention_row(program, folder), filling_row(program, folder), saved_columns_row(program, folder)]

"""Measure how soon a large brand is answered by columns over PostgreSQL: built from its rows, and opened by another host from an object
store, with an empty cache."""

import contextlib
import os
import subprocess
import time

from postgres import PostgresCluster
from running_service import DAYS, DEFAULT_PERIOD, EMAIL, PASSWORD, SIMULATION_OPTIONS, measure_building, sign_in
from seaweedfs import SeaweedFs
from servers import Keepclear

# All hosts have the same.
KEY = {"KEEPCLEAR__INSTALLATION__KEY": "4b656570636c65617220697320746573746564207769746820746869732e2e2e"}


def rows(program, folder):
    """Return the rows of this part of the results."""
    with contextlib.ExitStack() as stack:
        cluster, objects = PostgresCluster(), SeaweedFs(folder)
        stack.callback(cluster.stop)
        stack.callback(objects.stop)
        cluster.create_database("keepclear")

        def command(*arguments, text=""):
            database = ["--data", folder / "commands", "--database", cluster.url("keepclear")]
            return subprocess.run([program, *arguments, *database], input=text, text=True, check=True, capture_output=True, env={**os.environ, **KEY}).stdout

        output = command("simulate", "--brand", "Bench", *SIMULATION_OPTIONS)
        count = next(line for line in output.splitlines() if "tag tests" in line).split()[0]
        command("user", "create", "--brand", "Bench", "--email", EMAIL, "--role", "admin", "--password-stdin", text=PASSWORD)
        # As after a while in production: the first questions do not wait for it.
        cluster.run_sql("keepclear", "vacuum analyze")

        def start(name):
            (folder / name).mkdir()
            host = Keepclear(program, folder / name, cluster.url("keepclear"), {**KEY, **objects.environment()})
            host.wait_until_ready()
            return host, sign_in(host)

        since = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 86_400 * (DAYS + 2)))
        everything = f"/api/v1/insights/totals?from={since}"
        first, client = start("host-1")
        try:
            default_s, everything_s = measure_building(first, client, everything)
            while cluster.run_sql("keepclear", "select count(manifest) from saved_columns") != "1":
                time.sleep(0.2)
        finally:
            first.stop()
        second, client = start("host-2")
        try:
            opened_ms, _ = client.query(DEFAULT_PERIOD)
            all_ms, _ = client.query(everything)
        finally:
            second.stop()
    return [
        (f"columns of {count} incursions from rows of PostgreSQL: last 28 days answered", f"{default_s:.1f} s", "", "below 2 s"),
        ("the same: totals over three years answered", f"{everything_s:.1f} s", "", "at most 10 s"),
        ("the first answer of another host, last 28 days, saved columns in SeaweedFS, empty cache", f"{opened_ms / 1e3:.2f} s", f"totals over three years after that {all_ms / 1e3:.2f} s", "below 3 s"),
    ]

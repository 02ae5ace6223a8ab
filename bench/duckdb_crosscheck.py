"""Cross-checks pivots of the service with DuckDB, which answers the same questions from an export.

The demo is simulated and served. Its incursions are exported as Parquet, and 60 pivots, made by chance, are asked of the service
and, as SQL, of DuckDB on the file. Every row, subtotal and total must be the same.
"""

import datetime
import http.client
import json
import math
import pathlib
import random
import subprocess
import sys
import time
import zoneinfo

from reattribution import EMAIL, PASSWORD, call
from servers import Keepclear

ASKED, SEED = 60, 11
# Before the world begins.
SINCE = (datetime.date.today() - datetime.timedelta(days=90)).isoformat()
# What tells a row apart in the service's answer, as DuckDB computes it from the table `facts`.
DIMENSIONS = {
    "project": "project_id", "worksite": "worksite_id", "worksite_kind": "worksite_kind", "machine": "machine_id",
    "machine_kind": "machine_kind", "pedestrian": "pedestrian_id", "operator": "operator_id", "person_kind": "person_kind",
    "zone": "zone", "acknowledged": "case when acknowledged then 'acknowledged' else 'unacknowledged' end", "review": "review",
    "hour": "strftime(local_day, '%Y-%m-%d') || 'T' || lpad(cast(local_hour as varchar), 2, '0') || ':00'", "hour_of_day": "local_hour",
    "day_of_week": "isodow(local_day)", "day": "strftime(local_day, '%Y-%m-%d')",
    "week": "strftime(date_trunc('week', local_day), '%Y-%m-%d')", "month": "strftime(date_trunc('month', local_day), '%Y-%m-%d')",
}


def ranked(percent):
    """By nearest rank, in whole numbers."""
    return f"list_sort(list(duration_ms) filter (duration_ms is not null))[(count(duration_ms) * {percent} + 99) // 100] / 1000"


MEASURES = {
    "incursions": "count(*)", "acknowledged": "count(*) filter (acknowledged)", "unacknowledged": "count(*) filter (not acknowledged)",
    "acknowledgement_rate": "count(*) filter (acknowledged) / count(*)", "average_duration": "avg(duration_ms) / 1000",
    "exposure": "coalesce(sum(duration_ms), 0) / 1000", "average_ack_time": "avg(ack_ms) filter (acknowledged) / 1000",
    "median_duration": ranked(50), "p95_duration": ranked(95), "machines": "count(distinct machine_id)",
    "pedestrians": "count(distinct pedestrian_id)", "operators": "count(distinct operator_id)",
}


def questions(sites):
    """Pivots by chance: body for the service, and the same filter as SQL."""
    chance = random.Random(SEED)
    for _ in range(ASKED):
        dimensions = chance.sample(sorted(DIMENSIONS), chance.randint(1, 3))
        # Hours, days and people side by side make more rows than anyone reads.
        wide = [one for one in dimensions if one in ("hour", "day", "pedestrian", "operator", "machine")]
        dimensions = [one for one in dimensions if one not in wide[1:]]
        filters, conditions = {"from": SINCE}, ["review in ('unreviewed', 'confirmed')"]
        if chance.random() < 0.3:
            filters["zone"] = ["danger"]
            conditions.append("zone = 'danger'")
        if chance.random() < 0.3:
            filters["worksite_id"] = sorted(chance.sample(sites, 2))
            conditions.append(f"worksite_id in ({filters['worksite_id'][0]}, {filters['worksite_id'][1]})")
        if chance.random() < 0.2:
            filters["acknowledged"] = chance.random() < 0.5
            conditions.append("acknowledged" if filters["acknowledged"] else "not acknowledged")
        if chance.random() < 0.2:
            filters["min_duration_s"] = 10
            conditions.append("duration_ms >= 10000")
        if chance.random() < 0.3:
            start = chance.randint(5, 60)
            day = lambda back: (datetime.date.today() - datetime.timedelta(days=back)).isoformat()
            filters.update({"from": day(start), "to": day(start - 5)})
            conditions.append(f"local_day >= '{day(start)}' and local_day < '{day(start - 5)}'")
        measures = chance.sample(sorted(MEASURES), chance.randint(1, 4))
        yield {"rows": dimensions, "measures": measures, "filters": filters, "limit": 10_000}, " and ".join(conditions)


def ours(pivot):
    """Values by what rows are about, totals by nothing."""
    found = {tuple(key["id"] for key in row["keys"]): [cell[0] for cell in row["total"]] for row in pivot["rows"]}
    assert pivot["more"] == 0 and all(row["more"] == 0 for row in pivot["rows"])
    return {**found, (): [cell[0] for cell in pivot["totals"]["total"]]}


def theirs(connection, body, condition):
    values = ", ".join(MEASURES[measure] for measure in body["measures"])
    found = {}
    for level in range(len(body["rows"]) + 1):
        keys = [DIMENSIONS[dimension] for dimension in body["rows"][:level]]
        grouped = f"group by {', '.join(keys)}" if keys else ""
        for row in connection.execute(f"select {', '.join([*keys, values])} from facts where {condition} {grouped}").fetchall():
            found[row[:level]] = list(row[level:])
    return found


def equal(left, right):
    if left is None or right is None:
        return left is None and right is None
    return math.isclose(float(left), float(right), rel_tol=1e-9, abs_tol=1e-9)


def kinds(asker, path):
    """What sort each thing of a list is."""
    found, cursor = {}, ""
    while cursor is not None:
        page = asker("GET", f"{path}limit=500{cursor}")
        found.update({row["id"]: row for row in page["data"]})
        cursor = f"&cursor={page['page']['next']}" if page["page"]["next"] else None
    return found


def load(parquet, worksites, machines, people):
    """The export as a table of DuckDB, with what sites, machines and people are, and the hour of the site's own clock."""
    import duckdb
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(parquet)
    zones = {site: zoneinfo.ZoneInfo(row["time_zone"]) for site, row in worksites.items()}
    at, site = table["started_at"].to_pylist(), table["worksite_id"].to_pylist()
    hours = [moment.astimezone(zones[place]).hour for moment, place in zip(at, site)]
    of = lambda column, known: pa.array([known[key]["kind"] if key is not None else None for key in table[column].to_pylist()])
    table = table.append_column("local_hour", pa.array(hours))
    table = table.append_column("worksite_kind", of("worksite_id", worksites))
    table = table.append_column("machine_kind", of("machine_id", machines))
    table = table.append_column("person_kind", of("pedestrian_id", people))
    connection = duckdb.connect()
    connection.register("exported", table)
    connection.execute("create table facts as select * from exported")
    return connection, table.num_rows


def rows(program, folder):
    """The row of the results."""
    data = folder / "data"
    world = ["--projects", "3", "--sites", "6", "--machines", "40", "--people", "160", "--days", "60", "--gps-interval-s", "0"]
    subprocess.run([program, "simulate", "--brand", "Demo", *world, "--data", data], check=True, capture_output=True)
    create = ["user", "create", "--brand", "Demo", "--email", EMAIL, "--role", "admin", "--password-stdin", "--data", data]
    subprocess.run([program, *create], input=PASSWORD, text=True, check=True, capture_output=True)
    server = Keepclear(program, data)
    try:
        server.wait_until_ready()
        headers, _ = call(server.base, {}, "POST", "/api/v1/session", {"email": EMAIL, "password": PASSWORD})
        cookie = {"Cookie": headers["set-cookie"].split(";")[0]}
        headers, _ = call(server.base, {}, "POST", "/api/v2/login", {"email": EMAIL, "password": PASSWORD})
        jwt = {"Authorization": f"Bearer {headers['AccessToken']}"}

        def get(path, headers):
            connection = http.client.HTTPConnection("127.0.0.1", server.port)
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            body = answer.read()
            assert answer.status == 200, (path, answer.status, body[:500])
            return body

        listed = lambda method, path: json.loads(get(path, cookie))
        known = [kinds(listed, path) for path in ("/api/v1/worksites?", "/api/v1/machines?", "/api/v1/people?")]
        body = {"kind": "incursions", "format": "parquet", "filters": {"from": SINCE}}
        _, export = call(server.base, jwt, "POST", "/api/v2/advanced_insights/exports", body)
        path = f"/api/v2/advanced_insights/exports/{export['id']}"
        while export["state"] in ("queued", "running"):
            time.sleep(0.1)
            export = json.loads(get(path, jwt))
        assert export["state"] == "done", export
        parquet = folder / "incursions.parquet"
        parquet.write_bytes(get(f"{path}/download", jwt))
        connection, count = load(parquet, *known)
        compared = 0
        for body, condition in questions(sorted(known[0])):
            _, pivot = call(server.base, jwt, "POST", "/api/v2/advanced_insights/pivot", body)
            left, right = ours(pivot), theirs(connection, body, condition)
            assert left.keys() == right.keys(), (body, sorted(left.keys() ^ right.keys(), key=str)[:5])
            for key, values in left.items():
                assert all(map(equal, values, right[key])), (body, key, values, right[key])
                compared += len(values)
    finally:
        server.stop()
    return [(f"{ASKED} pivots by chance, of {count:,} simulated incursions", f"{compared:,} numbers", "all equal to DuckDB's, from the exported Parquet", "equal")]


if __name__ == "__main__":
    print(json.dumps(rows(sys.argv[1], pathlib.Path(sys.argv[2]))))

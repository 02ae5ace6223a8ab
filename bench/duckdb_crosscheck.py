"""Compare pivots of the service with DuckDB, which computes them from an export.

A brand is simulated and its incursions are exported as Parquet. The service computes 60 random pivots, and DuckDB computes the same
pivots in SQL from the file. Each row, subtotal and total must be equal.
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

from reattribution import EMAIL, PASSWORD, call_json
from servers import Keepclear

QUESTIONS, SEED = 60, 11
# A date before the start of the simulation.
SINCE = (datetime.date.today() - datetime.timedelta(days=90)).isoformat()
# The keys of rows in the answers of the service, as SQL over the table `facts`.
DIMENSIONS = {
    "project": "project_id", "worksite": "worksite_id", "worksite_kind": "worksite_kind", "machine": "machine_id",
    "machine_kind": "machine_kind", "pedestrian": "pedestrian_id", "operator": "operator_id", "person_kind": "person_kind",
    "zone": "zone", "acknowledged": "case when acknowledged then 'acknowledged' else 'unacknowledged' end", "review": "review",
    "hour": "strftime(local_day, '%Y-%m-%d') || 'T' || lpad(cast(local_hour as varchar), 2, '0') || ':00'", "hour_of_day": "local_hour",
    "day_of_week": "isodow(local_day)", "day": "strftime(local_day, '%Y-%m-%d')",
    "week": "strftime(date_trunc('week', local_day), '%Y-%m-%d')", "month": "strftime(date_trunc('month', local_day), '%Y-%m-%d')",
}


def nearest_rank(percent):
    """Return the SQL of a percentile of the duration, by nearest rank."""
    return f"list_sort(list(duration_ms) filter (duration_ms is not null))[(count(duration_ms) * {percent} + 99) // 100] / 1000"


MEASURES = {
    "incursions": "count(*)", "acknowledged": "count(*) filter (acknowledged)", "unacknowledged": "count(*) filter (not acknowledged)",
    "acknowledgement_rate": "count(*) filter (acknowledged) / count(*)", "average_duration": "avg(duration_ms) / 1000",
    "exposure": "coalesce(sum(duration_ms), 0) / 1000", "average_ack_time": "avg(ack_ms) filter (acknowledged) / 1000",
    "median_duration": nearest_rank(50), "p95_duration": nearest_rank(95), "machines": "count(distinct machine_id)",
    "pedestrians": "count(distinct pedestrian_id)", "operators": "count(distinct operator_id)",
}


def random_pivots(sites):
    """Yield the body of each request, and its filter as SQL."""
    rng = random.Random(SEED)
    for _ in range(QUESTIONS):
        dimensions = rng.sample(sorted(DIMENSIONS), rng.randint(1, 3))
        # Two of these dimensions together could exceed the limit of rows.
        wide = [dimension for dimension in dimensions if dimension in ("hour", "day", "pedestrian", "operator", "machine")]
        dimensions = [dimension for dimension in dimensions if dimension not in wide[1:]]
        filters, conditions = {"from": SINCE}, ["review in ('unreviewed', 'confirmed')"]
        if rng.random() < 0.3:
            filters["zone"] = ["danger"]
            conditions.append("zone = 'danger'")
        if rng.random() < 0.3:
            filters["worksite_id"] = sorted(rng.sample(sites, 2))
            conditions.append(f"worksite_id in ({filters['worksite_id'][0]}, {filters['worksite_id'][1]})")
        if rng.random() < 0.2:
            filters["acknowledged"] = rng.random() < 0.5
            conditions.append("acknowledged" if filters["acknowledged"] else "not acknowledged")
        if rng.random() < 0.2:
            filters["min_duration_s"] = 10
            conditions.append("duration_ms >= 10000")
        if rng.random() < 0.3:
            start = rng.randint(5, 60)
            day = lambda days_ago: (datetime.date.today() - datetime.timedelta(days=days_ago)).isoformat()
            filters.update({"from": day(start), "to": day(start - 5)})
            conditions.append(f"local_day >= '{day(start)}' and local_day < '{day(start - 5)}'")
        measures = rng.sample(sorted(MEASURES), rng.randint(1, 4))
        yield {"rows": dimensions, "measures": measures, "filters": filters, "limit": 10_000}, " and ".join(conditions)


def service_values(pivot):
    """Return the values of each row by its keys, and the totals by the empty tuple."""
    values_by_key = {tuple(key["id"] for key in row["keys"]): [cell[0] for cell in row["total"]] for row in pivot["rows"]}
    assert pivot["more"] == 0 and all(row["more"] == 0 for row in pivot["rows"])
    return {**values_by_key, (): [cell[0] for cell in pivot["totals"]["total"]]}


def duckdb_values(connection, body, condition):
    values = ", ".join(MEASURES[measure] for measure in body["measures"])
    values_by_key = {}
    for level in range(len(body["rows"]) + 1):
        keys = [DIMENSIONS[dimension] for dimension in body["rows"][:level]]
        grouped = f"group by {', '.join(keys)}" if keys else ""
        for row in connection.execute(f"select {', '.join([*keys, values])} from facts where {condition} {grouped}").fetchall():
            values_by_key[row[:level]] = list(row[level:])
    return values_by_key


def equal(left, right):
    if left is None or right is None:
        return left is None and right is None
    return math.isclose(float(left), float(right), rel_tol=1e-9, abs_tol=1e-9)


def fetch_all(fetch, path):
    """Return all records of a list by their ids."""
    records, cursor = {}, ""
    while cursor is not None:
        page = fetch(f"{path}limit=500{cursor}")
        records.update({row["id"]: row for row in page["data"]})
        cursor = f"&cursor={page['page']['next']}" if page["page"]["next"] else None
    return records


def load_into_duckdb(parquet, worksites, machines, people):
    """Load the export into DuckDB, with the kinds of worksites, machines and people, and the local hour of the worksite."""
    import duckdb
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(parquet)
    zones = {site: zoneinfo.ZoneInfo(row["time_zone"]) for site, row in worksites.items()}
    started_at, site_ids = table["started_at"].to_pylist(), table["worksite_id"].to_pylist()
    hours = [moment.astimezone(zones[site]).hour for moment, site in zip(started_at, site_ids)]
    kinds_of = lambda column, registry: pa.array([registry[key]["kind"] if key is not None else None for key in table[column].to_pylist()])
    table = table.append_column("local_hour", pa.array(hours))
    table = table.append_column("worksite_kind", kinds_of("worksite_id", worksites))
    table = table.append_column("machine_kind", kinds_of("machine_id", machines))
    table = table.append_column("person_kind", kinds_of("pedestrian_id", people))
    connection = duckdb.connect()
    connection.register("exported", table)
    connection.execute("create table facts as select * from exported")
    return connection, table.num_rows


def rows(program, folder):
    """Return the row of this part of the results."""
    data = folder / "data"
    simulation_options = ["--projects", "3", "--sites", "6", "--machines", "40", "--people", "160", "--days", "60", "--gps-interval-s", "0"]
    subprocess.run([program, "simulate", "--brand", "Demo", *simulation_options, "--data", data], check=True, capture_output=True)
    create = ["user", "create", "--brand", "Demo", "--email", EMAIL, "--role", "admin", "--password-stdin", "--data", data]
    subprocess.run([program, *create], input=PASSWORD, text=True, check=True, capture_output=True)
    server = Keepclear(program, data)
    try:
        server.wait_until_ready()
        headers, _ = call_json(server.base, {}, "POST", "/api/v1/session", {"email": EMAIL, "password": PASSWORD})
        cookie = {"Cookie": headers["set-cookie"].split(";")[0]}
        headers, _ = call_json(server.base, {}, "POST", "/api/v2/login", {"email": EMAIL, "password": PASSWORD})
        jwt = {"Authorization": f"Bearer {headers['AccessToken']}"}

        def get(path, headers):
            connection = http.client.HTTPConnection("127.0.0.1", server.port)
            connection.request("GET", path, headers=headers)
            response = connection.getresponse()
            body = response.read()
            assert response.status == 200, (path, response.status, body[:500])
            return body

        fetch = lambda path: json.loads(get(path, cookie))
        registry = [fetch_all(fetch, path) for path in ("/api/v1/worksites?", "/api/v1/machines?", "/api/v1/people?")]
        body = {"kind": "incursions", "format": "parquet", "filters": {"from": SINCE}}
        _, export = call_json(server.base, jwt, "POST", "/api/v2/advanced_insights/exports", body)
        path = f"/api/v2/advanced_insights/exports/{export['id']}"
        while export["state"] in ("queued", "running"):
            time.sleep(0.1)
            export = json.loads(get(path, jwt))
        assert export["state"] == "done", export
        parquet = folder / "incursions.parquet"
        parquet.write_bytes(get(f"{path}/download", jwt))
        connection, count = load_into_duckdb(parquet, *registry)
        compared = 0
        for body, condition in random_pivots(sorted(registry[0])):
            _, pivot = call_json(server.base, jwt, "POST", "/api/v2/advanced_insights/pivot", body)
            left, right = service_values(pivot), duckdb_values(connection, body, condition)
            assert left.keys() == right.keys(), (body, sorted(left.keys() ^ right.keys(), key=str)[:5])
            for key, values in left.items():
                assert all(map(equal, values, right[key])), (body, key, values, right[key])
                compared += len(values)
    finally:
        server.stop()
    return [(f"{QUESTIONS} random pivots of {count:,} simulated incursions", f"{compared:,} numbers", "all equal to DuckDB's, from the exported Parquet", "equal")]


if __name__ == "__main__":
    print(json.dumps(rows(sys.argv[1], pathlib.Path(sys.argv[2]))))

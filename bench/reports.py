"""Measure reports of a running service, compared with WeasyPrint, which renders the same numbers, tables and charts."""

import contextlib
import html
import json
import sqlite3
import statistics
import subprocess
import time
import urllib.request

from reattribution import call_json
from servers import PEER, Keepclear, ensure_peer_venv

EMAIL, PASSWORD = "bench@example.com", "plum wagon sixty tiles"
REMAKES, WARM_REMAKES, MEASURED = 500, 50, 20
SCHEDULES = 100
# Of the worksite with the most incursions.
WORKSITE = "/api/v1/insights/breakdown?by=worksite&metric=incursions&limit=1"
CHARTS = [
    ("Day by day", "acknowledged_incursions?"), ("When", "hours_of_week?"), ("Where", "heatmap?resolution=12&"), ("How long", "durations?"),
]
TABLES = [("Machines", "by_machine", "machine"), ("People on foot", "by_pedestrian", "pedestrian"), ("Operators", "by_operator", "operator")]
STYLE = """
    @page { size: A4; margin: 19mm; @bottom-right { content: counter(page) " of " counter(pages) } }
    body { font: 9.5pt "DejaVu Sans" } h1 { font-size: 18pt } h2 { font-size: 13pt; break-after: avoid }
    table { border-collapse: collapse; width: 100% } tr { break-inside: avoid } td, th { border-bottom: 1px solid #e1e6ec; text-align: right }
    td:first-child, th:first-child { text-align: left } figure { break-inside: avoid; margin: 0 } svg { width: 100%; height: auto }
"""


class Client:
    """Calls the service as an admin."""

    def __init__(self, server):
        self.base = server.base
        headers, _ = call_json(self.base, {}, "POST", "/api/v1/session", {"email": EMAIL, "password": PASSWORD})
        self.headers = {"Cookie": headers["set-cookie"].split(";")[0]}
        headers, _ = call_json(self.base, {}, "POST", "/api/v2/login", {"email": EMAIL, "password": PASSWORD})
        self.token = {"Authorization": f"Bearer {headers['AccessToken']}"}

    def get(self, path, headers=None):
        with urllib.request.urlopen(urllib.request.Request(self.base + path, headers=headers or self.headers)) as response:
            return response.read()

    def get_json(self, path):
        return json.loads(self.get(path))

    def post(self, path, body):
        return call_json(self.base, self.headers, "POST", path, body)[1]

    def wait_until_ready(self, report):
        """Ask every 5 ms."""
        while (shown := self.get_json(f"/api/v1/reports/{report}"))["state"] != "ready":
            assert shown["state"] in ("queued", "running"), shown
            time.sleep(0.005)

    def remake(self, report):
        """Return the milliseconds from the call to the finished file."""
        started_at = time.perf_counter()
        self.post(f"/api/v1/reports/{report}/remake", {})
        self.wait_until_ready(report)
        return (time.perf_counter() - started_at) * 1000


def page_of(client, report, period, worksite):
    """Return the content of a report as HTML: its metrics, tables and charts."""
    data = client.get_json(f"/api/v1/reports/{report}/download?format=json")
    main = next(answer for answer in data["figures"]["answers"] if answer["name"] == "main")
    groupings = {grouping["name"]: grouping["groups"] for grouping in main["groupings"]}
    measures = [measure["name"] for measure in main["measures"]]
    value = lambda number: "" if number is None else f"{number:,}" if isinstance(number, int) else f"{number:.2f}"
    cells = lambda figures: "".join(f"<td>{value(figures[measure]['value'])}</td>" for measure in measures)
    head = "".join(f"<th>{html.escape(measure.replace('_', ' '))}</th>" for measure in measures)
    parts = [f"<!doctype html><html lang=en><title>Site safety</title><style>{STYLE}</style><h1>Site safety</h1>"]
    parts.append(f"<p>{data['report']['from']} to {data['report']['to']}</p><table><tr><th></th>{head}</tr>")
    parts.append(f"<tr><td>All</td>{cells(groupings['total'][0]['figures'])}</tr></table>")
    for title, chart in CHARTS:
        path = f"/api/v2/insights/charts/{chart}worksite_id={worksite}&from={period['from']}&to={period['to']}&format=svg"
        parts.append(f"<h2>{title}</h2><figure>{client.get(path, client.token).decode()}<figcaption>{title}.</figcaption></figure>")
    for title, grouping, names in TABLES:
        parts.append(f"<h2>{title}</h2><table><thead><tr><th>{title}</th>{head}</tr></thead>")
        for group in groupings[grouping][:25]:
            name = data["names"].get(names, {}).get(str(group["keys"][names]), "Unknown")
            parts.append(f"<tr><td>{html.escape(name)}</td>{cells(group['figures'])}</tr>")
        parts.append("</table>")
    return "".join(parts)


def measure_schedules(client, database, worksite):
    """Have all schedules come due at once, and return the reports made in a second."""
    for number in range(SCHEDULES):
        client.post("/api/v1/report_schedules", {
            "name": f"Schedule {number}", "kind": "site_safety", "format": "pdf", "worksite_id": worksite, "cadence": "daily",
            "time": "04:00", "period": "last_28_days", "recipients": ["bench@example.com"],
        })
    with contextlib.closing(sqlite3.connect(database, timeout=30)) as connection:
        with connection:
            due = "update report_schedules set next_slot_at = ?1, next_run_at = ?1"
            connection.execute(due, (int(time.time() * 1e6),))
        count = "select count(*), min(created_at), max(finished_at) from reports where schedule_id is not null and state = 'ready'"
        while (found := connection.execute(count).fetchone())[0] < SCHEDULES:
            time.sleep(0.5)
    return SCHEDULES / ((found[2] - found[1]) / 1e6)


def rows(program, cache, folder):
    """Return the rows of this part of the results."""
    python = ensure_peer_venv(cache) / "bin" / "python"
    data = folder / "data"

    def command(*arguments, text=""):
        return subprocess.run([program, *arguments, "--data", data], input=text, text=True, check=True, capture_output=True).stdout.strip()

    # The world of the demo.
    command("simulate", "--brand", "Bench")
    command("user", "create", "--brand", "Bench", "--email", EMAIL, "--role", "admin", "--password-stdin", text=PASSWORD)
    day = lambda ago: time.strftime("%Y-%m-%d", time.gmtime(time.time() - 86_400 * ago))
    period = {"from": day(29), "to": day(1)}
    server = Keepclear(program, data)
    try:
        server.wait_until_ready()
        client = Client(server)
        worksite = client.get_json(WORKSITE)["rows"][0]["part"]["id"]
        body = {"kind": "site_safety", "format": "pdf", "worksite_id": worksite, "filters": period}
        report = client.post("/api/v1/reports", body)["id"]
        client.wait_until_ready(report)
        size = len(client.get(f"/api/v1/reports/{report}/download"))
        source = folder / "report.html"
        source.write_text(page_of(client, report, period, worksite))
        for _ in range(WARM_REMAKES):
            client.remake(report)
        warm_mb = server.resident_mb()
        ours_ms = statistics.median(client.remake(report) for _ in range(MEASURED))
        peer = json.loads(subprocess.run(
            [python, PEER / "reports.py", source, "5", folder / "peer.pdf"], check=True, capture_output=True, text=True,
        ).stdout)
        for _ in range(REMAKES - MEASURED):
            client.remake(report)
        after_mb = server.resident_mb()
        rate = measure_schedules(client, data / "keepclear.db", worksite)
    finally:
        server.stop()
    peer_ms = statistics.median(peer["seconds"]) * 1000
    return [
        (
            "a month's `site_safety` as PDF, from `POST …/remake` to the finished file", f"{ours_ms:.0f} ms, {size / 1e3:.0f} kB",
            f"{peer_ms / ours_ms:.1f} times as fast as WeasyPrint's {peer_ms:,.0f} ms, {peer['bytes'] / 1e3:.0f} kB on {peer['pages']} pages",
            "at least 20 times as fast",
        ),
        (
            f"resident memory after {WARM_REMAKES + REMAKES} remakes", f"{after_mb:.0f} MB",
            f"{(after_mb - warm_mb) / warm_mb:+.1%} since the first {WARM_REMAKES}", "flat, below 5 %",
        ),
        (f"{SCHEDULES} schedules due at once", f"{rate:.1f} reports a second, with their mails", "", ""),
    ]

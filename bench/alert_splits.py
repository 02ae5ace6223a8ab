"""Measure what alerts take that distinguish very many tags: memory, and how long the alarms of another brand wait meanwhile."""

import http.client
import json
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

from alerts import PASSWORD, User, email
from servers import Keepclear

# Rules, each split by tag, and tags that one station reports. An owner has at most 200 alerts.
CASES = [(200, 40_000), (2_000, 17_500)]
RULES_OF_OWNER, BATCH = 200, 2_500
PROBES, PROBE_INTERVAL_S = 30, 2
PROBE = re.compile(rb"PROBE-(\d{4})")


class Measurement:
    """A server with a greedy and a modest brand. The modest one has an alert that fires for each tag."""

    def __init__(self, program, folder, owners):
        self.program, self.data, self.sent = program, folder, 0
        for brand in ("Greedy", "Modest"):
            self.command("brand", "create", brand)
        for number in range(owners):
            self.add_user("Greedy", number)
        self.add_user("Modest", owners)
        self.tokens = {}
        for brand in ("Greedy", "Modest"):
            self.tokens[brand] = self.command("token", "issue", "--brand", brand, "--kind", "station", "--name", "ST-1")
        self.server = Keepclear(program, folder, environment={"KEEPCLEAR__ALERTS__MAX_MESSAGES_PER_HOUR": "1000"})
        self.server.wait_until_ready()
        self.owners = [User(self.server, number) for number in range(owners)]
        User(self.server, owners).post("/api/v1/alerts", self.rule("Modest", 1))
        self.probed = 0

    def command(self, *arguments, text=""):
        arguments = [self.program, *arguments, "--data", self.data]
        return subprocess.run(arguments, input=text, text=True, check=True, capture_output=True).stdout.strip()

    def add_user(self, brand, number):
        self.command("user", "create", "--brand", brand, "--email", email(number), "--role", "admin", "--password-stdin", text=PASSWORD)

    def rule(self, name, threshold):
        recipients = [{"email": "ada@example.com"}]
        return {"name": name, "metric": "incursions", "threshold": threshold, "split_by": "tag", "window_minutes": 1_440, "recipients": recipients}

    def send(self, brand, tags):
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        events = []
        for tag in tags:
            self.sent += 1
            events.append({"uid": f"e{self.sent}", "kind": "incursion", "tag": tag, "started_at": at, "zone": "danger"})
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port)
        headers = {"Authorization": f"Bearer {self.tokens[brand]}", "Content-Type": "application/json"}
        connection.request("POST", "/ingest/v1/events", json.dumps(events), headers)
        response = connection.getresponse()
        body = response.read()
        assert response.status == 200 and json.loads(body)["rejected"] == [], body[:500]

    def delays(self, meanwhile=lambda: None):
        """Return how long the mails of probes took, of the modest brand."""
        sent_at = {}
        for _ in range(PROBES):
            meanwhile()
            self.probed += 1
            self.send("Modest", [f"PROBE-{self.probed:04}"])
            sent_at[self.probed] = time.time()
            time.sleep(PROBE_INTERVAL_S)
        end = time.time() + 120
        while True:
            written = {}
            for file in (pathlib.Path(self.data) / "mail").glob("*.eml"):
                if match := PROBE.search(file.read_bytes()):
                    written[int(match[1])] = file.stat().st_mtime
            if sent_at.keys() <= written.keys():
                return sorted(written[number] - at for number, at in sent_at.items())
            assert time.time() < end, f"{len(written)} of {self.probed} mails"
            time.sleep(0.5)

    def peak_mb(self):
        status = open(f"/proc/{self.server.process.pid}/status").read()
        return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 1024


def rows(program):
    """Return the rows of this part of the results."""
    found = []
    for rules, tags in CASES:
        with tempfile.TemporaryDirectory() as folder:
            owners = (rules + RULES_OF_OWNER - 1) // RULES_OF_OWNER
            run = Measurement(program, folder, owners)
            try:
                names = [f"TAG-{number}" for number in range(tags)]
                for start in range(0, tags, BATCH):
                    run.send("Greedy", names[start : start + BATCH])
                before = run.delays()
                resting = run.server.resident_mb()
                for number in range(rules):
                    run.owners[number // RULES_OF_OWNER].post("/api/v1/alerts", run.rule(f"Rule {number}", 1_000_000))
                # Every fact makes all of them due.
                beside = run.delays(lambda: run.send("Greedy", names[:10]))
                what = f"{rules:,} alerts split by tag, {tags:,} tags"
                found += [
                    (f"memory over resting: {what}", f"{run.peak_mb() - resting:.0f} MB", f"{resting:.0f} MB resting", "at most 150 MB"),
                    (f"mails of another brand: {what}", f"median {statistics.median(beside):.2f} s", f"{statistics.median(before):.2f} s without these alerts; slowest {beside[-1]:.2f} and {before[-1]:.2f} s", "at most twice"),
                ]
            finally:
                run.server.stop()
    return found


if __name__ == "__main__":
    import sys

    for row in rows(sys.argv[1]):
        print(" | ".join(row))

"""A private PostgreSQL in a temporary folder, from the installed programs, configured as it comes: it waits for the disk."""

import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import tempfile
import time

USER = "keepclear"


def find_programs():
    versions = pathlib.Path("/usr/lib/postgresql").glob("*/bin")
    found = [pathlib.Path(initdb).resolve().parent] if (initdb := shutil.which("initdb")) else []
    found += sorted(versions, key=lambda folder: int(folder.parent.name), reverse=True)
    if not found:
        sys.exit("bench needs a PostgreSQL server (Debian: apt-get install postgresql)")
    return found[0]


class Postgres:
    def __init__(self):
        self.programs = find_programs()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="keepclear-bench-pg-"))
        self.folder.chmod(0o755)
        # It refuses to run as root.
        self.user = {}
        if os.geteuid() == 0:
            names = {entry.pw_name: entry for entry in pwd.getpwall()}
            owner = names.get("postgres") or names["nobody"]
            self.user = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
        data = self.folder / "data"
        quiet = {"stdout": subprocess.DEVNULL, "cwd": self.folder, **self.user}
        subprocess.run([self.programs / "initdb", "-D", data, "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C"], check=True, **quiet)
        self.process = subprocess.Popen(
            [self.programs / "postgres", "-D", data, "-k", self.folder, "-c", "listen_addresses="], stderr=subprocess.DEVNULL, **quiet
        )
        while subprocess.run([self.programs / "pg_isready", "-q", "-h", self.folder]).returncode:
            if self.process.poll() is not None:
                sys.exit("PostgreSQL did not start")
            time.sleep(0.05)

    def url(self, database):
        return f"postgres:///{database}?host={self.folder}&user={USER}"

    def create(self, database, template="template0"):
        subprocess.run([self.programs / "createdb", "-h", self.folder, "-U", USER, "-T", template, database], check=True)

    def run(self, database, sql):
        """Runs SQL and returns the one value it answers with, if it does."""
        command = [self.programs / "psql", "-h", self.folder, "-U", USER, "-d", database, "-qtA", "-v", "ON_ERROR_STOP=1"]
        return subprocess.run(command, input=sql, capture_output=True, text=True, check=True).stdout.strip()

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder)

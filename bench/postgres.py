"""A private PostgreSQL server in a temporary folder, with the default configuration: each commit is synced to disk."""

import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import tempfile
import time

USER = "keepclear"


def find_bin_dir():
    bin_dirs = pathlib.Path("/usr/lib/postgresql").glob("*/bin")
    found = [pathlib.Path(initdb).resolve().parent] if (initdb := shutil.which("initdb")) else []
    found += sorted(bin_dirs, key=lambda folder: int(folder.parent.name), reverse=True)
    if not found:
        sys.exit("The benchmarks require a PostgreSQL server (Debian: apt-get install postgresql)")
    return found[0]


class PostgresCluster:
    def __init__(self):
        self.bin_dir, self.standby = find_bin_dir(), None
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="keepclear-bench-pg-"))
        self.folder.chmod(0o755)
        # PostgreSQL refuses to run as root.
        self.run_as = {}
        if os.geteuid() == 0:
            names = {entry.pw_name: entry for entry in pwd.getpwall()}
            owner = names.get("postgres") or names["nobody"]
            self.run_as = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
        data = self.folder / "data"
        process_options = {"stdout": subprocess.DEVNULL, "cwd": self.folder, **self.run_as}
        subprocess.run([self.bin_dir / "initdb", "-D", data, "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C"], check=True, **process_options)
        self.process = subprocess.Popen(
            [self.bin_dir / "postgres", "-D", data, "-k", self.folder, "-c", "listen_addresses="], stderr=subprocess.DEVNULL, **process_options
        )
        while subprocess.run([self.bin_dir / "pg_isready", "-q", "-h", self.folder]).returncode:
            if self.process.poll() is not None:
                sys.exit("PostgreSQL did not start")
            time.sleep(0.05)

    def add_synchronous_standby(self):
        """Start a standby on this machine. From then on each commit waits until it has the commit on disk, too."""
        standby = self.folder / "standby"
        options = {"cwd": self.folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **self.run_as}
        backup = [self.bin_dir / "pg_basebackup", "-h", self.folder, "-U", USER, "-D", standby, "-R", "-X", "stream", "-c", "fast"]
        subprocess.run(backup, check=True, **options)
        sockets = self.folder / "standby-sockets"
        sockets.mkdir()
        if self.run_as:
            os.chown(sockets, self.run_as["user"], self.run_as["group"])
        self.standby = subprocess.Popen([self.bin_dir / "postgres", "-D", standby, "-k", sockets, "-c", "listen_addresses="], **options)
        self.run_sql("postgres", "alter system set synchronous_standby_names = '*'")
        self.run_sql("postgres", "select pg_reload_conf()")
        while self.run_sql("postgres", "select sync_state from pg_stat_replication") != "sync":
            if self.standby.poll() is not None:
                sys.exit("The standby did not start")
            time.sleep(0.05)

    def url(self, database):
        return f"postgres:///{database}?host={self.folder}&user={USER}"

    def create_database(self, database, template="template0"):
        subprocess.run([self.bin_dir / "createdb", "-h", self.folder, "-U", USER, "-T", template, database], check=True)

    def run_sql(self, database, sql):
        """Run SQL and return its output without headings and padding."""
        command = [self.bin_dir / "psql", "-h", self.folder, "-U", USER, "-d", database, "-qtA", "-v", "ON_ERROR_STOP=1"]
        return subprocess.run(command, input=sql, capture_output=True, text=True, check=True).stdout.strip()

    def stop(self):
        for process in (self.process, self.standby):
            if process:
                process.terminate()
                process.wait()
        shutil.rmtree(self.folder)

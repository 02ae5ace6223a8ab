"""Serve a demo of Keepclear from the program under test, for the tools that check it from outside."""

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

# Time limits in seconds: loading the whole demo in a debug build on a busy machine, and starting over it.
DEMO_LIMIT, START_LIMIT = 240, 60


class Failed(Exception):
    """What a check found, with its place."""


def environment(**more):
    """Return the environment of this process without settings of Keepclear and without proxies."""
    env = {key: value for key, value in os.environ.items() if not key.upper().startswith(("KEEPCLEAR", "BASH_ENV"))}
    env.update(more, NO_PROXY="127.0.0.1", no_proxy="127.0.0.1")
    return env


# Waits until the runner has exited or was killed. Then it kills the processes of the runner and removes its folder.
WATCH = 'cat; for file in "$1"/running/*; do [ -e "$file" ] && kill -9 "-${file##*/}"; done; rm -rf "$1"'


@contextlib.contextmanager
def scratch_folder(prefix):
    """Create a folder that is removed when this process ends, even if it is killed."""
    place = Path(tempfile.mkdtemp(prefix=prefix))
    watch = subprocess.Popen(["sh", "-c", WATCH, "watch", place], stdin=subprocess.PIPE, start_new_session=True)
    try:
        (place / "running").mkdir()
        yield place
    finally:
        watch.stdin.close()
        watch.wait()


@contextlib.contextmanager
def started(running, command, **how):
    """Start a process in its own group, and kill the group at the end of the block. `running` is the folder that lists the groups."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, **how)
    note = running / str(process.pid)
    note.touch()
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        note.unlink()


class Server:
    """`keepclear serve` over the data folder in `folder`, on a free port."""

    def __init__(self, process):
        self.process, self.log, self.address, self.ready = process, [], None, threading.Event()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stderr:
            self.log.append(line)
            found = re.search(r"serving on (http://\S+)", line)
            if found:
                self.address = found[1]
                self.ready.set()
        self.ready.set()

    def wait(self, seconds):
        self.ready.wait(seconds)
        if self.address is None:
            raise Failed("the service did not start:\n" + "".join(self.log[-20:]))

    def wait_for_log(self, text, seconds):
        """Wait until the service has logged this."""
        end = time.monotonic() + seconds
        while not any(text in line for line in self.log):
            if time.monotonic() > end or not self.reader.is_alive():
                raise Failed(f"the service did not log “{text}”:\n" + "".join(self.log[-20:]))
            time.sleep(0.05)

    def stop(self):
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(30)
        self.reader.join(5)


@contextlib.contextmanager
def serving(running, program, folder, limit, *arguments, settings=None):
    """Serve over the data folder in `folder`. `settings` are environment variables of the service."""
    command = [program, "serve", "--listen", "127.0.0.1:0", *arguments]
    how = {"cwd": folder, "env": environment(NO_COLOR="1", **(settings or {})), "text": True, "encoding": "utf-8"}
    with open(folder / "serve.out", "w", encoding="utf-8") as printed, \
            started(running, command, stdout=printed, stderr=subprocess.PIPE, **how) as process:
        server = Server(process)
        server.wait(limit)
        yield server
        server.stop()


def password_in(printed):
    found = re.search(r"^\s+password\s+(\S+)$", printed, re.MULTILINE)
    return found and found[1]


def simulate_demo(running, program, folder):
    """Simulate the demo unless it exists, and return the password of its admin."""
    printed = folder / "serve.out"
    if printed.exists():
        return password_in(printed.read_text(encoding="utf-8"))
    folder.mkdir(parents=True)
    with serving(running, program, folder, DEMO_LIMIT, "--demo") as server:
        # The service answers when it has the newest week. Whoever calls wants the same demo each time, and alerts that are judged.
        server.wait_for_log("the history of Demo is loaded", DEMO_LIMIT)
        if not password_in(printed.read_text(encoding="utf-8")):
            raise Failed("the first start printed no password")
    return password_in(printed.read_text(encoding="utf-8"))

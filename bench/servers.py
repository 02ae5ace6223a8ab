"""The servers that are measured, and the load they are put under."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

PEER = pathlib.Path(__file__).resolve().parent / "peer"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A process that serves on a free port of this machine."""

    ready = "/"

    def __init__(self, command, environment):
        self.base = f"http://127.0.0.1:{self.port}"
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def wait_until_ready(self):
        """Milliseconds from the start of the process to its first good answer."""
        while self.process.poll() is None:
            try:
                with urllib.request.urlopen(self.base + self.ready):
                    return (time.perf_counter() - self.began) * 1000
            except urllib.error.HTTPError as answer:
                if answer.code < 500:
                    return (time.perf_counter() - self.began) * 1000
            except OSError:
                pass
            time.sleep(0.001)
        sys.exit(f"a server ended before it was ready: {self.process.args}")

    def resident_mb(self):
        status = open(f"/proc/{self.process.pid}/status").read()
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Keepclear(Server):
    """`keepclear serve`, with limits that a measurement does not reach."""

    ready = "/health/ready"

    def __init__(self, program, data, database=None, environment=None):
        self.port = free_port()
        limits = {f"KEEPCLEAR__LIMITS__{name}": "60000000" for name in ("ANALYTICS", "LOGIN", "READ", "WRITE", "INGEST", "PROBE")}
        where = ["--database", database] if database else []
        super().__init__([program, "serve", "--data", data, "--listen", f"127.0.0.1:{self.port}", *where], {**limits, **(environment or {})})


class Django(Server):
    """The peer under gunicorn: as many workers as cores; `sync` ones, or `gthread` ones with threads and keep-alive."""

    def __init__(self, venv, workers, environment, module="django_peer"):
        self.port = free_port()
        kind = ["--worker-class", "gthread", "--threads", "4", "--keep-alive", "60"] if workers == "gthread" else []
        count = str(os.cpu_count())
        super().__init__(
            [venv / "bin" / "gunicorn", "--no-control-socket", "--chdir", PEER, "--workers", count, *kind, "--bind", f"127.0.0.1:{self.port}", f"{module}:application"],
            environment,
        )


def ensure_peer(folder):
    """A virtual environment with what the peer needs, made once."""
    venv, wanted = folder / "venv", (PEER / "requirements.txt").read_text()
    installed = venv / "installed.txt"
    if not installed.exists() or installed.read_text() != wanted:
        shutil.rmtree(venv, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([venv / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", "-r", PEER / "requirements.txt"], check=True)
        installed.write_text(wanted)
    return venv


class Refused(Exception):
    """A server did not answer as it should."""


def wrk(url, headers, seconds, script=None, **environment):
    """Answers a second, and answers in all; raises if any was not a 2xx."""
    command = ["wrk", "-t1", "-c32", f"-d{seconds}s", *(["-s", script] if script else []), url]
    for name, value in headers.items():
        command += ["-H", f"{name}: {value}"]
    out = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **environment}).stdout
    if "Non-2xx" in out:
        raise Refused(f"{url} was refused during the measurement:\n{out}")
    rate, answers = float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1)), int(re.search(r"(\d+) requests in", out).group(1))
    if answers == 0:
        raise Refused(f"{url} answered nothing during the measurement:\n{out}")
    return rate, answers

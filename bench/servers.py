"""The servers and example programs that are measured, and the load generator."""

import json
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

    ready_path = "/"

    def __init__(self, command, environment):
        self.base = f"http://127.0.0.1:{self.port}"
        self.started_at = time.perf_counter()
        self.process = subprocess.Popen(
            command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def wait_until_ready(self):
        """Return the milliseconds from the start of the process to its first response below 500."""
        while self.process.poll() is None:
            try:
                with urllib.request.urlopen(self.base + self.ready_path):
                    return (time.perf_counter() - self.started_at) * 1000
            except urllib.error.HTTPError as error:
                if error.code < 500:
                    return (time.perf_counter() - self.started_at) * 1000
            except OSError:
                pass
            time.sleep(0.001)
        sys.exit(f"A server exited before it was ready: {self.process.args}")

    def resident_mb(self):
        status = open(f"/proc/{self.process.pid}/status").read()
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Keepclear(Server):
    """`keepclear serve`, with rate limits that no measurement reaches."""

    ready_path = "/health/ready"

    def __init__(self, program, data, database=None, environment=None):
        self.port = free_port()
        limits = {f"KEEPCLEAR__LIMITS__{name}_PER_MINUTE": "60000000" for name in ("ANALYTICS", "LOGIN", "READ", "WRITE", "INGEST", "PROBE")}
        database_arguments = ["--database", database] if database else []
        super().__init__([program, "serve", "--data", data, "--listen", f"127.0.0.1:{self.port}", *database_arguments], {**limits, **(environment or {})})


class Django(Server):
    """The peer under gunicorn, with one worker per core, of the class `sync`, or `gthread` with threads and keep-alive."""

    def __init__(self, venv, worker_class, environment, module="django_peer"):
        self.port = free_port()
        class_arguments = ["--worker-class", "gthread", "--threads", "4", "--keep-alive", "60"] if worker_class == "gthread" else []
        count = str(os.cpu_count())
        super().__init__(
            [venv / "bin" / "gunicorn", "--no-control-socket", "--chdir", PEER, "--workers", count, *class_arguments, "--bind", f"127.0.0.1:{self.port}", f"{module}:application"],
            environment,
        )


class ExampleProgram:
    """A running example of a crate. It writes a summary and its questions. Then it reads a command per line and answers each with a line."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.summary = json.loads(self.read_line())
        self.questions = [self.read_line() for _ in range(int(self.read_line()))]

    def read_line(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"An example exited: {self.process.args}")
        return line.rstrip("\n")

    def send(self, command):
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()
        return self.read_line()

    def measure_ms(self, command):
        """Send a command that asks a question. Return the milliseconds that the program says it took."""
        return float(self.send(command))

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def ensure_peer_venv(folder):
    """Return the virtual environment of the peers. It is created on the first call and when the requirements change."""
    venv, requirements = folder / "venv", (PEER / "requirements.txt").read_text()
    installed = venv / "installed.txt"
    if not installed.exists() or installed.read_text() != requirements:
        shutil.rmtree(venv, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([venv / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", "-r", PEER / "requirements.txt"], check=True)
        installed.write_text(requirements)
    return venv


class RequestRefused(Exception):
    """A server responded with an error, or not at all."""


def busy_ticks():
    """Return the processor time that all processes of the machine have used, in ticks."""
    with open("/proc/stat") as file:
        user, nice, system, _idle, _iowait, interrupts, soft_interrupts = map(int, file.readline().split()[1:8])
    return user + nice + system + interrupts + soft_interrupts


def wait_until_idle(seconds=10):
    """Wait until the machine does nothing. A server goes on working on requests whose client has gone, at the cost of the next round."""
    for _ in range(5 * seconds):
        before = busy_ticks()
        time.sleep(0.2)
        if busy_ticks() - before <= 4:
            return


def wrk(url, headers, seconds, script=None, **environment):
    """Load a server. Return responses per second and the number of responses; raise unless all of them are 2xx."""
    command = ["wrk", "-t1", "-c32", f"-d{seconds}s", *(["-s", script] if script else []), url]
    for name, value in headers.items():
        command += ["-H", f"{name}: {value}"]
    wait_until_idle()
    output = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **environment}).stdout
    if "Non-2xx" in output:
        raise RequestRefused(f"requests to {url} failed during the measurement:\n{output}")
    rate, responses = float(re.search(r"Requests/sec:\s+([\d.]+)", output).group(1)), int(re.search(r"(\d+) requests in", output).group(1))
    if responses == 0:
        raise RequestRefused(f"{url} did not respond during the measurement:\n{output}")
    return rate, responses

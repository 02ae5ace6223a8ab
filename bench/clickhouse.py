"""ClickHouse nodes on this machine, from the library that the tests use."""

import pathlib
import subprocess
import sys
import urllib.request

from servers import free_port

TOOLS = pathlib.Path(__file__).resolve().parent.parent / "tools"


class ClickHouseNode:
    def __init__(self, folder):
        ensured = subprocess.run([TOOLS / "ensure-clickhouse"], stdout=subprocess.PIPE, text=True)
        if ensured.returncode:
            sys.exit("The benchmarks of the warehouse and of the fleet require ClickHouse.")
        self.http_port, self.native_port = free_port(), free_port()
        self.process = subprocess.Popen(
            [sys.executable, TOOLS / "clickhouse" / "server.py", ensured.stdout.strip(), folder, str(self.http_port), str(self.native_port)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        if self.process.stdout.readline().strip() != "ready":
            sys.exit("ClickHouse did not start.")

    @property
    def url(self):
        return f"http://127.0.0.1:{self.http_port}"

    @property
    def native(self):
        return f"127.0.0.1:{self.native_port}"

    def run_sql(self, statement):
        headers = {"X-ClickHouse-User": "keepclear", "X-ClickHouse-Key": "keepclear"}
        request = urllib.request.Request(f"{self.url}/?database=keepclear&wait_end_of_query=1", statement.encode(), headers)
        with urllib.request.urlopen(request) as response:
            return response.read().decode().strip()

    def merge_all(self):
        """Merge the parts of each month into one, as they are some minutes after the last insert, and return the bytes and the rows."""
        for table in self.run_sql("select name from system.tables where database = 'keepclear'").splitlines():
            self.run_sql(f"optimize table {table} final")
        sizes = "select sum(bytes_on_disk), sum(rows) from system.parts where active and database = 'keepclear' and table like '%_incursions'"
        return [int(number) for number in self.run_sql(sizes).split()]

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def configuration(nodes):
    """Return the configuration of a host whose questions are answered by these nodes, each of which has a shard of its own."""
    listed = ", ".join(f'{{ shard = {number}, url = "{node.url}", native = "{node.native}" }}' for number, node in enumerate(nodes, 1))
    return f'[analytics]\nengine = "warehouse"\n\n[analytics.warehouse]\nnodes = [{listed}]\npassword = "keepclear"\n'

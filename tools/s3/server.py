"""Run an S3-compatible server in memory, on loopback. It prints its port, and runs until its standard input is closed.

The arguments are the buckets to create.
"""

import sys
import urllib.request

from moto.server import ThreadedMotoServer

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
port = server.get_host_and_port()[1]
for bucket in sys.argv[1:]:
    urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}/{bucket}", method="PUT"))
print(port, flush=True)
sys.stdin.read()
server.stop()

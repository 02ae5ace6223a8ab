"""Run a ClickHouse server on loopback, from the library of chDB, which contains all of ClickHouse.

The arguments are the library, a folder for its data, and the ports of its HTTP and its native interface. It has one user, keepclear, with
the password keepclear, and an empty database of that name. It prints "ready" when it answers, and runs until its standard input is closed.
"""

import ctypes
import os
import sys
import threading
import time
import urllib.request

library, folder, http_port, native_port = sys.argv[1:]

CONFIG = f"""<clickhouse>
    <listen_host>127.0.0.1</listen_host>
    <http_port>{http_port}</http_port>
    <tcp_port>{native_port}</tcp_port>
    <users_config>{folder}/users.xml</users_config>
    <mark_cache_size>67108864</mark_cache_size>
    <max_server_memory_usage>2000000000</max_server_memory_usage>
    <background_pool_size>2</background_pool_size>
    <background_schedule_pool_size>4</background_schedule_pool_size>
</clickhouse>
"""

# The program itself is the user default, which has no password.
USERS = """<clickhouse>
    <profiles><default><max_threads>2</max_threads></default></profiles>
    <quotas><default/></quotas>
    <users>
        <default><no_password/><networks><ip>::1</ip></networks><profile>default</profile><quota>default</quota></default>
        <keepclear>
            <password>keepclear</password>
            <networks><ip>127.0.0.1</ip></networks>
            <profile>default</profile>
            <quota>default</quota>
        </keepclear>
    </users>
</clickhouse>
"""

# The last statement lasts until the process ends.
STATEMENTS = (
    "create database if not exists keepclear; system start listen queries all; "
    "select sleepEachRow(1) from system.numbers "
    "settings function_sleep_max_microseconds_per_block = 0, max_block_size = 1 format Null"
)


def end_with_input():
    """End the process when whoever started it is gone, or wants it to end."""
    os.read(0, 1)
    os._exit(0)


def say_when_ready():
    """Wait for the first answer."""
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{http_port}/ping", timeout=1)
            break
        except OSError:
            time.sleep(0.02)
    print("ready", flush=True)


os.makedirs(folder, exist_ok=True)
for name, text in (("config.xml", CONFIG), ("users.xml", USERS)):
    with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
        file.write(text)
chdb = ctypes.CDLL(library)
chdb.chdb_query_cmdline.restype = ctypes.c_void_p
chdb.chdb_query_cmdline.argtypes = [ctypes.c_int, ctypes.POINTER(ctypes.c_char_p)]
chdb.chdb_result_error.restype = ctypes.c_char_p
chdb.chdb_result_error.argtypes = [ctypes.c_void_p]
arguments = ["clickhouse", f"--config-file={folder}/config.xml", f"--path={folder}/data", "--query", STATEMENTS]
threading.Thread(target=end_with_input, daemon=True).start()
threading.Thread(target=say_when_ready, daemon=True).start()
result = chdb.chdb_query_cmdline(
    len(arguments), (ctypes.c_char_p * len(arguments))(*(argument.encode() for argument in arguments))
)
if result:
    print((chdb.chdb_result_error(result) or b"").decode(), file=sys.stderr, flush=True)
os._exit(1)

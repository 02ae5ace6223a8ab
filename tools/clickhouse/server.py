"""Run a ClickHouse server on loopback, from the library of chDB, which contains all of ClickHouse.

The arguments are the library, a folder for its data, and the ports of its HTTP and its native interface. It has one user, keepclear, with
the password keepclear, and an empty database of that name. It prints "ready" when it answers, and runs until its standard input is closed.

A fifth argument is JSON. Its "users" are the names of more users with the same password, each with what is granted to it. Its "tls_ports"
are the ports of its interfaces that speak TLS, "http" and "native", with certificate.pem and key.pem of the folder.
"""

import ctypes
import json
import os
import sys
import threading
import time
import urllib.request

import tls

library, folder, http_port, native_port = sys.argv[1:5]
extras = json.loads(sys.argv[5]) if len(sys.argv) > 5 else {}

# As a client it does with certificates as the packages of ClickHouse do. Engines of tables need no grant in those; they do if an operator
# wants so.
CONFIG = f"""<clickhouse>
    <listen_host>127.0.0.1</listen_host>
    <http_port>{http_port}</http_port>
    <tcp_port>{native_port}</tcp_port>
    <users_config>{folder}/users.xml</users_config>
    <openSSL>
        <client>
            <loadDefaultCAFile>true</loadDefaultCAFile>
            <verificationMode>relaxed</verificationMode>
            <invalidCertificateHandler><name>RejectCertificateHandler</name></invalidCertificateHandler>
        </client>
    </openSSL>
    <access_control_improvements>
        <table_engines_require_grant>true</table_engines_require_grant>
    </access_control_improvements>
    <mark_cache_size>67108864</mark_cache_size>
    <max_server_memory_usage>2000000000</max_server_memory_usage>
    <background_pool_size>2</background_pool_size>
    <background_schedule_pool_size>4</background_schedule_pool_size>
</clickhouse>
"""


def user(name, rights=""):
    """Return the configuration of a user, who has all rights unless some are given."""
    return f"""<{name}>
            <password>keepclear</password>
            <networks><ip>127.0.0.1</ip></networks>
            <profile>default</profile>
            <quota>default</quota>
            {rights}
        </{name}>"""


def user_with_grants(name, grants):
    """Return the configuration of a user who has these rights and no others."""
    queries = "".join(f"<query>grant {grant}</query>" for grant in grants)
    return user(name, f"<grants>{queries}</grants>")


MORE_USERS = "".join(user_with_grants(name, grants) for name, grants in extras.get("users", {}).items())

# The program itself is the user default, which has no password.
USERS = f"""<clickhouse>
    <profiles><default><max_threads>2</max_threads></default></profiles>
    <quotas><default/></quotas>
    <users>
        <default><no_password/><networks><ip>::1</ip></networks><profile>default</profile><quota>default</quota></default>
        {user("keepclear")}
        {MORE_USERS}
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
tls_ports = extras.get("tls_ports")
if tls_ports:
    ports = {tls_ports["http"]: http_port, tls_ports["native"]: native_port}
    tls.listen(ports, f"{folder}/certificate.pem", f"{folder}/key.pem")
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

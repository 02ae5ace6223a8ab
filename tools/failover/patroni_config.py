"""Print the configuration of one Patroni for the tests: the file of docs/fleet.md, with addresses and folders of the test.

The argument is docs/fleet.md; standard input has the settings of the node as JSON.
"""

import json
import re
import sys

import yaml

with open(sys.argv[1], encoding="utf-8") as file:
    block = re.search(r"^```yaml\n(scope: .*?)^```$", file.read(), re.M | re.S)
node = json.load(sys.stdin)
config = yaml.safe_load(block[1])

config["name"] = node["name"]
config["restapi"].update(listen=node["rest"], connect_address=node["advertised_rest"])
# Without this it would ask etcd for the addresses of its members, and go around the proxies.
config["etcd3"] = {"hosts": node["etcd"], "use_proxies": True}
# A test has no device that resets the machine.
del config["watchdog"]

settings = config["bootstrap"]["dcs"]["postgresql"]
for parameter in ("archive_mode", "archive_timeout", "archive_command"):
    del settings["parameters"][parameter]
settings["parameters"].update(shared_buffers="32MB", unix_socket_directories=node["folder"])
# Every node has the same address here, and who starts the tests is not called postgres.
rules = [re.sub(r"10\.0\.0\.\d+", "127.0.0.1", rule) for rule in settings["pg_hba"] if not rule.startswith("local ")]
settings["pg_hba"] = ["local all all trust", *dict.fromkeys(rules)]

config["postgresql"].update(
    listen=node["postgres"],
    connect_address=node["advertised_postgres"],
    bin_dir=node["programs"],
    data_dir=node["folder"] + "/data",
    pgpass=node["folder"] + "/pgpass",
    parameters={"unix_socket_directories": node["folder"]},
)
print(yaml.safe_dump(config, sort_keys=False))

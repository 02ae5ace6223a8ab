"""An object store on this machine: SeaweedFS, as the tests run it."""

import pathlib
import subprocess
import sys
import time
import urllib.error
import urllib.request

from servers import free_port

TOOLS = pathlib.Path(__file__).resolve().parent.parent / "tools"
# The bucket is created without a signature.
IDENTITIES = """{"identities": [
    {"name": "keepclear", "credentials": [{"accessKey": "tester", "secretKey": "tester"}], "actions": ["Admin", "Read", "List", "Tagging", "Write"]},
    {"name": "anonymous", "actions": ["Admin"]}
]}"""


class SeaweedFs:
    def __init__(self, folder):
        ensured = subprocess.run([TOOLS / "ensure-seaweedfs"], stdout=subprocess.PIPE, text=True)
        if ensured.returncode:
            sys.exit("The benchmark of shared columns requires SeaweedFS.")
        data, identities, port = folder / "objects", folder / "s3.json", free_port()
        data.mkdir()
        identities.write_text(IDENTITIES)
        others = ("master.port", "volume.port", "filer.port", "master.port.grpc", "volume.port.grpc", "filer.port.grpc", "s3.port.grpc")
        self.process = subprocess.Popen(
            [
                ensured.stdout.strip(), "-logtostderr=true", "server", f"-dir={data}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
                "-master.volumeSizeLimitMB=64", "-volume.max=100", "-filer", "-s3", f"-s3.port={port}", f"-s3.config={identities}",
                "-s3.port.iceberg=0", *(f"-{option}={free_port()}" for option in others),
            ],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        self.url = f"http://127.0.0.1:{port}"
        while not self.has_created_bucket():
            if self.process.poll() is not None:
                sys.exit("SeaweedFS did not start.")
            time.sleep(0.1)

    def has_created_bucket(self):
        try:
            with urllib.request.urlopen(urllib.request.Request(f"{self.url}/keepclear", method="PUT"), timeout=2) as response:
                return response.status == 200
        except (urllib.error.HTTPError, OSError):
            return False

    def environment(self):
        """Return the settings of a host that stores its objects here."""
        settings = {"ENDPOINT": self.url, "BUCKET": "keepclear", "ACCESS_KEY": "tester", "SECRET_KEY": "tester", "ALLOW_HTTP": "true"}
        return {"KEEPCLEAR__BLOBS__BACKEND": "s3", **{f"KEEPCLEAR__BLOBS__S3__{name}": value for name, value in settings.items()}}

    def stop(self):
        self.process.terminate()
        self.process.wait()

//! SeaweedFS on loopback, from PyPI: an object store that keeps its objects on disk.

use std::fs;
use std::net::SocketAddr;

use tempfile::TempDir;

use crate::supervised::{Supervised, ensure, free_port, loopback, request, send_signal, wait_for};
use crate::temporary_folder;

/// Who may do what. The bucket is created without a signature.
const IDENTITIES: &str = r#"{"identities": [
    {"name": "keepclear", "credentials": [{"accessKey": "tester", "secretKey": "tester"}],
     "actions": ["Admin", "Read", "List", "Tagging", "Write"]},
    {"name": "anonymous", "actions": ["Admin"]}
]}"#;

/// A running store with one bucket.
pub struct SeaweedFs {
    address: SocketAddr,
    program: Supervised,
    _folder: TempDir,
}

impl SeaweedFs {
    pub const BUCKET: &str = "keepclear";
    pub const ACCESS_KEY: &str = "tester";
    pub const SECRET_KEY: &str = "tester";

    /// Starts an empty store, which takes about four seconds. The first start fetches it.
    pub fn start() -> Result<Self, String> {
        let program = ensure("ensure-seaweedfs")?;
        let folder = temporary_folder();
        let identities = folder.path().join("s3.json");
        fs::write(&identities, IDENTITIES).map_err(|error| error.to_string())?;
        let data = folder.path().join("data");
        fs::create_dir(&data).map_err(|error| error.to_string())?;
        let address = loopback(free_port()?);
        let mut command = vec![
            program.to_string_lossy().into_owned(),
            "-logtostderr=true".to_owned(),
            "server".to_owned(),
            format!("-dir={}", data.display()),
            "-ip=127.0.0.1".to_owned(),
            "-ip.bind=127.0.0.1".to_owned(),
            "-master.volumeSizeLimitMB=64".to_owned(),
            "-volume.max=100".to_owned(),
            "-filer".to_owned(),
            "-s3".to_owned(),
            format!("-s3.port={}", address.port()),
            format!("-s3.config={}", identities.display()),
            "-s3.port.iceberg=0".to_owned(),
        ];
        for option in ["master.port", "volume.port", "filer.port"] {
            command.push(format!("-{option}={}", free_port()?));
        }
        for option in ["master.port.grpc", "volume.port.grpc", "filer.port.grpc", "s3.port.grpc"] {
            command.push(format!("-{option}={}", free_port()?));
        }
        let log = folder.path().join("log");
        let program = Supervised::start(&command, &log)?;
        let bucket = format!("/{}", Self::BUCKET);
        // It may have created the bucket for a request that was given up before its answer.
        wait_for("SeaweedFS", || matches!(request(address, "PUT", &bucket), Some((200 | 409, _))))
            .map_err(|reason| format!("{reason}: {}", fs::read_to_string(&log).unwrap_or_default()))?;
        Ok(Self { address, program, _folder: folder })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops the store without ending it: its connections stay open and nothing answers.
    pub fn freeze(&self) {
        send_signal("-STOP", &[self.program.pid]);
    }

    /// Lets a frozen store go on.
    pub fn thaw(&self) {
        send_signal("-CONT", &[self.program.pid]);
    }
}

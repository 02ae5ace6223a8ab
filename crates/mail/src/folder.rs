//! Messages as files that a newcomer can read: the default.

use std::fs::{DirBuilder, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use domain::Timestamp;

use crate::{MessageId, SendError};

/// A folder with a file per message.
#[derive(Clone, Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub fn new(path: PathBuf) -> Self {
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a message, whole or not at all; the same message again is the same file.
    pub async fn put(&self, id: &MessageId, date: Timestamp, bytes: Vec<u8>) -> Result<(), SendError> {
        let day: String = date.to_string().chars().take(10).collect();
        let (folder, name) = (self.0.clone(), format!("{day}-{}", id.local()));
        tokio::task::spawn_blocking(move || write(&folder, &name, &bytes))
            .await
            .map_err(|error| SendError::Transient(error.to_string()))?
            .map_err(|error| SendError::Transient(format!("{} cannot be written: {error}", self.0.display())))
    }
}

/// Only their owner can read them: they carry links that let people in.
fn write(folder: &Path, name: &str, bytes: &[u8]) -> std::io::Result<()> {
    let (mut folders, mut files) = (DirBuilder::new(), OpenOptions::new());
    folders.recursive(true);
    files.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        std::os::unix::fs::DirBuilderExt::mode(&mut folders, 0o700);
        std::os::unix::fs::OpenOptionsExt::mode(&mut files, 0o600);
    }
    folders.create(folder)?;
    // Of this process alone: another may be writing the same message.
    let draft = folder.join(format!(".{name}.{}", std::process::id()));
    let mut file = files.open(&draft)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    std::fs::rename(draft, folder.join(format!("{name}.eml")))
}

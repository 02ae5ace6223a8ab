//! The default transport: messages as files that can be read without a mail server.

use std::fs::{DirBuilder, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use domain::Timestamp;

use crate::{MessageId, SendError};

/// A folder with one file per message.
#[derive(Clone, Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub fn new(path: PathBuf) -> Self {
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a message atomically; the same message again replaces the same file.
    pub async fn put(&self, id: &MessageId, date: Timestamp, bytes: Vec<u8>) -> Result<(), SendError> {
        let day: String = date.to_string().chars().take(10).collect();
        let (folder, name) = (self.0.clone(), format!("{day}-{}", id.local()));
        tokio::task::spawn_blocking(move || write(&folder, &name, &bytes))
            .await
            .map_err(|error| SendError::Transient(error.to_string()))?
            .map_err(|error| SendError::Transient(format!("{} cannot be written: {error}", self.0.display())))
    }
}

/// Only their owner may read the files, because they contain links that give access.
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
    // The name is unique to this process, because another one may be writing the same message.
    let draft = folder.join(format!(".{name}.{}", std::process::id()));
    let mut file = files.open(&draft)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    std::fs::rename(draft, folder.join(format!("{name}.eml")))
}

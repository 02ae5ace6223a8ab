//! Objects as files: written under a temporary name, synced to disk, and renamed.

use std::fs::{self, DirBuilder};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use domain::Timestamp;
use object_store::ObjectStore;
use object_store::local::LocalFileSystem;

use crate::Error;

#[derive(Clone)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Creates the folder with access for its owner only; an existing one keeps its permissions.
    pub fn create(place: &Path) -> Result<Self, String> {
        let mut folders = DirBuilder::new();
        folders.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut folders, 0o700);
        folders.create(place).map_err(|error| error.to_string())?;
        Ok(Self(place.to_owned()))
    }

    pub fn store(&self) -> Result<Arc<dyn ObjectStore>, String> {
        let store = LocalFileSystem::new_with_prefix(&self.0).map_err(|error| error.to_string())?;
        // Empty folders are kept: another upload could be about to use one that is being removed.
        Ok(Arc::new(store.with_fsync(true)))
    }

    /// Removes temporary files that were last modified before `before`.
    pub async fn remove_incomplete_uploads(&self, before: Timestamp) -> Result<u64, Error> {
        let place = self.0.clone();
        let before = SystemTime::UNIX_EPOCH
            + Duration::from_micros(u64::try_from(before.micros()).unwrap_or_default());
        let removed = tokio::task::spawn_blocking(move || remove_temporary_files(&place, before)).await;
        Ok(removed.map_err(|error| Error::Failed(error.to_string()))??)
    }
}

fn remove_temporary_files(folder: &Path, before: SystemTime) -> std::io::Result<u64> {
    let mut removed = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            removed += remove_temporary_files(&entry.path(), before)?;
        } else if kind.is_file() && is_temporary(&entry.file_name().to_string_lossy()) {
            // The file may just have been renamed, and then is not a leftover.
            let Ok(about) = entry.metadata() else { continue };
            if about.modified()? < before && fs::remove_file(entry.path()).is_ok() {
                removed += 1;
            }
        }
    }
    Ok(removed)
}

/// Whether this is a temporary name of an object being written: its name, `#` and a number.
fn is_temporary(name: &str) -> bool {
    name.split_once('#')
        .is_some_and(|(_, number)| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_was_left_half_written_goes_when_it_is_old() {
        let place = testbed::temporary_folder();
        let folder = Folder::create(&place.path().join("blobs")).unwrap();
        let inner = place.path().join("blobs/clips/1");
        fs::create_dir_all(&inner).unwrap();
        for (name, at) in [("old#1", 1_000), ("new#2", 3_000), ("whole", 1_000), ("odd#x", 1_000)] {
            let file = fs::File::create(inner.join(name)).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(at)).unwrap();
        }
        assert_eq!(folder.remove_incomplete_uploads(Timestamp::from_seconds(2_000)).await.unwrap(), 1);
        let mut left: Vec<_> =
            fs::read_dir(&inner).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["new#2", "odd#x", "whole"]);
    }
}

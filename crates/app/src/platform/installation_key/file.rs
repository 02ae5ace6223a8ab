//! The installation key as a file: readable only by its owner, written atomically, and synced before it is used.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::InstallationKey;
use crate::Error;
use crate::platform::private_files::{self, create_parent_folder, remove_if_present};

/// Larger than any key with surrounding white space.
const MAX_FILE_BYTES: u64 = 1_024;

/// A file with the current key, and beside it one with the next key during a rotation.
#[derive(Clone, Debug)]
pub struct KeyFile {
    path: PathBuf,
}

impl KeyFile {
    pub fn at(path: PathBuf) -> Self {
        Self { path }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn next_path(&self) -> PathBuf {
        self.sibling_path(".new")
    }

    /// Returns the current key, if the file exists.
    pub fn current(&self) -> Result<Option<InstallationKey>, Error> {
        read(&self.path)
    }

    /// Returns the next key, if one is prepared.
    pub fn next(&self) -> Result<Option<InstallationKey>, Error> {
        read(&self.next_path())
    }

    /// Writes the current key; fails if the file exists.
    pub fn write(&self, key: &InstallationKey) -> Result<(), Error> {
        self.write_new(key, &self.path)
    }

    /// Writes the next key beside the current one, replacing an unused one.
    pub fn write_next(&self, key: &InstallationKey) -> Result<(), Error> {
        let path = self.next_path();
        remove_if_present(&path).map_err(|error| file_error("removed", &path, &error))?;
        self.write_new(key, &path)
    }

    /// Moves the next key to the place of the current one, which is stored beside it under its id because older backups need it. Calling
    /// this twice is fine.
    pub fn promote(&self) -> Result<(), Error> {
        if let (Some(old), Some(next)) = (self.current()?, self.next()?)
            && old != next
        {
            match self.write_new(&old, &self.retired_path(&old.id())) {
                Err(error) if !self.retired_path(&old.id()).exists() => return Err(error),
                _ => {}
            }
        }
        match fs::rename(self.next_path(), &self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(file_error("moved to the place of the old key", &self.next_path(), &error)),
            Ok(()) => self.sync_folder(),
        }
    }

    /// Returns the id of the key from which an unfinished rotation started.
    pub fn rotating_from(&self) -> Result<Option<String>, Error> {
        let path = self.sibling_path(".rotating");
        match fs::read_to_string(&path) {
            // An earlier version that was killed here, or found the disk full, left an empty record; the database was never switched then.
            Ok(text) => Ok(Some(text.trim().to_owned()).filter(|id| !id.is_empty())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(file_error("read", &path, &error)),
        }
    }

    /// Records the id of the key from which a rotation starts. The record is complete or does not exist: half an id would differ from the
    /// current key's, so that a rotation that never happened would count as done.
    pub fn mark_rotation(&self, id: &str) -> Result<(), Error> {
        let path = self.sibling_path(".rotating");
        let partial = self.sibling_path(".rotating.partial");
        let written = || {
            let mut file = File::create(&partial)?;
            writeln!(file, "{id}")?;
            file.sync_all()?;
            fs::rename(&partial, &path)
        };
        written().map_err(|error| file_error("rotated", &path, &error))?;
        self.sync_folder()
    }

    /// Removes that record when the rotation has finished.
    pub fn clear_rotation(&self) -> Result<(), Error> {
        let path = self.sibling_path(".rotating");
        remove_if_present(&path).map_err(|error| file_error("rotated", &path, &error))
    }

    /// Returns the path at which a replaced key is stored.
    pub fn retired_path(&self, id: &str) -> PathBuf {
        self.sibling_path(&format!(".{id}"))
    }

    fn write_new(&self, key: &InstallationKey, path: &Path) -> Result<(), Error> {
        let partial = self.sibling_path(".partial");
        let written = || {
            create_parent_folder(path)?;
            // A file that a killed process left is useless, because nothing was sealed with it.
            remove_if_present(&partial)?;
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let mut file = options.open(&partial)?;
            writeln!(file, "{}", key.to_hex())?;
            file.sync_all()?;
            drop(file);
            // A link fails if the file exists; a rename would replace a key that is in use.
            match fs::hard_link(&partial, path) {
                Ok(()) => fs::remove_file(&partial),
                // Without hard links, checking first must do; the writer holds the lock of the installation's row.
                Err(_) if !path.try_exists()? => fs::rename(&partial, path),
                Err(error) => Err(error),
            }
        };
        written().map_err(|error| file_error("written", path, &error))?;
        self.sync_folder()
    }

    fn sync_folder(&self) -> Result<(), Error> {
        private_files::sync_folder(&self.path)
            .map_err(|error| file_error("synced to disk", private_files::folder_of(&self.path), &error))
    }

    fn sibling_path(&self, ending: &str) -> PathBuf {
        private_files::sibling_path(&self.path, ending)
    }
}

fn read(path: &Path) -> Result<Option<InstallationKey>, Error> {
    let mut text = String::new();
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(file_error("read", path, &error)),
    };
    refuse_world_readable(&file, path)?;
    file.take(MAX_FILE_BYTES).read_to_string(&mut text).map_err(|error| file_error("read", path, &error))?;
    InstallationKey::parse(&text).map(Some).ok_or_else(|| {
        Error::internal(format!(
            "{} does not contain an installation key of 64 hexadecimal digits",
            path.display()
        ))
    })
}

#[cfg(unix)]
fn refuse_world_readable(file: &File, path: &Path) -> Result<(), Error> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = file.metadata().map_err(|error| file_error("read", path, &error))?.permissions().mode();
    if mode & 0o007 != 0 {
        return Err(Error::internal(format!(
            "{} is accessible to every user of this machine (mode {:04o}), and anyone who reads it can sign in as any user; \
             run chmod 600 on it, and rotate the key if others may have read it",
            path.display(),
            mode & 0o7777
        )));
    }
    if mode & 0o070 != 0 {
        // Container mounts often grant access by group.
        tracing::warn!("{} is accessible to its group (mode {:04o})", path.display(), mode & 0o7777);
    }
    Ok(())
}

#[cfg(not(unix))]
fn refuse_world_readable(_: &File, _: &Path) -> Result<(), Error> {
    Ok(())
}

fn file_error(done: &str, path: &Path, error: &std::io::Error) -> Error {
    Error::internal(format!("the installation key {} cannot be {done}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use domain::Random;

    use super::*;

    fn folder(name: &str) -> PathBuf {
        testbed::temporary_folder().keep().join(name)
    }

    #[test]
    fn a_key_is_never_written_over_and_the_next_takes_its_place() {
        let folder = folder("places");
        let file = KeyFile::at(folder.join("installation.key"));
        let [one, two] = [1, 2].map(|seed| InstallationKey::generate(&Random::seeded(seed)));
        assert_eq!(file.current().unwrap(), None);
        file.write(&one).unwrap();
        assert!(file.write(&two).is_err());
        assert_eq!(file.current().unwrap(), Some(one.clone()));
        // A file left by a killed process does not get in the way.
        fs::write(folder.join("installation.key.partial"), "half").unwrap();
        file.write_next(&two).unwrap();
        assert_eq!((file.current().unwrap(), file.next().unwrap()), (Some(one.clone()), Some(two.clone())));
        file.promote().unwrap();
        file.promote().unwrap();
        assert_eq!((file.current().unwrap(), file.next().unwrap()), (Some(two), None));
        assert_eq!(read(&file.retired_path(&one.id())).unwrap(), Some(one));
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_key_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = folder("modes");
        let file = KeyFile::at(folder.join("installation.key"));
        file.write(&InstallationKey::generate(&Random::seeded(1))).unwrap();
        assert_eq!(fs::metadata(file.path()).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(file.path(), fs::Permissions::from_mode(0o644)).unwrap();
        let refused = file.current().unwrap_err().to_string();
        assert!(refused.contains("chmod 600"), "{refused}");
        fs::set_permissions(file.path(), fs::Permissions::from_mode(0o640)).unwrap();
        assert!(file.current().unwrap().is_some());
        fs::write(file.path(), "not a key").unwrap();
        assert!(file.current().is_err());
        fs::remove_dir_all(folder).unwrap();
    }
}

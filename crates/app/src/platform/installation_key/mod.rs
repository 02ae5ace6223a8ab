//! The installation key: 256 bits that are stored outside the database, and their source.

mod file;

use std::fmt;
use std::path::{Path, PathBuf};

use domain::{Random, Secret, decode_hex, encode_hex};
use serde::Deserialize;

use crate::Error;
use crate::platform::crypto::hmac_sha256;
use file::KeyFile;

/// The default name of the file with the key, in the data folder.
pub const KEY_FILE: &str = "installation.key";
/// The default name of the file with the heads of the audit chains, in the data folder.
const HEADS_FILE: &str = "audit-heads.log";

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstallationConfig {
    /// The installation key, 64 hexadecimal digits; empty if it is in a file.
    pub key: Secret,
    /// The previous key, during a rotation.
    pub previous_key: Secret,
    /// The file with the key; empty for the default.
    pub key_file: String,
    /// The file to which the heads of the audit chains are appended; empty for the default.
    pub audit_heads_file: String,
}

impl InstallationConfig {
    /// Checks the values; an error names the key.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        let reads = |key: &'static str, text: &Secret| match text.0.is_empty() || parse(&text.0).is_some() {
            true => Ok(()),
            false => Err((key, "must be 64 hexadecimal digits, or empty".to_owned())),
        };
        reads("installation.key", &self.key)?;
        reads("installation.previous_key", &self.previous_key)?;
        if self.key.0.is_empty() && !self.previous_key.0.is_empty() {
            let reason = "requires installation.key".to_owned();
            return Err(("installation.previous_key", reason));
        }
        Ok(())
    }
}

/// The 256-bit key under which all secrets in the database are sealed.
#[derive(Clone, PartialEq, Eq)]
pub struct InstallationKey([u8; 32]);

impl fmt::Debug for InstallationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InstallationKey({})", self.id())
    }
}

impl InstallationKey {
    pub fn generate(random: &Random) -> Self {
        Self(random.bytes())
    }

    /// Parses 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        parse(text)
    }

    /// Returns the digits, which are as secret as the key.
    pub fn to_hex(&self) -> String {
        encode_hex(&self.0)
    }

    /// Returns an id that identifies the key without revealing it. It is stored in the database, so that a wrong key is detected.
    pub fn id(&self) -> String {
        encode_hex(&hmac_sha256(&self.0, &[b"keepclear installation key id"])[..8])
    }

    /// Derives the key that seals the keys of epochs.
    pub(crate) fn epoch_sealing_key(&self) -> [u8; 32] {
        hmac_sha256(&self.0, &[b"keepclear key epochs"])
    }
}

fn parse(text: &str) -> Option<InstallationKey> {
    decode_hex(text.trim())?.try_into().ok().map(InstallationKey)
}

/// The source of the installation key in this process, and the path of the heads file.
#[derive(Clone, Debug)]
pub struct KeySource {
    location: KeyLocation,
    pub(crate) heads_path: PathBuf,
}

#[derive(Clone, Debug)]
enum KeyLocation {
    /// The configuration contains the key, and maybe the previous one.
    Configured { key: InstallationKey, previous: Option<InstallationKey> },
    /// A file, and maybe the next key in a file beside it.
    File(KeyFile),
}

impl KeySource {
    pub fn new(config: &InstallationConfig, data: &Path) -> Result<Self, Error> {
        config.check().map_err(|(key, reason)| Error::internal(format!("{key} {reason}")))?;
        let path = |configured: &str, usual: &str| match configured {
            "" => data.join(usual),
            path => PathBuf::from(path),
        };
        let place = match parse(&config.key.0) {
            Some(key) => KeyLocation::Configured { key, previous: parse(&config.previous_key.0) },
            None => KeyLocation::File(KeyFile::at(path(&config.key_file, KEY_FILE))),
        };
        Ok(Self { location: place, heads_path: path(&config.audit_heads_file, HEADS_FILE) })
    }

    /// Describes where the key is, or should be put, for people.
    pub fn describe(&self) -> String {
        match &self.location {
            KeyLocation::Configured { .. } => "the setting installation.key".to_owned(),
            KeyLocation::File(file) => file.path().display().to_string(),
        }
    }

    /// Returns the available keys, the current one first.
    pub fn keys(&self) -> Result<Vec<InstallationKey>, Error> {
        match &self.location {
            KeyLocation::Configured { key, previous } => {
                Ok([key.clone()].into_iter().chain(previous.clone()).collect())
            }
            KeyLocation::File(file) => Ok(file.current()?.into_iter().chain(file.next()?).collect()),
        }
    }

    /// Finds a key by its id. Finishes a rotation that was interrupted after the database had switched to the next key.
    pub fn find(&self, id: &str) -> Result<InstallationKey, Error> {
        let keys = self.keys()?;
        let Some(key) = keys.iter().find(|key| key.id() == id) else {
            return Err(self.missing(id, &keys));
        };
        if let KeyLocation::File(file) = &self.location
            && file.current()?.as_ref() != Some(key)
            && let Err(error) = file.promote()
        {
            tracing::warn!("{error}");
        }
        if let KeyLocation::Configured { previous: Some(previous), .. } = &self.location
            && previous == key
        {
            tracing::warn!(
                "the database is still sealed with installation.previous_key: run keepclear key rotate"
            );
        }
        Ok(key.clone())
    }

    /// Returns the key for a database that has none yet; generates and stores one if necessary.
    pub(crate) fn find_or_create(&self, random: &Random) -> Result<InstallationKey, Error> {
        match &self.location {
            KeyLocation::Configured { key, .. } => Ok(key.clone()),
            KeyLocation::File(file) => match file.current()? {
                Some(key) => Ok(key),
                None => {
                    let key = InstallationKey::generate(random);
                    file.write(&key)?;
                    Ok(key)
                }
            },
        }
    }

    /// Returns a key for a database whose key is lost: a new one, never an earlier one, which is stored beside it under its id. A
    /// configured key is used as it is.
    pub(crate) fn create_replacement(&self, random: &Random) -> Result<InstallationKey, Error> {
        match &self.location {
            KeyLocation::Configured { key, .. } => Ok(key.clone()),
            KeyLocation::File(file) => {
                let key = InstallationKey::generate(random);
                match file.current()? {
                    None => file.write(&key)?,
                    Some(_) => {
                        file.write_next(&key)?;
                        file.promote()?;
                    }
                }
                Ok(key)
            }
        }
    }

    /// Writes a key; if there is one, it must be the same. Returns whether it was written.
    pub fn install(&self, key: &InstallationKey) -> Result<bool, Error> {
        match &self.location {
            KeyLocation::File(file) => match file.current()? {
                None => file.write(key).map(|()| true),
                Some(found) if found == *key => Ok(false),
                Some(found) => Err(Error::internal(format!(
                    "{} contains the installation key {}, not {}",
                    file.path().display(),
                    found.id(),
                    key.id()
                ))),
            },
            KeyLocation::Configured { key: found, .. } if found == key => Ok(false),
            KeyLocation::Configured { key: found, .. } => {
                Err(Error::internal(format!("installation.key is the key {}, not {}", found.id(), key.id())))
            }
        }
    }

    /// Returns the key that follows the one with this id; generates and stores it beside the current one if necessary.
    pub(crate) fn next(&self, current: &str, random: &Random) -> Result<InstallationKey, Error> {
        match &self.location {
            KeyLocation::Configured { key, .. } if key.id() != current => Ok(key.clone()),
            KeyLocation::Configured { .. } => Err(Error::internal(
                "the key is configured: set installation.key to a new one (generated with openssl rand -hex 32) and \
                 installation.previous_key to the old one, on every host, and run this command again",
            )),
            KeyLocation::File(file) => match file.next()? {
                Some(key) if key.id() != current => Ok(key),
                _ => {
                    let key = InstallationKey::generate(random);
                    file.write_next(&key)?;
                    Ok(key)
                }
            },
        }
    }

    /// Returns the file of a replaced key, if it exists.
    pub fn retired_key_path(&self, id: &str) -> Option<PathBuf> {
        match &self.location {
            KeyLocation::Configured { .. } => None,
            KeyLocation::File(file) => Some(file.retired_path(id)).filter(|path| path.exists()),
        }
    }

    /// Generates the next key for a coming rotation; returns where it is stored.
    pub fn prepare(&self, current: &str, random: &Random) -> Result<String, Error> {
        if let KeyLocation::File(file) = &self.location
            && file.rotating_from()?.is_some_and(|before| before != current)
        {
            // Left by a finished rotation: the coming one starts from the current key.
            self.end_rotation(current)?;
        }
        self.next(current, random)?;
        Ok(match &self.location {
            KeyLocation::Configured { .. } => self.describe(),
            KeyLocation::File(file) => file.next_path().display().to_string(),
        })
    }

    /// Returns whether an interrupted rotation had already switched the database to this key, so that it only needs to be finished.
    pub(crate) fn was_rotated_to(&self, current: &str) -> Result<bool, Error> {
        match &self.location {
            KeyLocation::Configured { key, previous } => Ok(key.id() == current && previous.is_some()),
            KeyLocation::File(file) => Ok(file.rotating_from()?.is_some_and(|before| before != current)),
        }
    }

    /// Records that a rotation from this key has started, until [`KeySource::end_rotation`].
    pub(crate) fn begin_rotation(&self, current: &str) -> Result<(), Error> {
        match &self.location {
            KeyLocation::Configured { .. } => Ok(()),
            KeyLocation::File(file) => file.mark_rotation(current),
        }
    }

    /// Moves the next key to the place of the current one if the database has switched to it, and removes the record of the rotation. A
    /// next key with another id was prepared for a coming rotation, and stays.
    pub(crate) fn end_rotation(&self, current: &str) -> Result<(), Error> {
        match &self.location {
            KeyLocation::Configured { .. } => Ok(()),
            KeyLocation::File(file) => {
                if file.next()?.is_some_and(|next| next.id() == current) {
                    file.promote()?;
                }
                file.clear_rotation()
            }
        }
    }

    fn missing(&self, id: &str, found: &[InstallationKey]) -> Error {
        let place = self.describe();
        let text = match found {
            [] => format!(
                "the installation key {id} is missing: the secrets in the database are sealed with it. Copy the file \
                 {KEY_FILE} from the host where the installation was created, or from your safe copy, to {place} \
                 (mode 0600), or set installation.key"
            ),
            [found, ..] => format!(
                "{place} contains the installation key {}, but the secrets in the database are sealed with the key {id}. \
                 Put that key there",
                found.id()
            ),
        };
        Error::key_missing(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_it_is_written_and_never_shown() {
        let key = InstallationKey::generate(&Random::seeded(1));
        assert_eq!(InstallationKey::parse(&format!(" {}\n", key.to_hex())), Some(key.clone()));
        assert_ne!(key.id(), InstallationKey::generate(&Random::seeded(2)).id());
        assert!(!format!("{key:?}").contains(&key.to_hex()));
        for junk in ["", "00", &key.to_hex()[1..], &format!("{}0", key.to_hex()), &"zz".repeat(32)] {
            assert_eq!(InstallationKey::parse(junk), None);
        }
    }
}

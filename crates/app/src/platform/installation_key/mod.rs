//! The installation key: 256 bits that lie outside the database, and where they come from.

mod file;

use std::fmt;
use std::path::{Path, PathBuf};

use domain::{Random, Secret};
use hmac::{Hmac, KeyInit, Mac};
use serde::Deserialize;
use sha2::Sha256;

use crate::Error;
use crate::platform::audit_heads::HEADS_FILE;
use file::KeyFile;
pub(crate) use file::create_parent_folder;

/// What the file is called, in the data folder.
pub const KEY_FILE: &str = "installation.key";

/// `[installation]` of the configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstallationConfig {
    /// The installation key, 64 hexadecimal digits; empty if it is in a file.
    pub key: Secret,
    /// The one before it, while a rotation is under way.
    pub previous_key: Secret,
    /// The file that holds the key; empty for the usual one.
    pub key_file: String,
    /// The file that the heads of the audit chains are appended to; empty for the usual one.
    pub audit_heads_file: String,
}

impl InstallationConfig {
    /// Says what is wrong with the values, by key.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        let reads = |key: &'static str, text: &Secret| match text.0.is_empty() || parse(&text.0).is_some() {
            true => Ok(()),
            false => Err((key, "must be 64 hexadecimal digits, or empty".to_owned())),
        };
        reads("installation.key", &self.key)?;
        reads("installation.previous_key", &self.previous_key)?;
        if self.key.0.is_empty() && !self.previous_key.0.is_empty() {
            let reason = "is only of use beside installation.key".to_owned();
            return Err(("installation.previous_key", reason));
        }
        Ok(())
    }
}

/// 256 bits under which everything secret in the database is sealed.
#[derive(Clone, PartialEq, Eq)]
pub struct InstallationKey([u8; 32]);

impl fmt::Debug for InstallationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InstallationKey({})", self.id())
    }
}

impl InstallationKey {
    /// A new one.
    pub fn generate(random: &Random) -> Self {
        Self(random.bytes())
    }

    /// What 64 hexadecimal digits say.
    pub fn parse(text: &str) -> Option<Self> {
        parse(text)
    }

    /// The digits. Whoever has them has the key.
    pub fn to_hex(&self) -> String {
        encode_hex(&self.0)
    }

    /// Tells keys apart and gives nothing of them away. It stands in the database, and so recognises a wrong key.
    pub fn id(&self) -> String {
        encode_hex(&hmac_sha256(&self.0, &[b"keepclear installation key id"])[..8])
    }

    /// The key that seals the keys of epochs.
    pub(crate) fn epoch_sealing_key(&self) -> [u8; 32] {
        hmac_sha256(&self.0, &[b"keepclear key epochs"])
    }
}

/// HMAC-SHA-256 under a key. Parts are fixed labels, or come with their length.
pub(crate) fn hmac_sha256(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    #[expect(clippy::expect_used, reason = "HMAC takes keys of every length")]
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length");
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

pub(crate) fn encode_hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

pub(crate) fn decode_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| match pair {
            [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
            _ => None,
        })
        .collect()
}

fn parse(text: &str) -> Option<InstallationKey> {
    decode_hex(text.trim())?.try_into().ok().map(InstallationKey)
}

/// Where this process finds the installation key, and records the heads of the audit chains.
#[derive(Clone, Debug)]
pub struct KeySource {
    location: KeyLocation,
    pub(crate) heads_path: PathBuf,
}

#[derive(Clone, Debug)]
enum KeyLocation {
    /// The configuration says it, and maybe the one before it.
    Configured { key: InstallationKey, previous: Option<InstallationKey> },
    /// A file, and maybe the next key in a file beside it.
    File(KeyFile),
}

impl KeySource {
    /// The one that is configured.
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

    /// Where the key is, or is to be put, for people.
    pub fn describe(&self) -> String {
        match &self.location {
            KeyLocation::Configured { .. } => "the setting installation.key".to_owned(),
            KeyLocation::File(file) => file.path().display().to_string(),
        }
    }

    /// The keys that are there, the current one first.
    pub fn keys(&self) -> Result<Vec<InstallationKey>, Error> {
        match &self.location {
            KeyLocation::Configured { key, previous } => {
                Ok([key.clone()].into_iter().chain(previous.clone()).collect())
            }
            KeyLocation::File(file) => Ok(file.current()?.into_iter().chain(file.next()?).collect()),
        }
    }

    /// The key of that id. Ends a rotation that was interrupted after the database had gone over to the next key.
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

    /// The key for a database that has none yet; made and put on disk if there is none.
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

    /// A key for a database whose own is lost: a new one, never one that was here before, which stays beside it under its id. A
    /// configured one is whoever configured it's to choose.
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

    /// Puts a key where there is none; what is there must be the same. Says whether it was written.
    pub fn install(&self, key: &InstallationKey) -> Result<bool, Error> {
        match &self.location {
            KeyLocation::File(file) => match file.current()? {
                None => file.write(key).map(|()| true),
                Some(found) if found == *key => Ok(false),
                Some(found) => Err(Error::internal(format!(
                    "{} holds the installation key {}, and not {}",
                    file.path().display(),
                    found.id(),
                    key.id()
                ))),
            },
            KeyLocation::Configured { key: found, .. } if found == key => Ok(false),
            KeyLocation::Configured { key: found, .. } => Err(Error::internal(format!(
                "installation.key is the key {}, and not {}",
                found.id(),
                key.id()
            ))),
        }
    }

    /// The key that is to follow the one of this id; made and put on disk beside it if there is none.
    pub(crate) fn next(&self, current: &str, random: &Random) -> Result<InstallationKey, Error> {
        match &self.location {
            KeyLocation::Configured { key, .. } if key.id() != current => Ok(key.clone()),
            KeyLocation::Configured { .. } => Err(Error::internal(
                "the key is configured: set installation.key to a new one (openssl rand -hex 32 makes it) and \
                 installation.previous_key to the old one, on every host, and run this again",
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

    /// The file in which the key of that id stayed when another took its place, if there is one.
    pub fn retired_key_path(&self, id: &str) -> Option<PathBuf> {
        match &self.location {
            KeyLocation::Configured { .. } => None,
            KeyLocation::File(file) => Some(file.retired_path(id)).filter(|path| path.exists()),
        }
    }

    /// Makes the next key, for a rotation that is to come; tells where it is.
    pub fn prepare(&self, current: &str, random: &Random) -> Result<String, Error> {
        if let KeyLocation::File(file) = &self.location
            && file.rotating_from()?.is_some_and(|before| before != current)
        {
            // Left by a rotation that ended: the one that is to come begins from the current key.
            self.end_rotation(current)?;
        }
        self.next(current, random)?;
        Ok(match &self.location {
            KeyLocation::Configured { .. } => self.describe(),
            KeyLocation::File(file) => file.next_path().display().to_string(),
        })
    }

    /// Whether a rotation that was interrupted had brought the database to this key already, so that only its end is left to do.
    pub(crate) fn was_rotated_to(&self, current: &str) -> Result<bool, Error> {
        match &self.location {
            KeyLocation::Configured { key, previous } => Ok(key.id() == current && previous.is_some()),
            KeyLocation::File(file) => Ok(file.rotating_from()?.is_some_and(|before| before != current)),
        }
    }

    /// Writes down that a rotation from this key begins, until [`KeySource::end_rotation`].
    pub(crate) fn begin_rotation(&self, current: &str) -> Result<(), Error> {
        match &self.location {
            KeyLocation::Configured { .. } => Ok(()),
            KeyLocation::File(file) => file.mark_rotation(current),
        }
    }

    /// Puts the next key in the place of the current one if the database has gone over to it, and forgets that a rotation was under
    /// way. A next key of another id was prepared for a rotation that is to come, and stays.
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
                 {KEY_FILE} from the host where the installation was made, or from where you keep it, to {place} \
                 (mode 0600), or set installation.key"
            ),
            [found, ..] => format!(
                "{place} is the installation key {}, and the secrets in the database are sealed with the key {id}. \
                 Put that one there",
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

//! Sealing of secrets before they are stored: AES-256-GCM under the key of an epoch.
//!
//! A sealed value consists of a format byte (1), four bytes for the epoch, a nonce of twelve bytes, the ciphertext and a tag of sixteen
//! bytes. The purpose and the row are authenticated with it, so that a value cannot be moved to another column or row. The columns with
//! such values are listed in [`store::SEALED_COLUMNS`].

use std::collections::BTreeMap;

use domain::Random;
use store::KeyEpoch;

use crate::platform::crypto::{NONCE_BYTES, decrypt, encrypt, hmac_sha256};
use crate::{App, Error, InstallationKey};

const FORMAT_VERSION: u8 = 1;
const HEADER_BYTES: usize = 5;

const EPOCH_KEY_PURPOSE: &str = "key_epochs.sealed";

/// Purpose and context of the sealed derivation key.
pub(crate) const DERIVATION_KEY_SEAL: (&str, &[u8]) = ("installation.audit_key", b"1");

/// The key of an epoch, from which all other keys are derived by purpose.
#[derive(Clone)]
pub(crate) struct EpochKey([u8; 32]);

impl EpochKey {
    pub fn generate(random: &Random) -> Self {
        Self(random.bytes())
    }

    /// Derives the key for a use and a purpose.
    pub fn derive(&self, label: &'static str, purpose: &str) -> [u8; 32] {
        hmac_sha256(&self.0, &[b"keepclear ", label.as_bytes(), b"\0", purpose.as_bytes()])
    }

    /// Seals this key under the installation key.
    pub fn seal(&self, key: &InstallationKey, epoch: u32, random: &Random) -> Result<Vec<u8>, Error> {
        let context = epoch.to_be_bytes();
        seal(&key.epoch_sealing_key(), epoch, (EPOCH_KEY_PURPOSE, &context), &self.0, random)
    }
}

/// The opened keys of all epochs.
pub(crate) struct KeyRing {
    /// The id of the installation key that they are sealed under.
    pub key_id: String,
    epochs: BTreeMap<u32, EpochKey>,
    /// The newest epoch, in which everything is sealed from now on.
    pub current: u32,
    /// Derives the secrets of links and the hashes of personal fields. A rotation does not change it.
    pub derivation_key: Vec<u8>,
}

impl KeyRing {
    /// Creates a ring with one epoch and a new key.
    pub fn new(key: &InstallationKey, epoch: u32, derivation_key: Vec<u8>, random: &Random) -> Self {
        let epochs = BTreeMap::from([(epoch, EpochKey::generate(random))]);
        Self { key_id: key.id(), epochs, current: epoch, derivation_key }
    }

    /// Returns the ring with a further epoch, under another installation key.
    pub fn with_new_epoch(&self, key: &InstallationKey, epoch: u32, random: &Random) -> Self {
        let mut epochs = self.epochs.clone();
        epochs.insert(epoch, EpochKey::generate(random));
        Self { key_id: key.id(), epochs, current: epoch, derivation_key: self.derivation_key.clone() }
    }

    /// Opens the keys that the database stores.
    pub fn open(key: &InstallationKey, rows: &[KeyEpoch], derivation_key: &[u8]) -> Result<Self, Error> {
        let mut epochs = BTreeMap::new();
        for row in rows {
            let Some(sealed) = &row.sealed else { continue };
            let epoch = u32::try_from(row.epoch).map_err(Error::internal)?;
            let context = epoch.to_be_bytes();
            let opened = open(&key.epoch_sealing_key(), (EPOCH_KEY_PURPOSE, &context), sealed)?;
            let opened = opened.try_into().map_err(|_| unseal_error(EPOCH_KEY_PURPOSE))?;
            epochs.insert(epoch, EpochKey(opened));
        }
        let current = epochs.last_key_value().map(|(epoch, _)| *epoch);
        let current = current.ok_or_else(|| Error::internal("the database holds no key of an epoch"))?;
        let mut ring = Self { key_id: key.id(), epochs, current, derivation_key: Vec::new() };
        let (purpose, context) = DERIVATION_KEY_SEAL;
        ring.derivation_key = ring.unseal(purpose, context, derivation_key)?;
        Ok(ring)
    }

    pub fn epoch(&self, epoch: i64) -> Option<&EpochKey> {
        self.epochs.get(&u32::try_from(epoch).ok()?)
    }

    /// Returns the oldest epoch whose key is known; earlier ones are lost.
    pub fn oldest_epoch(&self) -> i64 {
        self.epochs.first_key_value().map_or(0, |(epoch, _)| i64::from(*epoch))
    }

    pub fn epochs(&self) -> impl Iterator<Item = (u32, &EpochKey)> {
        self.epochs.iter().map(|(epoch, key)| (*epoch, key))
    }

    pub fn seal(
        &self,
        purpose: &'static str,
        context: &[u8],
        plain: &[u8],
        random: &Random,
    ) -> Result<Vec<u8>, Error> {
        let key = self.epochs.get(&self.current).ok_or_else(|| unseal_error(purpose))?;
        seal(&key.derive("sealing", purpose), self.current, (purpose, context), plain, random)
    }

    pub fn unseal(&self, purpose: &'static str, context: &[u8], sealed: &[u8]) -> Result<Vec<u8>, Error> {
        let epoch = epoch_of(sealed).ok_or_else(|| unseal_error(purpose))?;
        let key = self.epochs.get(&epoch).ok_or_else(|| {
            Error::key_missing(format!(
                "a value of {purpose} is sealed in epoch {epoch}, which this process does not know"
            ))
        })?;
        open(&key.derive("sealing", purpose), (purpose, context), sealed)
    }
}

impl App {
    /// Seals a value for a column of [`store::SEALED_COLUMNS`]. `purpose` is the one of the column and `context` the one that the list
    /// names for its rows; the value can only be unsealed with the same two.
    pub fn seal(&self, purpose: &'static str, context: &[u8], plain: &[u8]) -> Result<Vec<u8>, Error> {
        self.keys().seal(purpose, context, plain, &self.random)
    }

    /// Unseals a value; fails if it was changed, moved, or sealed by another installation.
    pub fn unseal(&self, purpose: &'static str, context: &[u8], sealed: &[u8]) -> Result<Vec<u8>, Error> {
        self.keys().unseal(purpose, context, sealed)
    }
}

fn epoch_of(sealed: &[u8]) -> Option<u32> {
    match sealed.get(..HEADER_BYTES)? {
        [FORMAT_VERSION, epoch @ ..] => epoch.try_into().ok().map(u32::from_be_bytes),
        _ => None,
    }
}

fn seal(
    key: &[u8; 32],
    epoch: u32,
    (purpose, context): (&'static str, &[u8]),
    plain: &[u8],
    random: &Random,
) -> Result<Vec<u8>, Error> {
    let nonce = random.bytes::<NONCE_BYTES>();
    let mut sealed = vec![FORMAT_VERSION];
    sealed.extend(epoch.to_be_bytes());
    let bound = associated_data(&sealed, purpose, context);
    sealed.extend(nonce);
    let encrypted = encrypt(key, nonce, &bound, plain);
    sealed
        .extend(encrypted.ok_or_else(|| Error::internal(format!("a value of {purpose} cannot be sealed")))?);
    Ok(sealed)
}

fn open(key: &[u8; 32], (purpose, context): (&'static str, &[u8]), sealed: &[u8]) -> Result<Vec<u8>, Error> {
    let (head, rest) = sealed.split_at_checked(HEADER_BYTES).ok_or_else(|| unseal_error(purpose))?;
    let (nonce, encrypted) = rest.split_first_chunk::<NONCE_BYTES>().ok_or_else(|| unseal_error(purpose))?;
    let bound = associated_data(head, purpose, context);
    decrypt(key, *nonce, &bound, encrypted).ok_or_else(|| unseal_error(purpose))
}

/// Returns the associated data of a value. The purpose contains no zero byte, so that the parts cannot run into each other.
fn associated_data(head: &[u8], purpose: &'static str, context: &[u8]) -> Vec<u8> {
    [head, purpose.as_bytes(), b"\0", context].concat()
}

fn unseal_error(purpose: &'static str) -> Error {
    Error::internal(format!(
        "a value of {purpose} cannot be unsealed: it was changed, moved or sealed elsewhere"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that Keepclear 0.1 stored, which encrypted with aws-lc.
    const EPOCH: &str = concat!(
        "0100000003ce5368b180b44cea9938b197117668e0cdfc2fece39e72e47dbb1cd9f684085fef7876386518f6ba8b85dc401f",
        "84b63b3a107fa83d7d64a5863eb59c",
    );
    const DERIVATION_KEY: &str = concat!(
        "0100000003a2eb5dee3f4c3ae458a709bbcbf28fefb24d1516e55408f0695c99c670ede6f4e34c8c8f67fc96361359bad546",
        "f19b550eff2808c5921ef91930cbb6",
    );
    const TOTP_SEED: &str = concat!(
        "010000000314f3249ee743be4b0014e3c6bcedeabcce602d81dbacd8de71ce40ce4dce49c77e4020bfe8622956586e32d389",
        "6d93e1",
    );
    const SIGNING_KEY: &str = concat!(
        "0100000003418d659d0f015607f26f82dff569b1053bc81690ac1e86e4390f5075cff68badd067c831157d57b42ac3307a18",
        "5545a9ed94d1caca3eccaa956c1086",
    );

    fn ring_of(seed: u64) -> (KeyRing, Random) {
        let random = Random::seeded(seed);
        let key = InstallationKey::generate(&random);
        (KeyRing::new(&key, 1, vec![7; 32], &random), random)
    }

    #[test]
    fn a_value_opens_for_its_purpose_and_context_alone() {
        let (ring, random) = ring_of(1);
        let sealed = ring.seal("sessions.secret", b"7", b"plain", &random).unwrap();
        assert_eq!(ring.unseal("sessions.secret", b"7", &sealed).unwrap(), b"plain");
        assert!(!sealed.windows(5).any(|window| window == b"plain"));
        assert_ne!(ring.seal("sessions.secret", b"7", b"plain", &random).unwrap(), sealed);
        assert!(ring.unseal("sessions.secret", b"8", &sealed).is_err());
        assert!(ring.unseal("signing_keys.secret", b"7", &sealed).is_err());
        assert!(ring_of(2).0.unseal("sessions.secret", b"7", &sealed).is_err());
        for place in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[place] ^= 1;
            assert!(ring.unseal("sessions.secret", b"7", &changed).is_err(), "byte {place}");
            assert!(ring.unseal("sessions.secret", b"7", &sealed[..place]).is_err(), "{place} bytes");
        }
    }

    #[test]
    fn epochs_open_under_their_installation_key_alone() {
        let (ring, random) = ring_of(1);
        let [key, other] = [3, 4].map(|seed| InstallationKey::generate(&Random::seeded(seed)));
        let (purpose, context) = DERIVATION_KEY_SEAL;
        let derivation_key = ring.seal(purpose, context, &ring.derivation_key, &random).unwrap();
        let sealed = ring.epoch(1).unwrap().seal(&key, 1, &random).unwrap();
        let rows = [KeyEpoch { epoch: 1, sealed: Some(sealed.clone()) }];
        assert_eq!(KeyRing::open(&key, &rows, &derivation_key).unwrap().derivation_key, ring.derivation_key);
        assert!(KeyRing::open(&other, &rows, &derivation_key).is_err());
        assert!(KeyRing::open(&key, &rows, &[7; 32]).is_err(), "a value that was never sealed is none");
        let moved = [KeyEpoch { epoch: 2, sealed: Some(sealed) }];
        assert!(KeyRing::open(&key, &moved, &derivation_key).is_err());
    }

    #[test]
    fn a_database_that_an_earlier_program_sealed_opens() {
        let bytes = |hex: &str| domain::decode_hex(hex).unwrap();
        let key = InstallationKey::parse("22ec148010e5aa80fea2d5d3892674a040cb6b70cf63978d36a2ea9bfd4cef3e")
            .unwrap();
        let epoch = bytes(EPOCH);
        let derivation_key = bytes(DERIVATION_KEY);
        let ring =
            KeyRing::open(&key, &[KeyEpoch { epoch: 3, sealed: Some(epoch) }], &derivation_key).unwrap();
        assert_eq!((ring.key_id.as_str(), ring.current), ("5268ad4de254f7e1", 3));
        assert_eq!(ring.derivation_key, [9; 32]);
        let totp_seed = bytes(TOTP_SEED);
        assert_eq!(ring.unseal("users.totp_seed", b"7", &totp_seed).unwrap(), b"12345678901234567890");
        let signing_key = bytes(SIGNING_KEY);
        let opened = ring.unseal("signing_keys.secret", b"c2lnbmVkLWJ5", &signing_key).unwrap();
        assert_eq!(opened, b"an old secret of thirty-two byte");
        let nothing = bytes("010000000344df3d35f279a8b2574ed353c840cbadc1bd3760ea008deda4232f36");
        assert_eq!(ring.unseal("users.totp_seed", b"8", &nothing).unwrap(), b"");
        assert!(ring.unseal("users.totp_seed", b"7", &nothing).is_err());
    }

    /// The same random bytes lead to what the earlier program stored, byte by byte, so that it opens what this one seals.
    #[test]
    fn an_earlier_program_opens_what_is_sealed_now() {
        let random = Random::seeded(2_026);
        let key = InstallationKey::generate(&random);
        let ring = KeyRing::new(&key, 3, vec![9; 32], &random);
        let epoch = ring.epoch(3).unwrap().seal(&key, 3, &random).unwrap();
        assert_eq!(domain::encode_hex(&epoch), EPOCH);
        let (purpose, context) = DERIVATION_KEY_SEAL;
        let derivation_key = ring.seal(purpose, context, &ring.derivation_key, &random).unwrap();
        assert_eq!(domain::encode_hex(&derivation_key), DERIVATION_KEY);
        let totp_seed = ring.seal("users.totp_seed", b"7", b"12345678901234567890", &random).unwrap();
        assert_eq!(domain::encode_hex(&totp_seed), TOTP_SEED);
    }
}

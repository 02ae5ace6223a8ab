//! Counters of login attempts that neither reveal who has an account nor store what strangers enter.
//!
//! Delays depend on buckets: a keyed hash of the entered address, reduced to a few thousand values. Existing and unknown accounts
//! are counted in the same buckets, so that they behave alike even when two of them share one, and the number of rows is bounded
//! whatever is entered. Client addresses are not hashed into buckets, since an attack from many of them would delay everyone.

use domain::EmailAddress;

use crate::App;
use crate::platform::crypto::hmac_sha256;

pub const ACCOUNT_BUCKETS: u64 = 4096;
/// Number of buckets for the domains of entered addresses, between which the permits for password hashing are shared.
const DOMAIN_BUCKETS: u64 = 4096;
/// Number of rows over which a minute's failures of unknown accounts are spread. With a single row all of them would wait for
/// its lock.
const UNKNOWN_ACCOUNT_SHARDS: u64 = 16;

/// Stands for all accounts that do not exist. No email address is empty.
pub(crate) const UNKNOWN_ACCOUNT: &str = "";

impl App {
    /// Returns the bucket of what was entered as an email address.
    pub(crate) fn account_bucket(&self, typed: &str) -> i64 {
        let key =
            EmailAddress::parse(typed).map_or_else(|_| typed.trim().to_lowercase(), |email| email.key());
        self.keyed_bucket(b"login account\0", &key, ACCOUNT_BUCKETS)
    }

    /// Returns the bucket of the domain of what was entered as an email address.
    pub(crate) fn domain_bucket(&self, typed: &str) -> i64 {
        let domain = typed.trim().rsplit('@').next().unwrap_or_default().to_lowercase();
        self.keyed_bucket(b"login domain\0", &domain, DOMAIN_BUCKETS)
    }

    /// Returns the shard in which a failure of an unknown account is counted instead of under its client address.
    pub(crate) fn unknown_account_shard(&self, address: &str) -> String {
        self.keyed_bucket(b"login address\0", address, UNKNOWN_ACCOUNT_SHARDS).to_string()
    }

    fn keyed_bucket(&self, purpose: &[u8], text: &str, count: u64) -> i64 {
        // Domain separation: the key's other uses never begin like this.
        let [a, b, c, d, ..] = hmac_sha256(&self.keys().derivation_key, &[purpose, text.as_bytes()]);
        i64::try_from(u64::from(u32::from_be_bytes([a, b, c, d])) % count).unwrap_or(0)
    }
}

//! How attempts to sign in are counted without telling who has an account, and without keeping what strangers type.
//!
//! Waiting goes by buckets: a keyed hash of what was typed, cut to a few thousand values. Accounts that exist are counted in
//! them as those that do not, so that from outside both behave alike, also when two of them share a bucket; and the number of
//! rows is bounded, whatever is typed. An address is never hashed: an attack from many would make everyone wait.

use domain::EmailAddress;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::App;

/// How many buckets there are.
pub const ACCOUNT_BUCKETS: u64 = 4096;
/// In how many buckets the domains of logins are, by which places for hashing are divided.
const DOMAIN_BUCKETS: u64 = 4096;
/// In how many rows a minute's refusals of unknown accounts are counted; one alone would be waited for by all.
const UNKNOWN_ACCOUNT_SHARDS: u64 = 16;

/// The account that stands for all that do not exist. No email is empty.
pub(crate) const UNKNOWN_ACCOUNT: &str = "";

impl App {
    /// The bucket of what was typed as an email.
    pub(crate) fn account_bucket(&self, typed: &str) -> i64 {
        let key =
            EmailAddress::parse(typed).map_or_else(|_| typed.trim().to_lowercase(), |email| email.key());
        self.keyed_bucket(b"login account\0", &key, ACCOUNT_BUCKETS)
    }

    /// The bucket of the domain of what was typed as an email.
    pub(crate) fn domain_bucket(&self, typed: &str) -> i64 {
        let domain = typed.trim().rsplit('@').next().unwrap_or_default().to_lowercase();
        self.keyed_bucket(b"login domain\0", &domain, DOMAIN_BUCKETS)
    }

    /// Where a refusal of an unknown account is counted instead of under its address.
    pub(crate) fn unknown_account_shard(&self, address: &str) -> String {
        self.keyed_bucket(b"login address\0", address, UNKNOWN_ACCOUNT_SHARDS).to_string()
    }

    fn keyed_bucket(&self, purpose: &[u8], text: &str, count: u64) -> i64 {
        #[expect(clippy::expect_used, reason = "HMAC takes keys of every length")]
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.keys().derivation_key).expect("a key of any length");
        // The key's other uses never begin like this.
        mac.update(purpose);
        mac.update(text.as_bytes());
        let [a, b, c, d, ..] = <[u8; 32]>::from(mac.finalize().into_bytes());
        i64::try_from(u64::from(u32::from_be_bytes([a, b, c, d])) % count).unwrap_or(0)
    }
}

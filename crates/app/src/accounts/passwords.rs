//! Password hashing on a bounded pool.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use domain::Random;
use store::{Grant, Principal, Shares, TaskOwner, Tenant};

use crate::{AuthConfig, Error, ErrorKind};

/// Maximum time that a password waits to be hashed.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(10);

/// Computes a few hashes at a time, off the threads that serve requests.
pub(crate) struct PasswordHashingPool {
    argon2: Argon2<'static>,
    /// Limits the concurrent hashes in all and in each lane.
    lane_permits: Shares<Lane>,
    /// Limits the concurrent hashes for one user or address.
    caller_permits: Shares<Option<(Tenant, Principal)>>,
    /// Limits the concurrent hashes for one account, wherever the attempts come from.
    account_permits: Shares<i64>,
    hashes_computed: AtomicU64,
    /// The hash of no password, so that an unknown account costs as much as an existing one.
    dummy_hash: String,
}

/// A group of passwords that shares a limit, so that no group can take all permits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Lane {
    /// Work of the service itself, such as commands.
    Service,
    /// A brand whose caller is known; or anonymous callers, for operations that require a link from a mail.
    Tenant(Tenant),
    /// Logins, by a bucket of the entered domain. The account's brand is not used: an account that does not exist has none, and an
    /// attacker who fills either lane could find out from the waiting time which one a login waits for.
    Domain(i64),
}

impl Lane {
    /// Returns the lane of the current task owner.
    pub fn current() -> Self {
        TaskOwner::current().map_or(Self::Service, |holder| Self::Tenant(holder.tenant()))
    }
}

/// The result of verifying a password.
pub(crate) enum PasswordMatch {
    Wrong,
    Right,
    /// Correct, but hashed with parameters other than the configured ones.
    NeedsRehash,
}

#[macros::boxed]
impl PasswordHashingPool {
    pub fn new(config: &AuthConfig, random: &Random) -> Result<Self, Error> {
        let params = Params::new(config.argon2.memory_kib, config.argon2.iterations, 1, None)
            .map_err(|error| Error::internal(format!("auth.argon2: {error}")))?;
        let dummy_hash = dummy_hash(&params, random);
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        Ok(Self::with_dummy_hash(argon2, config.argon2.max_concurrent_hashes.max(1) as usize, dummy_hash))
    }

    fn with_dummy_hash(argon2: Argon2<'static>, max_concurrent: usize, dummy_hash: String) -> Self {
        let share = max_concurrent.saturating_sub(1).max(1);
        let (callers, accounts) = (Shares::new(usize::MAX, share), Shares::new(usize::MAX, share));
        let lanes = Shares::new(max_concurrent, share);
        Self {
            argon2,
            lane_permits: lanes,
            caller_permits: callers,
            account_permits: accounts,
            hashes_computed: AtomicU64::new(0),
            dummy_hash,
        }
    }

    pub fn hashes_computed(&self) -> u64 {
        self.hashes_computed.load(Ordering::Relaxed)
    }

    pub async fn hash(&self, password: &str, random: &Random) -> Result<String, Error> {
        let (argon2, password, salt) = (self.argon2.clone(), password.to_owned(), random.bytes());
        self.run(Lane::current(), move || hash(&argon2, &password, salt)).await?
    }

    /// Verifies a password against the stored hash, or against the dummy hash. Either way exactly one hash is computed.
    pub async fn verify(
        &self,
        password: &str,
        stored: Option<String>,
        lane: Lane,
    ) -> Result<PasswordMatch, Error> {
        let has_account = stored.is_some();
        let stored = stored.unwrap_or_else(|| self.dummy_hash.clone());
        let (argon2, password) = (self.argon2.clone(), password.to_owned());
        self.run(lane, move || {
            let parsed = PasswordHash::new(&stored).map_err(|error| Error::internal(error.to_string()))?;
            let right = argon2.verify_password(password.as_bytes(), &parsed).is_ok();
            let current = Params::try_from(&parsed).is_ok_and(|params| {
                (params.m_cost(), params.t_cost()) == (argon2.params().m_cost(), argon2.params().t_cost())
            });
            Ok(match (right && has_account, current) {
                (false, _) => PasswordMatch::Wrong,
                (true, true) => PasswordMatch::Right,
                (true, false) => PasswordMatch::NeedsRehash,
            })
        })
        .await?
    }

    /// Acquires a permit for this account, so that one account cannot take all permits, however many addresses try it. The permit depends
    /// on the bucket of the entered address and not on whether the account exists, so that waiting reveals nothing.
    pub async fn acquire_account_permit(&self, account_bucket: i64) -> Result<Grant<i64>, Error> {
        tokio::time::timeout(QUEUE_TIMEOUT, self.account_permits.acquire(account_bucket))
            .await
            .map_err(|_| busy())
    }

    async fn run<T: Send + 'static>(
        &self,
        lane: Lane,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let caller = TaskOwner::current().map(|holder| (holder.tenant(), holder.principal()));
        // The lane comes last, because it takes from the total: a caller that waits for its own share holds none of the total.
        let permits =
            async { (self.caller_permits.acquire(caller).await, self.lane_permits.acquire(lane).await) };
        let permits = tokio::time::timeout(QUEUE_TIMEOUT, permits).await.map_err(|_| busy())?;
        self.hashes_computed.fetch_add(1, Ordering::Relaxed);
        tokio::task::spawn_blocking(move || {
            // Held by the thread and not by the caller: a caller who goes away does not free a permit that is still in use.
            let _permits = permits;
            work()
        })
        .await
        .map_err(Error::internal)
    }
}

fn busy() -> Error {
    let detail = "Too many passwords are being verified; try again in a moment.";
    Error::new(ErrorKind::Unavailable, "too_busy", detail).retry_after(5)
}

fn hash(argon2: &Argon2<'_>, password: &str, salt: [u8; 16]) -> Result<String, Error> {
    argon2
        .hash_password_with_salt(password.as_bytes(), &salt)
        .map(|hash| hash.to_string())
        .map_err(|error| Error::internal(error.to_string()))
}

/// Returns a hash with random bytes in place of the result: verifying a password against it takes as long as against a real one. No hash
/// is computed for it, because that would take time and 19 MB at every start.
fn dummy_hash(params: &Params, random: &Random) -> String {
    let (salt, output) = (random.bytes::<16>(), random.bytes::<{ Params::DEFAULT_OUTPUT_LEN }>());
    format!(
        "$argon2id$v=19$m={},t={},p={}${}${}",
        params.m_cost(),
        params.t_cost(),
        params.p_cost(),
        BASE64_STANDARD_NO_PAD.encode(salt),
        BASE64_STANDARD_NO_PAD.encode(output)
    )
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};

    use domain::BrandId;
    use tokio::task::{JoinSet, yield_now};

    use super::*;

    /// One of two permits is left to others, from however many addresses the greedy lane is used.
    #[tokio::test]
    async fn a_brand_or_a_domain_leaves_a_place_to_others() {
        let greedy = [Lane::Domain(1), Lane::Tenant(Tenant::Brand(BrandId(1)))];
        let modest = [Lane::Domain(2), Lane::Tenant(Tenant::Brand(BrandId(2)))];
        for (greedy, modest) in greedy.into_iter().zip(modest) {
            let passwords =
                Arc::new(PasswordHashingPool::with_dummy_hash(Argon2::default(), 2, String::new()));
            let from = |address: u32| {
                TaskOwner::new(Tenant::Anonymous, Principal::address(std::net::IpAddr::V4(address.into())))
            };
            let (mut waiting, mut ends) = (JoinSet::new(), Vec::new());
            for address in 1..=20 {
                let (end, ended) = mpsc::channel::<()>();
                ends.push(end);
                let passwords = Arc::clone(&passwords);
                waiting.spawn(from(address).run(async move {
                    // Runs until its sender is dropped.
                    let work = move || {
                        let _ = ended.recv();
                    };
                    passwords.run(greedy, work).await
                }));
            }
            while passwords.hashes_computed() == 0 {
                yield_now().await;
            }
            for address in 101..=110 {
                assert!(from(address).run(passwords.run(modest, || ())).await.is_ok());
            }
            assert_eq!(passwords.hashes_computed(), 11, "only one of the greedy ones ran");
            drop(ends);
            while let Some(ended) = waiting.join_next().await {
                ended.unwrap().unwrap();
            }
        }
    }

    #[test]
    fn the_dummy_hash_costs_as_much_as_a_real_one() {
        let random = Random::System;
        let params = Params::new(64, 2, 1, None).unwrap();
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone());
        let real = hash(&argon2, "plum wagon sixty tiles", random.bytes()).unwrap();
        let dummy = dummy_hash(&params, &random);
        let outline = |text: &str| {
            let parts: Vec<String> = text.split('$').map(str::to_owned).collect();
            (parts[..4].to_vec(), parts[4].len(), parts[5].len())
        };
        assert_eq!(outline(&dummy), outline(&real));
        let parsed = PasswordHash::new(&dummy).unwrap();
        let refused = argon2.verify_password(b"plum wagon sixty tiles", &parsed).unwrap_err();
        assert_eq!(refused, argon2::password_hash::Error::PasswordInvalid);
    }
}

//! Rate limits: GCRA per caller and class, in bounded memory.
//!
//! This is not the `governor` crate, because its keyed store grows with every new key until it is swept. Here a flood of addresses can
//! never take more than the configured number of entries, and the remaining quota is exact.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use app::Identity;
use domain::{Monotonic, ServiceTokenId, Span, TokenId, UserId, network_of};

use crate::config::{Limits, Quota};

const MINUTE_US: i64 = 60_000_000;
const SHARDS: usize = 16;

/// The class of a call. Each class has its own quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RateLimitClass {
    /// Logins and token refreshes.
    Login,
    Read,
    /// Insights, entities, and lists of incursions in an order that no index has.
    Analytics,
    Write,
    /// Batches of events from devices.
    Ingest,
    /// Health and metrics.
    Probe,
    /// The lookup of an unknown credential, counted in addition to the call itself.
    Lookup,
}

impl RateLimitClass {
    /// All classes, in the order of their quotas.
    pub const ALL: [Self; 7] =
        [Self::Login, Self::Read, Self::Analytics, Self::Write, Self::Ingest, Self::Probe, Self::Lookup];

    /// Returns the name of the class in headers and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Login => "login",
            Self::Read => "read",
            Self::Analytics => "analytics",
            Self::Write => "write",
            Self::Ingest => "ingest",
            Self::Probe => "probe",
            Self::Lookup => "lookup",
        }
    }
}

/// Identifies the caller whose calls are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum CallerKey {
    User(UserId),
    Token(TokenId),
    /// A token of a service account.
    ServiceToken(ServiceTokenId),
    Address(IpAddr),
}

impl CallerKey {
    /// Returns the key of an identified caller: the user, or the token of a device or service account.
    pub fn of(identity: &Identity) -> Self {
        match identity {
            Identity::User(user) => match user.service_token() {
                Some(token) => Self::ServiceToken(token),
                None => Self::User(user.user),
            },
            Identity::Device(device) => Self::Token(device.token_id()),
        }
    }

    /// Returns the key of an unidentified caller: the network of the address.
    pub fn address(address: IpAddr) -> Self {
        Self::Address(network_of(address))
    }
}

/// The result of counting a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RateLimitDecision {
    pub class: RateLimitClass,
    pub quota: u32,
    /// The number of calls that may follow immediately.
    pub remaining: i64,
    /// The number of seconds until the whole quota is available again.
    pub reset_after_s: i64,
    /// The number of seconds to wait before a retry; only if the call was refused.
    pub retry_after_s: Option<i64>,
}

impl RateLimitDecision {
    /// Returns the `RateLimit-Policy` header: the quota and its window in seconds.
    pub fn policy_header(&self) -> String {
        format!("\"{}\";q={};w=60", self.class.as_str(), self.quota)
    }

    /// Returns the `RateLimit` header: the remaining calls and the seconds until the quota is full again.
    pub fn limit_header(&self) -> String {
        format!("\"{}\";r={};t={}", self.class.as_str(), self.remaining, self.reset_after_s)
    }
}

type Shard = HashMap<(RateLimitClass, CallerKey), i64>;

/// Stores the theoretical arrival time of each caller and class: the time at which their quota is full again.
pub(crate) struct RateLimiter {
    quotas: [Quota; RateLimitClass::ALL.len()],
    shards: [Mutex<Shard>; SHARDS],
    max_per_shard: usize,
    refusals: [AtomicU64; RateLimitClass::ALL.len()],
}

impl RateLimiter {
    pub fn new(limits: &Limits) -> Self {
        Self {
            quotas: [
                limits.login_per_minute,
                limits.read_per_minute,
                limits.analytics_per_minute,
                limits.write_per_minute,
                limits.ingest_per_minute,
                limits.probe_per_minute,
                limits.lookup_per_minute,
            ],
            shards: Default::default(),
            max_per_shard: limits.max_tracked_callers.div_ceil(SHARDS),
            refusals: Default::default(),
        }
    }

    /// Counts a call, or refuses it without counting.
    pub fn count_call(&self, class: RateLimitClass, key: CallerKey, now: Monotonic) -> RateLimitDecision {
        let mut shard = self.shard(key);
        self.evict_callers(&mut shard, now);
        let theoretical_arrival_us = shard.get(&(class, key)).copied().unwrap_or(i64::MIN);
        let (decision, next) = self.decide(class, theoretical_arrival_us, now);
        match next {
            Some(next) => {
                shard.insert((class, key), next);
            }
            None => {
                self.refusals[class as usize].fetch_add(1, Ordering::Relaxed);
            }
        }
        decision
    }

    /// Returns the number of refused calls of a class, for /metrics.
    pub fn refusals(&self, class: RateLimitClass) -> u64 {
        self.refusals[class as usize].load(Ordering::Relaxed)
    }

    /// Returns the number of tracked callers, for /metrics.
    pub fn tracked_callers(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).len()).sum()
    }

    fn decide(
        &self,
        class: RateLimitClass,
        theoretical_arrival_us: i64,
        now: Monotonic,
    ) -> (RateLimitDecision, Option<i64>) {
        let Quota(quota) = self.quotas[class as usize];
        let emission_interval_us = (MINUTE_US / i64::from(quota)).max(1);
        let burst_us = emission_interval_us * i64::from(quota);
        let now = now.micros();
        let next = theoretical_arrival_us.max(now) + emission_interval_us;
        let excess_us = next - now - burst_us;
        if excess_us > 0 {
            let decision = RateLimitDecision {
                class,
                quota,
                remaining: 0,
                reset_after_s: Span::from_micros(theoretical_arrival_us - now).ceil_seconds(),
                retry_after_s: Some(Span::from_micros(excess_us).max(Span::seconds(1)).ceil_seconds()),
            };
            return (decision, None);
        }
        let remaining = -excess_us / emission_interval_us;
        let full_in_s = Span::from_micros(next - now).ceil_seconds();
        (
            RateLimitDecision { class, quota, remaining, reset_after_s: full_in_s, retry_after_s: None },
            Some(next),
        )
    }

    fn shard(&self, key: CallerKey) -> MutexGuard<'_, Shard> {
        // Any distribution works, because the maps inside have their own keyed hashes.
        let number = match key {
            CallerKey::User(UserId(id))
            | CallerKey::Token(TokenId(id))
            | CallerKey::ServiceToken(ServiceTokenId(id)) => id.unsigned_abs(),
            CallerKey::Address(IpAddr::V4(address)) => u64::from(address.to_bits()),
            CallerKey::Address(IpAddr::V6(address)) => (address.to_bits() >> 64) as u64,
        };
        lock(&self.shards[(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 60) as usize])
    }

    /// Forgets callers whose quota is full again; if that is not enough, also the half that is closest to it.
    fn evict_callers(&self, shard: &mut Shard, now: Monotonic) {
        if shard.len() < self.max_per_shard {
            return;
        }
        shard.retain(|_, whole_at| *whole_at > now.micros());
        if shard.len() >= self.max_per_shard {
            let mut ends: Vec<i64> = shard.values().copied().collect();
            let middle = ends.len() / 2;
            let (_, median, _) = ends.select_nth_unstable(middle);
            let median = *median;
            shard.retain(|_, whole_at| *whole_at > median);
        }
    }
}

fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limiter(quota: u32, callers: usize) -> RateLimiter {
        let quota = Quota(quota);
        RateLimiter::new(&Limits {
            login_per_minute: quota,
            read_per_minute: quota,
            analytics_per_minute: quota,
            write_per_minute: quota,
            ingest_per_minute: quota,
            probe_per_minute: quota,
            lookup_per_minute: quota,
            max_long_polls: 0,
            max_long_polls_per_brand: 0,
            max_long_polls_per_token: 0,
            max_streams: 0,
            max_streams_per_brand: 0,
            max_streams_per_user: 1,
            max_streams_per_session: 1,
            max_tracked_callers: callers,
            max_body_memory_mb: 8,
            max_body_memory_per_caller_mb: 8,
            max_ingest_parsers: 1,
            max_ingest_parsers_per_brand: 1,
            max_ingest_parsers_per_token: 1,
        })
    }

    fn at(micros: i64) -> Monotonic {
        Monotonic::from_micros(1_000_000_000 + micros)
    }

    #[test]
    fn the_boundary_is_exact() {
        let limiter = limiter(3, 1_000);
        let key = CallerKey::User(UserId(1));
        let take = |micros| limiter.count_call(RateLimitClass::Read, key, at(micros));
        assert_eq!([take(0), take(0), take(0)].map(|decision| decision.remaining), [2, 1, 0]);
        let refused = take(0);
        assert_eq!((refused.retry_after_s, refused.remaining, refused.reset_after_s), (Some(20), 0, 60));
        // A third of a minute restores one call, and not a microsecond earlier.
        assert!(take(19_999_999).retry_after_s.is_some());
        assert_eq!(take(20_000_000).retry_after_s, None);
        assert!(take(20_000_000).retry_after_s.is_some());
        // After a whole minute without calls the full quota is restored, and not more.
        assert_eq!(take(80_000_000).remaining, 2);
    }

    #[test]
    fn callers_and_classes_do_not_share() {
        let limiter = limiter(1, 1_000);
        let now = at(0);
        assert_eq!(
            limiter.count_call(RateLimitClass::Read, CallerKey::User(UserId(1)), now).retry_after_s,
            None
        );
        assert_eq!(
            limiter.count_call(RateLimitClass::Read, CallerKey::User(UserId(2)), now).retry_after_s,
            None
        );
        assert_eq!(
            limiter.count_call(RateLimitClass::Write, CallerKey::User(UserId(1)), now).retry_after_s,
            None
        );
        assert_eq!(
            limiter.count_call(RateLimitClass::Read, CallerKey::Token(TokenId(1)), now).retry_after_s,
            None
        );
        assert!(
            limiter.count_call(RateLimitClass::Read, CallerKey::User(UserId(1)), now).retry_after_s.is_some()
        );
        assert_eq!((limiter.refusals(RateLimitClass::Read), limiter.refusals(RateLimitClass::Write)), (1, 0));
    }

    #[test]
    fn memory_stays_bounded_and_the_worst_are_kept() {
        let limiter = limiter(10, 1_600);
        let worst = CallerKey::address("2001:db8::1".parse().unwrap());
        for _ in 0..10 {
            limiter.count_call(RateLimitClass::Login, worst, at(0));
        }
        for n in 0..100_000_u32 {
            limiter.count_call(RateLimitClass::Login, CallerKey::address(IpAddr::V4(n.into())), at(0));
        }
        assert!(limiter.tracked_callers() <= 1_600, "{}", limiter.tracked_callers());
        // A neighbour in the same /64 is the same caller, and still has no quota.
        let neighbour = CallerKey::address("2001:db8::2".parse().unwrap());
        assert!(limiter.count_call(RateLimitClass::Login, neighbour, at(0)).retry_after_s.is_some());
    }
}

//! How often one may call: GCRA per caller and class, in bounded memory.
//!
//! Own code rather than the `governor` crate, whose keyed store grows with every new key until it is swept: here a flood of
//! addresses can never hold more than the configured number of callers, and what remains of a quota is exact.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::{Monotonic, Span, TokenId, UserId, network_of};

use crate::config::{Limits, Quota};

const MINUTE_US: i64 = 60_000_000;
const SHARDS: usize = 16;

/// What kind of call it is; each has a quota of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Signing in and refreshing.
    Login,
    /// Reading.
    Read,
    /// Asking the analytics.
    Analytics,
    /// Writing.
    Write,
    /// Sending batches.
    Ingest,
    /// Health and metrics.
    Probe,
    /// Finding out who an unknown credential stands for; counted beside the call itself.
    Lookup,
}

impl Class {
    /// All of them, in the order of their quotas.
    pub const ALL: [Self; 7] =
        [Self::Login, Self::Read, Self::Analytics, Self::Write, Self::Ingest, Self::Probe, Self::Lookup];

    /// The word for it in headers and metrics.
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

/// Whose calls are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    User(UserId),
    Token(TokenId),
    Address(IpAddr),
}

impl Key {
    /// An address before anyone is known, by its network.
    pub fn address(address: IpAddr) -> Self {
        Self::Address(network_of(address))
    }
}

/// What came of asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    pub class: Class,
    pub quota: u32,
    /// How many calls may follow at once.
    pub remaining: i64,
    /// In how many seconds the whole quota is there again.
    pub full_in_s: i64,
    /// In how many seconds to try again; only if refused.
    pub retry_in_s: Option<i64>,
}

impl Decision {
    /// `RateLimit-Policy`: so many calls in so many seconds.
    pub fn policy(&self) -> String {
        format!("\"{}\";q={};w=60", self.class.as_str(), self.quota)
    }

    /// `RateLimit`: what is left, and when all of it is back.
    pub fn state(&self) -> String {
        format!("\"{}\";r={};t={}", self.class.as_str(), self.remaining, self.full_in_s)
    }
}

type Shard = HashMap<(Class, Key), i64>;

/// Remembers, for each caller and class, when their quota would be whole again.
pub(crate) struct Limiter {
    quotas: [Quota; Class::ALL.len()],
    shards: [Mutex<Shard>; SHARDS],
    most_per_shard: usize,
    refused: [AtomicU64; Class::ALL.len()],
}

impl Limiter {
    pub fn new(limits: &Limits) -> Self {
        Self {
            quotas: [
                limits.login,
                limits.read,
                limits.analytics,
                limits.write,
                limits.ingest,
                limits.probe,
                limits.lookup,
            ],
            shards: Default::default(),
            most_per_shard: limits.callers.div_ceil(SHARDS),
            refused: Default::default(),
        }
    }

    /// Counts a call, or refuses it without counting.
    pub fn take(&self, class: Class, key: Key, now: Monotonic) -> Decision {
        let mut shard = self.shard(key);
        self.make_room(&mut shard, now);
        let whole_at = shard.get(&(class, key)).copied().unwrap_or(i64::MIN);
        let (decision, next) = self.decide(class, whole_at, now);
        match next {
            Some(next) => {
                shard.insert((class, key), next);
            }
            None => {
                self.refused[class as usize].fetch_add(1, Ordering::Relaxed);
            }
        }
        decision
    }

    /// How many calls of a class were refused, for /metrics.
    pub fn refused(&self, class: Class) -> u64 {
        self.refused[class as usize].load(Ordering::Relaxed)
    }

    /// How many callers are remembered, for /metrics.
    pub fn callers(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).len()).sum()
    }

    fn decide(&self, class: Class, whole_at: i64, now: Monotonic) -> (Decision, Option<i64>) {
        let Quota(quota) = self.quotas[class as usize];
        let step = (MINUTE_US / i64::from(quota)).max(1);
        let most = step * i64::from(quota);
        let now = now.micros();
        let next = whole_at.max(now) + step;
        let over = next - now - most;
        if over > 0 {
            let decision = Decision {
                class,
                quota,
                remaining: 0,
                full_in_s: Span::from_micros(whole_at - now).seconds_up(),
                retry_in_s: Some(Span::from_micros(over).max(Span::seconds(1)).seconds_up()),
            };
            return (decision, None);
        }
        let remaining = -over / step;
        let full_in_s = Span::from_micros(next - now).seconds_up();
        (Decision { class, quota, remaining, full_in_s, retry_in_s: None }, Some(next))
    }

    fn shard(&self, key: Key) -> MutexGuard<'_, Shard> {
        // Any spread does; the maps inside have keyed hashes of their own.
        let number = match key {
            Key::User(UserId(id)) | Key::Token(TokenId(id)) => id.unsigned_abs(),
            Key::Address(IpAddr::V4(address)) => u64::from(address.to_bits()),
            Key::Address(IpAddr::V6(address)) => (address.to_bits() >> 64) as u64,
        };
        lock(&self.shards[(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 60) as usize])
    }

    /// Forgets callers whose quota is whole again; if that is not enough, those who are nearest to it.
    fn make_room(&self, shard: &mut Shard, now: Monotonic) {
        if shard.len() < self.most_per_shard {
            return;
        }
        shard.retain(|_, whole_at| *whole_at > now.micros());
        if shard.len() >= self.most_per_shard {
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

    fn limiter(quota: u32, callers: usize) -> Limiter {
        let quota = Quota(quota);
        Limiter::new(&Limits {
            login: quota,
            read: quota,
            analytics: quota,
            write: quota,
            ingest: quota,
            probe: quota,
            lookup: quota,
            long_polls: 0,
            long_polls_per_brand: 0,
            long_polls_per_token: 0,
            callers,
            body_mb: 8,
            body_mb_per_caller: 8,
            ingest_readers: 1,
            ingest_readers_per_brand: 1,
            ingest_readers_per_token: 1,
        })
    }

    fn at(micros: i64) -> Monotonic {
        Monotonic::from_micros(1_000_000_000 + micros)
    }

    #[test]
    fn the_boundary_is_exact() {
        let limiter = limiter(3, 1_000);
        let key = Key::User(UserId(1));
        let take = |micros| limiter.take(Class::Read, key, at(micros));
        assert_eq!([take(0), take(0), take(0)].map(|decision| decision.remaining), [2, 1, 0]);
        let refused = take(0);
        assert_eq!((refused.retry_in_s, refused.remaining, refused.full_in_s), (Some(20), 0, 60));
        // A third of a minute brings one call back, and not a microsecond earlier.
        assert!(take(19_999_999).retry_in_s.is_some());
        assert_eq!(take(20_000_000).retry_in_s, None);
        assert!(take(20_000_000).retry_in_s.is_some());
        // After a whole minute without calls all of them are back, and not more.
        assert_eq!(take(80_000_000).remaining, 2);
    }

    #[test]
    fn callers_and_classes_do_not_share() {
        let limiter = limiter(1, 1_000);
        let now = at(0);
        assert_eq!(limiter.take(Class::Read, Key::User(UserId(1)), now).retry_in_s, None);
        assert_eq!(limiter.take(Class::Read, Key::User(UserId(2)), now).retry_in_s, None);
        assert_eq!(limiter.take(Class::Write, Key::User(UserId(1)), now).retry_in_s, None);
        assert_eq!(limiter.take(Class::Read, Key::Token(TokenId(1)), now).retry_in_s, None);
        assert!(limiter.take(Class::Read, Key::User(UserId(1)), now).retry_in_s.is_some());
        assert_eq!((limiter.refused(Class::Read), limiter.refused(Class::Write)), (1, 0));
    }

    #[test]
    fn memory_stays_bounded_and_the_worst_are_kept() {
        let limiter = limiter(10, 1_600);
        let worst = Key::address("2001:db8::1".parse().unwrap());
        for _ in 0..10 {
            limiter.take(Class::Login, worst, at(0));
        }
        for n in 0..100_000_u32 {
            limiter.take(Class::Login, Key::address(IpAddr::V4(n.into())), at(0));
        }
        assert!(limiter.callers() <= 1_600, "{}", limiter.callers());
        // A neighbour in the same /64 is the same caller, and still without quota.
        let neighbour = Key::address("2001:db8::2".parse().unwrap());
        assert!(limiter.take(Class::Login, neighbour, at(0)).retry_in_s.is_some());
    }
}

//! Calls that are held open until something happens: how many at once, and whose.

use app::{Error, ErrorKind, Grant, Reporter, Shares};
use domain::{BrandId, TokenId};

use crate::Config;

/// In how many seconds a device that finds no place should come again.
const RETRY_AFTER_S: i64 = 10;

/// The places for calls that are held open. Each keeps a connection, so all of them together leave some to others.
#[derive(Debug)]
pub struct LongPollLimiter {
    per_brand: Shares<BrandId>,
    per_token: Shares<TokenId>,
}

/// A place for a call that is held open.
#[derive(Debug)]
pub struct LongPollPermit {
    _brand_grant: Grant<BrandId>,
    _token_grant: Grant<TokenId>,
}

impl LongPollLimiter {
    pub(crate) fn new(config: &Config) -> Self {
        let (limits, connections) = (&config.limits, config.server.max_connections);
        let or = |number: u32, derived: u32| if number == 0 { derived.max(1) } else { number } as usize;
        let total = or(limits.max_long_polls, connections - connections / 4);
        Self {
            per_brand: Shares::new(total, or(limits.max_long_polls_per_brand, connections / 2)),
            per_token: Shares::new(usize::MAX, or(limits.max_long_polls_per_token, connections / 16)),
        }
    }

    /// A place for a call of this device, if there is one.
    pub fn acquire(&self, reporter: &Reporter) -> Result<LongPollPermit, Error> {
        let places = self.per_token.try_acquire(reporter.token, 1).and_then(|of_token| {
            let of_brand = self.per_brand.try_acquire(reporter.brand(), 1)?;
            Some(LongPollPermit { _brand_grant: of_brand, _token_grant: of_token })
        });
        places.ok_or_else(|| {
            let detail = "As many calls of this token, or of your brand, are held open as may be at once.";
            Error::new(ErrorKind::Unavailable, "too_busy", detail).retry_after(RETRY_AFTER_S)
        })
    }
}

//! Limits the number of open long polls, in total, per brand and per token.

use app::{Error, ErrorKind, Grant, Reporter, Shares};
use domain::{BrandId, TokenId};

use crate::Config;

/// The wait for a device that gets no permit.
const RETRY_AFTER_S: i64 = 10;

/// The permits for long polls. Each long poll keeps a connection open, so the limits leave connections for other calls.
#[derive(Debug)]
pub struct LongPollLimiter {
    per_brand: Shares<BrandId>,
    per_token: Shares<TokenId>,
}

/// A permit for one long poll.
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

    /// Acquires a permit for a call of this device.
    pub fn acquire(&self, reporter: &Reporter) -> Result<LongPollPermit, Error> {
        let places = self.per_token.try_acquire(reporter.token, 1).and_then(|of_token| {
            let of_brand = self.per_brand.try_acquire(reporter.brand(), 1)?;
            Some(LongPollPermit { _brand_grant: of_brand, _token_grant: of_token })
        });
        places.ok_or_else(|| {
            let detail =
                "Too many long polls of this token, of your brand or in total are open. Try again later.";
            Error::new(ErrorKind::Unavailable, "too_busy", detail).retry_after(RETRY_AFTER_S)
        })
    }
}

//! Calls that are held open until something happens: how many at once, and whose.

use app::{Error, Grant, Kind, Reporter, Shares};
use domain::{BrandId, TokenId};

use crate::Config;

/// In how many seconds a device that finds no place should come again.
const RETRY_S: i64 = 10;

/// The places for calls that are held open. Each keeps a connection, so all of them together leave some to others.
#[derive(Debug)]
pub struct LongPolls {
    brands: Shares<BrandId>,
    tokens: Shares<TokenId>,
}

/// A place for a call that is held open.
#[derive(Debug)]
pub struct LongPoll {
    _of_brand: Grant<BrandId>,
    _of_token: Grant<TokenId>,
}

impl LongPolls {
    pub(crate) fn new(config: &Config) -> Self {
        let (limits, connections) = (&config.limits, config.server.max_connections);
        let or = |number: u32, derived: u32| if number == 0 { derived.max(1) } else { number } as usize;
        let total = or(limits.long_polls, connections - connections / 4);
        Self {
            brands: Shares::new(total, or(limits.long_polls_per_brand, connections / 2)),
            tokens: Shares::new(usize::MAX, or(limits.long_polls_per_token, connections / 16)),
        }
    }

    /// A place for a call of this device, if there is one.
    pub fn place(&self, reporter: &Reporter) -> Result<LongPoll, Error> {
        let places = self.tokens.try_take(reporter.token, 1).and_then(|of_token| {
            let of_brand = self.brands.try_take(reporter.brand(), 1)?;
            Some(LongPoll { _of_brand: of_brand, _of_token: of_token })
        });
        places.ok_or_else(|| {
            let detail = "As many calls of this token, or of your brand, are held open as may be at once.";
            Error::new(Kind::Unavailable, "too_busy", detail).retry_after(RETRY_S)
        })
    }
}

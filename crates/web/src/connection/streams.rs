//! Limits the number of open live streams, in total, per brand, per user and per session.

use app::{Error, ErrorKind, Grant, Shares, UserIdentity};
use domain::{BrandId, ServiceTokenId, SessionId, UserId};

use crate::Config;

/// The wait for a caller who gets no permit.
const RETRY_AFTER_S: i64 = 10;

/// A session of a person, or a token of a service account.
type SignInKey = (Option<SessionId>, Option<ServiceTokenId>);

/// The permits for live streams. Each stream keeps a connection open; with all long polls, they leave an eighth of the connections for
/// other calls.
#[derive(Debug)]
pub(crate) struct StreamLimiter {
    per_brand: Shares<BrandId>,
    per_user: Shares<UserId>,
    per_session: Shares<SignInKey>,
}

/// A permit for one live stream.
#[derive(Debug)]
pub(crate) struct StreamPermit {
    _brand_grant: Grant<BrandId>,
    _user_grant: Grant<UserId>,
    _session_grant: Grant<SignInKey>,
}

impl StreamLimiter {
    pub fn new(config: &Config) -> Self {
        let limits = &config.limits;
        let or = |number: u32, derived: u32| if number == 0 { derived.max(1) } else { number };
        let total = or(limits.max_streams, config.server.max_connections / 8);
        let of_brand = or(limits.max_streams_per_brand, total - total / 4);
        Self {
            per_brand: Shares::new(total as usize, of_brand as usize),
            per_user: Shares::new(usize::MAX, limits.max_streams_per_user as usize),
            per_session: Shares::new(usize::MAX, limits.max_streams_per_session as usize),
        }
    }

    /// Acquires a permit for a stream of this caller.
    pub fn acquire(&self, identity: &UserIdentity) -> Result<StreamPermit, Error> {
        let places = || {
            let sign_in = (identity.session(), identity.service_token());
            Some(StreamPermit {
                _session_grant: self.per_session.try_acquire(sign_in, 1)?,
                _user_grant: self.per_user.try_acquire(identity.user, 1)?,
                _brand_grant: self.per_brand.try_acquire(identity.brand(), 1)?,
            })
        };
        places().ok_or_else(|| {
            let detail =
                "Too many streams of your session, of you, of your brand or in total are open. Try again later.";
            Error::new(ErrorKind::Unavailable, "too_busy", detail).retry_after(RETRY_AFTER_S)
        })
    }
}

//! Credentials of requests, and the identities they authenticate.

use std::sync::Arc;

use domain::{BaseStationId, BrandId, DeviceKind, Timestamp, TokenId};
use store::{LiveToken, Scope};

use crate::{Origin, Reporter, ReporterKind, Tester, UserIdentity};

/// The credential that a request presented.
#[derive(Clone, Copy, Debug)]
pub enum Credential<'a> {
    Cookie(&'a str),
    /// The cookie of a request that an open page makes by itself, which is no use of the session.
    CookieOfOpenPage(&'a str),
    Jwt(&'a str),
    /// A device token, which must be of one of these kinds.
    Device(&'a str, &'a [DeviceKind]),
}

/// The identity behind a credential.
#[derive(Clone, Debug)]
pub enum Identity {
    User(Arc<UserIdentity>),
    Device(Arc<DeviceIdentity>),
}

/// A device with a valid token.
#[derive(Debug)]
pub struct DeviceIdentity {
    pub(crate) token: LiveToken,
    pub(crate) scope: Scope,
}

impl DeviceIdentity {
    /// Returns the token's id, by which requests are rate-limited.
    pub fn token_id(&self) -> TokenId {
        self.token.id
    }

    pub fn brand(&self) -> BrandId {
        self.scope.brand()
    }
}

impl Identity {
    pub fn brand(&self) -> BrandId {
        match self {
            Self::User(user) => user.brand(),
            Self::Device(device) => device.brand(),
        }
    }

    /// Returns this identity as a tester device, or `None` if it is not one.
    pub fn as_tester(&self, origin: Origin) -> Option<Tester> {
        let Self::Device(device) = self else { return None };
        (device.token.kind == DeviceKind::Tester).then(|| Tester {
            token: device.token.id,
            device: device.token.device,
            origin,
            scope: device.scope.clone(),
        })
    }

    /// Returns this identity as a base station or gateway, or `None` if it is neither.
    pub fn as_reporter(&self, origin: Origin) -> Option<Reporter> {
        let Self::Device(device) = self else { return None };
        let kind = match device.token.kind {
            DeviceKind::Tester => return None,
            DeviceKind::Station => ReporterKind::Station(BaseStationId(device.token.device.0)),
            DeviceKind::Gateway => ReporterKind::Gateway(device.token.device),
        };
        Some(Reporter { token: device.token.id, kind, origin, scope: device.scope.clone() })
    }
}

/// The result of verifying a credential.
#[derive(Clone, Debug)]
pub struct Authenticated {
    pub identity: Identity,
    /// Time at which the credential expires. Device tokens have none.
    pub expires_at: Option<Timestamp>,
}

/// The reason why a credential was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialError {
    /// The request has no credential.
    Missing,
    /// The credential is malformed, unknown, revoked or of the wrong kind.
    Invalid,
    /// The credential was valid in the past.
    Expired,
}

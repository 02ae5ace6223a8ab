//! What a request brings along, and who it turns out to stand for.

use std::sync::Arc;

use domain::{BaseStationId, BrandId, DeviceKind, Timestamp, TokenId};
use store::{LiveToken, Scope};

use crate::{Origin, Reporter, ReporterKind, Tester, UserIdentity};

/// What a request brought along.
#[derive(Clone, Copy, Debug)]
pub enum Credential<'a> {
    /// The session cookie of V1.
    Cookie(&'a str),
    /// The JWT of V2.
    Jwt(&'a str),
    /// The token of a device, which must be of one of these kinds.
    Device(&'a str, &'a [DeviceKind]),
}

/// Who a credential stands for.
#[derive(Clone, Debug)]
pub enum Identity {
    /// Someone who signed in.
    User(Arc<UserIdentity>),
    /// A device.
    Device(Arc<DeviceIdentity>),
}

/// A device with a live token.
#[derive(Debug)]
pub struct DeviceIdentity {
    pub(crate) token: LiveToken,
    pub(crate) scope: Scope,
}

impl DeviceIdentity {
    /// The token's id, by which calls are limited.
    pub fn token_id(&self) -> TokenId {
        self.token.id
    }

    /// The tenant.
    pub fn brand(&self) -> BrandId {
        self.scope.brand()
    }
}

impl Identity {
    /// The tenant.
    pub fn brand(&self) -> BrandId {
        match self {
            Self::User(user) => user.brand(),
            Self::Device(device) => device.brand(),
        }
    }

    /// This identity as a tester device.
    pub fn as_tester(&self, origin: Origin) -> Option<Tester> {
        let Self::Device(device) = self else { return None };
        (device.token.kind == DeviceKind::Tester).then(|| Tester {
            token: device.token.id,
            device: device.token.device,
            origin,
            scope: device.scope.clone(),
        })
    }

    /// This identity as a base station or gateway.
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

/// A credential that holds.
#[derive(Clone, Debug)]
pub struct Authenticated {
    /// Who it stands for.
    pub identity: Identity,
    /// When the credential itself stops being good; a device token does not by itself.
    pub expires_at: Option<Timestamp>,
}

/// Why a credential was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialError {
    /// There was none.
    Missing,
    /// It is malformed, unknown, revoked, or of the wrong kind.
    Invalid,
    /// It was good once.
    Expired,
}

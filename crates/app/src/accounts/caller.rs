//! Who asks, as types: without one of these a use case cannot be called.

use std::marker::PhantomData;
use std::net::IpAddr;
use std::sync::Arc;

use domain::access::ReadNames;
use domain::{
    BaseStationId, BrandId, DeviceId, Permission, ProjectId, Role, SessionId, Timestamp, TokenId, UserId,
    network_of,
};
use store::{Projects, Scope, SessionKind};

use crate::{Error, ErrorKind};

/// Where a request came from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The client's address; behind a trusted proxy, the one it reports.
    pub address: IpAddr,
    /// The request's id.
    pub request_id: Arc<str>,
}

impl Origin {
    /// The network as attempts are counted by.
    pub fn network(&self) -> String {
        match network_of(self.address) {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(network) => format!("{network}/64"),
        }
    }
}

/// A user who has shown who they are.
#[derive(Debug)]
pub struct UserIdentity {
    /// The user.
    pub user: UserId,
    /// Their email.
    pub email: String,
    /// Their name.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// The session they came with.
    pub session: SessionId,
    /// When that session ends at the latest.
    pub session_expires_at: Timestamp,
    /// The tenant's name.
    pub brand_name: String,
    /// Whether the tenant shows people's names to viewers too.
    pub viewers_see_names: bool,
    /// Whether their password was made for them, and they have yet to choose one.
    pub password_change_due: bool,
    /// Whether they have a second factor; then this session was made with it.
    pub has_second_factor: bool,
    /// Whether their role must have one.
    pub second_factor_required: bool,
    pub(crate) session_kind: SessionKind,
    pub(crate) proven_at: Timestamp,
    pub(crate) scope: Scope,
}

impl UserIdentity {
    /// The tenant.
    pub fn brand(&self) -> BrandId {
        self.scope.brand()
    }

    /// Whether they must have a second factor and have none: until they do, only the own sign-in is open.
    pub fn second_factor_due(&self) -> bool {
        self.second_factor_required && !self.has_second_factor
    }

    /// Whether they may do that: by their role, or because their brand says so.
    pub fn has_permission<P: Permission>(&self) -> bool {
        self.role >= P::MIN_ROLE || (P::NAME == ReadNames::NAME && self.viewers_see_names)
    }

    /// The names of all they may do.
    pub fn permissions(&self) -> Vec<&'static str> {
        let mut names = self.role.permissions();
        if self.has_permission::<ReadNames>() && !names.contains(&ReadNames::NAME) {
            names.push(ReadNames::NAME);
        }
        names
    }

    /// The projects they are restricted to; none if they see all.
    pub fn project_ids(&self) -> Option<&[ProjectId]> {
        match self.scope.projects() {
            Projects::All => None,
            Projects::Only(projects) => Some(projects),
        }
    }
}

/// A user who has the permission `P`. A use case names the permission it needs in this type.
#[derive(Clone, Debug)]
pub struct Caller<P> {
    /// Who.
    pub identity: Arc<UserIdentity>,
    /// From where.
    pub origin: Origin,
    /// When the credential they showed stops being good.
    pub expires_at: Option<Timestamp>,
    permission: PhantomData<P>,
}

impl<P: Permission> Caller<P> {
    /// Grants the permission if the role has it, and the second factor is there that it must have.
    pub fn new(
        identity: Arc<UserIdentity>,
        expires_at: Option<Timestamp>,
        origin: Origin,
    ) -> Result<Self, Error> {
        if identity.second_factor_due() && !P::BEFORE_SECOND_FACTOR {
            return Err(Error::new(
                ErrorKind::Forbidden,
                "second_factor_required",
                "Your role must have a second factor. Add one with POST /api/v1/session/second_factor.",
            ));
        }
        if !identity.has_permission::<P>() {
            return Err(Error::forbidden(P::NAME));
        }
        Ok(Self { identity, origin, expires_at, permission: PhantomData })
    }

    pub(crate) fn scope(&self) -> &Scope {
        &self.identity.scope
    }
}

/// A tester device with a live token.
#[derive(Clone, Debug)]
pub struct Tester {
    /// The token it showed.
    pub token: TokenId,
    /// The device.
    pub device: DeviceId,
    /// From where.
    pub origin: Origin,
    pub(crate) scope: Scope,
}

/// Which device reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReporterKind {
    /// A base station, for itself.
    Station(BaseStationId),
    /// A gateway, for any station of its brand.
    Gateway(DeviceId),
}

/// A base station or gateway with a live token.
#[derive(Clone, Debug)]
pub struct Reporter {
    /// The token it showed.
    pub token: TokenId,
    /// Which device.
    pub kind: ReporterKind,
    /// From where.
    pub origin: Origin,
    pub(crate) scope: Scope,
}

impl Reporter {
    /// The tenant.
    pub fn brand(&self) -> BrandId {
        self.scope.brand()
    }
}

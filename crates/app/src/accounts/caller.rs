//! Authenticated callers as types: no use case can be called without one of them.

use std::marker::PhantomData;
use std::net::IpAddr;
use std::sync::Arc;

use domain::access::ReadNames;
use domain::{
    BaseStationId, BrandId, DeviceId, Permission, ProjectId, Role, ServiceTokenId, SessionId, SessionKind,
    Timestamp, TokenId, UserId, network_of,
};
use store::{Projects, Scope};

use crate::{Actor, Error, ErrorKind};

/// The network address and request id of a request.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The client's address. Behind a trusted proxy it is the address that the proxy reports.
    pub address: IpAddr,
    pub request_id: Arc<str>,
}

impl Origin {
    /// Returns the network by which login attempts are counted: the whole IPv4 address, or the /64 of an IPv6 address.
    pub fn network(&self) -> String {
        match network_of(self.address) {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(network) => format!("{network}/64"),
        }
    }
}

/// The credential that identified a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignIn {
    /// The session of a person. Without a proof if its cookie was replaced by one a moment ago, so that an earlier cookie has none.
    Session { id: SessionId, kind: SessionKind, proven_at: Option<Timestamp> },
    /// The token of a service account.
    ServiceToken(ServiceTokenId),
}

/// An authenticated user: a person, or a service account.
#[derive(Debug)]
pub struct UserIdentity {
    pub user: UserId,
    /// Empty for a service account.
    pub email: String,
    pub name: String,
    pub role: Role,
    pub(crate) sign_in: SignIn,
    /// Time at which the session or token ends at the latest.
    pub(crate) sign_in_expires_at: Timestamp,
    pub brand_name: String,
    /// Whether the brand shows people's names to viewers too.
    pub viewers_see_names: bool,
    /// Whether the password was generated for the user, who must choose another one.
    pub password_change_due: bool,
    /// Whether the user has a second factor. If so, the session was created with it.
    pub has_second_factor: bool,
    /// Whether the brand requires a second factor for the user's role.
    pub second_factor_required: bool,
    pub(crate) scope: Scope,
}

impl UserIdentity {
    pub fn brand(&self) -> BrandId {
        self.scope.brand()
    }

    /// Returns the session of a person; none for a service account.
    pub fn session(&self) -> Option<SessionId> {
        match self.sign_in {
            SignIn::Session { id, .. } => Some(id),
            SignIn::ServiceToken(_) => None,
        }
    }

    /// Returns the session, and refuses service accounts.
    pub(crate) fn require_session(&self) -> Result<SessionId, Error> {
        self.session().ok_or_else(not_for_service_accounts)
    }

    /// Returns the presented token of a service account; none for a person.
    pub fn service_token(&self) -> Option<ServiceTokenId> {
        match self.sign_in {
            SignIn::Session { .. } => None,
            SignIn::ServiceToken(id) => Some(id),
        }
    }

    pub fn is_service_account(&self) -> bool {
        self.service_token().is_some()
    }

    /// Returns the user as the actor of what they do.
    pub(crate) fn actor(&self) -> Actor {
        match self.sign_in {
            SignIn::Session { .. } => Actor::User(self.user),
            SignIn::ServiceToken(_) => Actor::ServiceAccount(self.user),
        }
    }

    /// Whether the user must set up a second factor. Until then only the operations on their own sign-in are permitted.
    pub fn second_factor_due(&self) -> bool {
        self.second_factor_required && !self.has_second_factor
    }

    /// Whether the user has the permission, by their role or by a setting of their brand.
    pub fn has_permission<P: Permission>(&self) -> bool {
        let is_open = P::FOR_SERVICE_ACCOUNTS || !self.is_service_account();
        is_open && (self.role >= P::MIN_ROLE || (P::NAME == ReadNames::NAME && self.viewers_see_names))
    }

    /// Returns the names of all permissions that the user has.
    pub fn permissions(&self) -> Vec<&'static str> {
        let mut names = match self.sign_in {
            SignIn::Session { .. } => self.role.permissions(),
            SignIn::ServiceToken(_) => self.role.permissions_of_service_accounts(),
        };
        if self.has_permission::<ReadNames>() && !names.contains(&ReadNames::NAME) {
            names.push(ReadNames::NAME);
        }
        names
    }

    /// Returns the projects that the user is restricted to, or `None` if they see all.
    pub fn project_ids(&self) -> Option<&[ProjectId]> {
        match self.scope.projects() {
            Projects::All => None,
            Projects::Only(projects) => Some(projects),
        }
    }
}

/// A user who has the permission `P`. A use case states the permission it needs by this type.
#[derive(Clone, Debug)]
pub struct Caller<P> {
    pub identity: Arc<UserIdentity>,
    pub origin: Origin,
    /// Time at which the presented credential expires.
    pub expires_at: Option<Timestamp>,
    permission: PhantomData<P>,
}

impl<P: Permission> Caller<P> {
    /// Checks that the user has the permission, and the second factor if their role requires one.
    pub fn new(
        identity: Arc<UserIdentity>,
        expires_at: Option<Timestamp>,
        origin: Origin,
    ) -> Result<Self, Error> {
        if identity.second_factor_due() && !P::BEFORE_SECOND_FACTOR {
            return Err(Error::new(
                ErrorKind::Forbidden,
                "second_factor_required",
                "Your role requires a second factor. Add one with POST /api/v1/session/second_factor.",
            ));
        }
        if identity.is_service_account() && !P::FOR_SERVICE_ACCOUNTS {
            return Err(not_for_service_accounts());
        }
        if !identity.has_permission::<P>() {
            return Err(Error::forbidden(P::NAME));
        }
        Ok(Self { identity, origin, expires_at, permission: PhantomData })
    }

    /// Returns the same user with another permission, if they have it.
    pub fn with_permission<Q: Permission>(&self) -> Result<Caller<Q>, Error> {
        Caller::new(Arc::clone(&self.identity), self.expires_at, self.origin.clone())
    }

    pub(crate) fn scope(&self) -> &Scope {
        &self.identity.scope
    }
}

/// The refusal of what only people may do.
pub(crate) fn not_for_service_accounts() -> Error {
    Error::new(
        ErrorKind::Forbidden,
        "not_for_service_accounts",
        "Service accounts cannot do this: they grant nobody access, and have no sign-in or preferences of their own.",
    )
}

/// A tester device with a valid token.
#[derive(Clone, Debug)]
pub struct Tester {
    pub token: TokenId,
    pub device: DeviceId,
    pub origin: Origin,
    pub(crate) scope: Scope,
}

/// The kind and id of a reporting device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReporterKind {
    /// A base station, which reports for itself.
    Station(BaseStationId),
    /// A gateway, which reports for any base station of its brand.
    Gateway(DeviceId),
}

/// A base station or gateway with a valid token.
#[derive(Clone, Debug)]
pub struct Reporter {
    pub token: TokenId,
    pub kind: ReporterKind,
    pub origin: Origin,
    pub(crate) scope: Scope,
}

impl Reporter {
    pub fn brand(&self) -> BrandId {
        self.scope.brand()
    }
}

//! Those who change something, as the audit log and stored records name them.

use domain::{ActorKind, DeviceId, UserId};

#[derive(Clone, Copy, Debug)]
pub enum Actor {
    User(UserId),
    ServiceAccount(UserId),
    Tester(DeviceId),
    /// Someone with a shell on the server.
    CommandLine,
    /// Keepclear itself.
    Service,
}

impl Actor {
    /// Returns the kind and the id, as in tables and responses.
    pub(crate) fn kind_and_id(self) -> (ActorKind, Option<i64>) {
        match self {
            Self::User(id) => (ActorKind::User, Some(id.0)),
            Self::ServiceAccount(id) => (ActorKind::ServiceAccount, Some(id.0)),
            Self::Tester(id) => (ActorKind::TesterDevice, Some(id.0)),
            Self::CommandLine => (ActorKind::CommandLine, None),
            Self::Service => (ActorKind::Service, None),
        }
    }
}

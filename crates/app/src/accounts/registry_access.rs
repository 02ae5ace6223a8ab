//! Readers and editors of the registry: a tester device with its token, a user with the permission, the service itself or the
//! command line. The use cases are the same for all of them.

use domain::Permission;
use domain::access::{ReadRegistry, WriteRegistry};
use store::Scope;

use crate::accounts::restricted_error::require_unrestricted;
use crate::platform::audit::AuditEntry;
use crate::{Actor, Caller, Error, Names, Origin, Tester};

/// Whoever may read the registry, with or without people's names.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    pub(crate) scope: &'a Scope,
    pub(crate) names: Names,
}

/// Whoever may change the registry: a tester device, a user, the service or the command line.
#[derive(Clone, Copy, Debug)]
pub struct Editor<'a> {
    pub(crate) scope: &'a Scope,
    pub(crate) names: Names,
    pub(crate) actor: Actor,
    origin: Option<&'a Origin>,
}

impl Tester {
    /// Returns the tester as a reader, who sees names.
    pub fn reader(&self) -> Reader<'_> {
        Reader { scope: &self.scope, names: Names::Shown }
    }

    pub fn editor(&self) -> Editor<'_> {
        Editor {
            scope: &self.scope,
            names: Names::Shown,
            actor: Actor::Tester(self.device),
            origin: Some(&self.origin),
        }
    }
}

impl Caller<ReadRegistry> {
    pub fn reader(&self) -> Reader<'_> {
        Reader { scope: self.scope(), names: self.names() }
    }
}

impl Caller<WriteRegistry> {
    pub fn editor(&self) -> Editor<'_> {
        Editor::by_caller(self)
    }
}

impl<'a> Editor<'a> {
    /// A user with another permission, whose use case includes a change of the registry.
    pub(crate) fn by_caller<P: Permission>(caller: &'a Caller<P>) -> Self {
        Self {
            scope: caller.scope(),
            names: caller.names(),
            actor: Actor::User(caller.identity.user),
            origin: Some(&caller.origin),
        }
    }

    pub(crate) fn by_service(scope: &'a Scope) -> Self {
        Self { scope, names: Names::Shown, actor: Actor::Service, origin: None }
    }

    pub(crate) fn by_command_line(scope: &'a Scope) -> Self {
        Self { scope, names: Names::Shown, actor: Actor::CommandLine, origin: None }
    }

    /// Refuses restricted editors, who would not see what they add.
    pub(crate) fn require_unrestricted(&self, action: &str) -> Result<(), Error> {
        require_unrestricted(self.scope, action)
    }

    pub fn reader(&self) -> Reader<'a> {
        Reader { scope: self.scope, names: self.names }
    }

    /// Returns the actor in the form in which rows store it.
    pub(crate) fn stored_actor(&self) -> domain::Actor {
        let (kind, id) = self.actor.kind_and_id();
        domain::Actor { kind: kind.to_owned(), id }
    }

    /// Starts an audit entry with this editor as the actor.
    pub(crate) fn audit_entry(&self) -> AuditEntry<'a> {
        AuditEntry::new(Some(self.scope.brand()), self.actor, self.origin)
    }
}

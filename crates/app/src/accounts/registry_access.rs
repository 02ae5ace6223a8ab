//! Who sees and who handles people and tags: a kiosk with its token, someone at a desk with the permission, or Keepclear
//! itself. The use cases are the same for all of them.

use domain::Permission;
use domain::access::{ReadRegistry, WriteRegistry};
use store::{Projects, Scope};

use crate::accounts::restriction::restricted;
use crate::platform::audit::AuditEntry;
use crate::{Actor, Caller, Error, Names, Origin, Tester};

/// Whoever may read the registry.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    pub(crate) scope: &'a Scope,
    pub(crate) names: Names,
}

/// Whoever may change the registry.
#[derive(Clone, Copy, Debug)]
pub struct Editor<'a> {
    pub(crate) scope: &'a Scope,
    pub(crate) names: Names,
    pub(crate) actor: Actor,
    origin: Option<&'a Origin>,
}

impl Tester {
    /// The kiosk as one who reads; it shows names.
    pub fn reader(&self) -> Reader<'_> {
        Reader { scope: &self.scope, names: Names::Shown }
    }

    /// The kiosk as one who acts.
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
    /// The user as one who reads.
    pub fn reader(&self) -> Reader<'_> {
        Reader { scope: self.scope(), names: self.names() }
    }
}

impl Caller<WriteRegistry> {
    /// The user as one who acts.
    pub fn editor(&self) -> Editor<'_> {
        Editor::by_caller(self)
    }
}

impl<'a> Editor<'a> {
    /// A user with some other permission, where a use case of this crate lends them a hand.
    pub(crate) fn by_caller<P: Permission>(caller: &'a Caller<P>) -> Self {
        Self {
            scope: caller.scope(),
            names: caller.names(),
            actor: Actor::User(caller.identity.user),
            origin: Some(&caller.origin),
        }
    }

    /// Keepclear itself.
    pub(crate) fn by_service(scope: &'a Scope) -> Self {
        Self { scope, names: Names::Shown, actor: Actor::Service, origin: None }
    }

    /// Whoever holds a shell on the server.
    pub(crate) fn by_command_line(scope: &'a Scope) -> Self {
        Self { scope, names: Names::Shown, actor: Actor::CommandLine, origin: None }
    }

    /// Refuses those who see only some projects, and so would not see what they add.
    pub(crate) fn require_unrestricted(&self, action: &str) -> Result<(), Error> {
        if *self.scope.projects() == Projects::All {
            return Ok(());
        }
        Err(restricted(format!("You are restricted to some projects, and so cannot {action}.")))
    }

    /// The same, to look at what is about to be changed.
    pub fn reader(&self) -> Reader<'a> {
        Reader { scope: self.scope, names: self.names }
    }

    /// As rows remember who did something.
    pub(crate) fn stored_actor(&self) -> store::Actor {
        let (kind, id) = self.actor.kind_and_id();
        store::Actor { kind: kind.to_owned(), id }
    }

    /// An act of theirs, to be put together and recorded.
    pub(crate) fn audit_entry(&self) -> AuditEntry<'a> {
        AuditEntry::new(Some(self.scope.brand()), self.actor, self.origin)
    }
}

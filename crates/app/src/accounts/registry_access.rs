//! Readers and editors of the registry: a tester device with its token, a user or service account with the permission, the service
//! itself or the command line. The use cases are the same for all of them.

use domain::access::{ReadRegistry, WriteRegistry};
use domain::{Listing, Page, Permission};
use store::{Projects, Scope};

use crate::accounts::names::RedactNames;
use crate::accounts::restricted_error::require_unrestricted;
use crate::platform::audit::AuditEntry;
use crate::{Actor, Caller, Error, Names, Origin, Tester};

/// Whoever may read the registry, with or without people's names.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    pub(crate) scope: &'a Scope,
    pub(crate) names: Names,
    /// Whether it is a tester device, which anyone at a gate can look at.
    is_kiosk: bool,
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
    /// Returns the tester as a reader, who sees the names of people.
    pub fn reader(&self) -> Reader<'_> {
        Reader { scope: &self.scope, names: Names::Shown, is_kiosk: true }
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
        Reader { scope: self.scope(), names: self.names(), is_kiosk: false }
    }
}

impl Reader<'_> {
    /// Returns the record as the reader may see it. A tester device sees the names of the people it manages, but neither those of users nor
    /// anything of people who have been archived. Who is restricted to projects sees no names of users here either, because tags and
    /// their wearers belong to the whole brand, and so may the users who handed them out.
    pub(crate) fn redact<T: RedactNames>(&self, record: T) -> T {
        let mut record = self.names.redact_record(record);
        if self.is_kiosk || *self.scope.projects() != Projects::All {
            record.redact_users();
        }
        if self.is_kiosk {
            record.redact_archived();
        }
        record
    }

    pub(crate) fn redact_listing<T: RedactNames>(&self, listing: Listing<T>) -> Listing<T> {
        listing.map(|row| self.redact(row))
    }

    pub(crate) fn redact_page<T: RedactNames>(&self, page: Page<T>) -> Page<T> {
        Page { rows: page.rows.into_iter().map(|row| self.redact(row)).collect(), next: page.next }
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
            actor: caller.identity.actor(),
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
        Reader { scope: self.scope, names: self.names, is_kiosk: matches!(self.actor, Actor::Tester(_)) }
    }

    /// Returns the actor in the form in which rows store it.
    pub(crate) fn stored_actor(&self) -> domain::Actor {
        let (kind, id) = self.actor.kind_and_id();
        domain::Actor { kind, id, name: None }
    }

    /// Starts an audit entry with this editor as the actor.
    pub(crate) fn audit_entry(&self) -> AuditEntry<'a> {
        AuditEntry::new(Some(self.scope.brand()), self.actor, self.origin)
    }
}

//! Redaction of people's names in the results of use cases, for callers who may not see them.

use domain::access::ReadNames;
use domain::{
    Actor, ActorKind, Assignment, Entity, EntityType, FoundPerson, FoundTag, IncursionDetails, Message, Note,
    Page, Permission, Person, PersonId, PersonName, ReviewedIncursion, StationClip, StationMessage,
    StationRuntime, StoredReview, TagDetails, TagTest, VideoClip, Visit, person,
};
use store::ShownAs;

use crate::{Caller, UserIdentity};

/// Whether the caller sees names. Other callers see "Person 123" instead of a name, and no free text, since it may name anyone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    Shown,
    Hidden,
}

impl Names {
    pub(crate) fn for_user(identity: &UserIdentity) -> Self {
        if identity.has_permission::<ReadNames>() { Self::Shown } else { Self::Hidden }
    }

    /// Returns the field by which lists of people are searched and sorted.
    pub(crate) fn search_field(self) -> ShownAs {
        match self {
            Self::Shown => ShownAs::Name,
            Self::Hidden => ShownAs::Label,
        }
    }

    /// Returns the record, redacted if the caller does not see names.
    pub(crate) fn redact_record<T: RedactNames>(self, mut record: T) -> T {
        if self == Self::Hidden {
            record.redact_names();
        }
        record
    }

    /// Returns the page, redacted if the caller does not see names.
    pub(crate) fn redact_page<T: RedactNames>(self, page: Page<T>) -> Page<T> {
        Page { rows: page.rows.into_iter().map(|row| self.redact_record(row)).collect(), next: page.next }
    }
}

impl<P: Permission> Caller<P> {
    pub fn names(&self) -> Names {
        Names::for_user(&self.identity)
    }
}

/// A record that names people.
pub(crate) trait RedactNames {
    /// Removes everything that identifies a person.
    fn redact_names(&mut self);

    /// Removes the names of users, who are not people of the registry. Records without an actor have none.
    fn redact_users(&mut self) {}

    /// Removes everything that identifies a person who has been archived.
    fn redact_archived(&mut self) {}
}

impl RedactNames for Person {
    fn redact_names(&mut self) {
        self.name = person::placeholder_name(self.id);
        self.name_key.clear();
        (self.employee_id, self.email, self.company) = (None, None, None);
    }

    fn redact_archived(&mut self) {
        if self.archived_at.is_some() {
            self.redact_names();
        }
    }
}

impl RedactNames for FoundPerson {
    fn redact_names(&mut self) {
        self.name = person::placeholder_name(self.id);
        (self.company, self.employee_id) = (None, None);
    }
}

impl RedactNames for FoundTag {
    fn redact_names(&mut self) {
        self.person.redact_names();
    }
}

impl RedactNames for Entity {
    fn redact_names(&mut self) {
        if self.entity_type == EntityType::Person {
            self.name = person::placeholder_name(PersonId(self.id));
        }
    }
}

impl RedactNames for PersonName {
    fn redact_names(&mut self) {
        self.name = person::placeholder_name(self.id);
    }
}

impl<T: RedactNames> RedactNames for Option<T> {
    fn redact_names(&mut self) {
        if let Some(record) = self {
            record.redact_names();
        }
    }

    fn redact_users(&mut self) {
        if let Some(record) = self {
            record.redact_users();
        }
    }

    fn redact_archived(&mut self) {
        if let Some(record) = self {
            record.redact_archived();
        }
    }
}

/// Programs and devices are not people.
impl RedactNames for Actor {
    fn redact_names(&mut self) {
        self.redact_users();
    }

    fn redact_users(&mut self) {
        if self.kind == ActorKind::User {
            self.name = None;
        }
    }
}

impl RedactNames for Assignment {
    fn redact_names(&mut self) {
        self.person.redact_names();
        self.redact_users();
    }

    fn redact_users(&mut self) {
        self.assigned_by.redact_users();
        self.ended_by.redact_users();
    }
}

impl RedactNames for TagDetails {
    fn redact_names(&mut self) {
        self.person.redact_names();
    }
}

impl RedactNames for TagTest {
    fn redact_names(&mut self) {
        self.person.redact_names();
    }
}

impl RedactNames for Visit {
    fn redact_names(&mut self) {
        self.person.redact_names();
        self.redact_users();
        (self.company, self.notes) = (None, None);
    }

    fn redact_users(&mut self) {
        self.checked_in_by.redact_users();
        self.checked_out_by.redact_users();
    }
}

impl RedactNames for Note {
    fn redact_names(&mut self) {
        self.redact_users();
        self.body = None;
    }

    fn redact_users(&mut self) {
        self.author.redact_users();
    }
}

impl RedactNames for StoredReview {
    fn redact_names(&mut self) {
        self.redact_users();
        self.comment = None;
    }

    fn redact_users(&mut self) {
        self.by.redact_users();
    }
}

impl RedactNames for ReviewedIncursion {
    fn redact_names(&mut self) {
        self.last_review.redact_names();
    }

    fn redact_users(&mut self) {
        self.last_review.redact_users();
    }
}

impl RedactNames for IncursionDetails {
    fn redact_names(&mut self) {
        self.pedestrian.redact_names();
        self.operator.redact_names();
        self.last_review.redact_names();
    }

    fn redact_users(&mut self) {
        self.last_review.redact_users();
    }
}

impl RedactNames for Message {
    fn redact_names(&mut self) {
        self.redact_users();
        self.text = None;
    }

    fn redact_users(&mut self) {
        self.sent_by.redact_users();
    }
}

impl RedactNames for VideoClip {
    fn redact_names(&mut self) {
        self.redact_users();
    }

    fn redact_users(&mut self) {
        self.requested_by.redact_users();
    }
}

impl RedactNames for StationMessage {
    fn redact_names(&mut self) {
        self.redact_users();
        self.body = None;
    }

    fn redact_users(&mut self) {
        self.sent_by.redact_users();
    }
}

impl RedactNames for StationClip {
    fn redact_names(&mut self) {
        self.redact_users();
    }

    fn redact_users(&mut self) {
        self.requested_by.redact_users();
    }
}

impl RedactNames for StationRuntime {
    fn redact_names(&mut self) {
        self.operator.redact_names();
    }
}

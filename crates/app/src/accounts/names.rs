//! Who sees names: the one place that takes them out of what leaves a use case.

use domain::access::ReadNames;
use domain::{EntityType, Permission, PersonId, person};
use store::{
    Assignment, Entity, IncursionDetails, KnownBy, Message, Note, Page, Person, PersonName, Reviewed,
    StationClip, StationMessage, StationRuntime, TagDetails, TagTest, VideoClip, Visit,
};

use crate::{Caller, UserIdentity};

/// Whether names are shown to who asks. To others a person is "Person 123", and free text is left out, since it may name
/// anyone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// They see names.
    Shown,
    /// They do not.
    Hidden,
}

impl Names {
    pub(crate) fn for_user(identity: &UserIdentity) -> Self {
        if identity.may::<ReadNames>() { Self::Shown } else { Self::Hidden }
    }

    /// By what lists of people are searched and sorted.
    pub(crate) fn known_by(self) -> KnownBy {
        match self {
            Self::Shown => KnownBy::Name,
            Self::Hidden => KnownBy::Label,
        }
    }

    /// A record as it may be seen.
    pub(crate) fn in_record<T: Naming>(self, mut record: T) -> T {
        if self == Self::Hidden {
            record.hide_names();
        }
        record
    }

    /// A page of records as it may be seen.
    pub(crate) fn in_page<T: Naming>(self, page: Page<T>) -> Page<T> {
        Page { rows: page.rows.into_iter().map(|row| self.in_record(row)).collect(), next: page.next }
    }
}

impl<P: Permission> Caller<P> {
    /// Whether they see names.
    pub fn names(&self) -> Names {
        Names::for_user(&self.identity)
    }
}

/// A record that names people.
pub(crate) trait Naming {
    /// Takes out what says who they are.
    fn hide_names(&mut self);
}

impl Naming for Person {
    fn hide_names(&mut self) {
        self.name = person::label(self.id);
        (self.employee_id, self.email, self.company) = (None, None, None);
    }
}

impl Naming for Entity {
    fn hide_names(&mut self) {
        if self.entity_type == EntityType::Person {
            self.name = person::label(PersonId(self.id));
        }
    }
}

impl Naming for PersonName {
    fn hide_names(&mut self) {
        self.name = person::label(self.id);
    }
}

impl<T: Naming> Naming for Option<T> {
    fn hide_names(&mut self) {
        if let Some(record) = self {
            record.hide_names();
        }
    }
}

impl Naming for Assignment {
    fn hide_names(&mut self) {
        self.person.hide_names();
    }
}

impl Naming for TagDetails {
    fn hide_names(&mut self) {
        self.person.hide_names();
    }
}

impl Naming for TagTest {
    fn hide_names(&mut self) {
        self.person.hide_names();
    }
}

impl Naming for Visit {
    fn hide_names(&mut self) {
        self.person.hide_names();
        (self.company, self.notes) = (None, None);
    }
}

impl Naming for Note {
    fn hide_names(&mut self) {
        self.author_name = format!("User {}", self.author);
        self.body = None;
    }
}

impl Naming for Reviewed {
    fn hide_names(&mut self) {
        self.user_name = format!("User {}", self.user);
        self.comment = None;
    }
}

impl Naming for IncursionDetails {
    fn hide_names(&mut self) {
        self.pedestrian.hide_names();
        self.operator.hide_names();
        self.reviewed.hide_names();
    }
}

impl Naming for Message {
    fn hide_names(&mut self) {
        self.sender_name = format!("User {}", self.sent_by);
        self.text = None;
    }
}

impl Naming for VideoClip {
    fn hide_names(&mut self) {
        self.requester_name = format!("User {}", self.requested_by);
    }
}

impl Naming for StationMessage {
    fn hide_names(&mut self) {
        self.sent_by.1 = format!("User {}", self.sent_by.0);
        self.body = None;
    }
}

impl Naming for StationClip {
    fn hide_names(&mut self) {
        self.requested_by.1 = format!("User {}", self.requested_by.0);
    }
}

impl Naming for StationRuntime {
    fn hide_names(&mut self) {
        self.operator.hide_names();
    }
}

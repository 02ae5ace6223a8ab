//! Handing tags out and taking them back.

use domain::{AssignmentId, Invalid, PersonId, Serial, TagId};
use serde_json::json;
use store::{Actor, Answer, Assignment, AssignmentFilter, Page, PageRequest, Tag, Tx};

use crate::audit::Act;
use crate::{App, Error, Once, Tester};

/// How a tag is named.
#[derive(Clone, Debug)]
pub enum TagName {
    /// By what stands on it; an unknown one is registered.
    Serial(Serial),
    /// By its id.
    Id(TagId),
}

/// What happens when the tag is out already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfOut {
    /// It is refused.
    Refuse,
    /// The other assignment ends.
    Replace,
}

impl TagName {
    /// The field of the body that named it.
    pub(crate) fn field(&self) -> &'static str {
        match self {
            Self::Serial(_) => "tag_serial",
            Self::Id(_) => "tag_id",
        }
    }
}

impl App {
    /// One page of assignments, the newest first, with how many there are if that is asked for.
    pub async fn list_tag_assignments(
        &self,
        tester: &Tester,
        filter: &AssignmentFilter,
        page: &PageRequest,
        include_total: bool,
    ) -> Result<(Page<Assignment>, Option<i64>), Error> {
        let mut tx = self.store.read().await?;
        let found = tx.tag_assignments(&tester.scope).page(filter, page).await?;
        let total =
            if include_total { Some(tx.tag_assignments(&tester.scope).count(filter).await?) } else { None };
        Ok((found, total))
    }

    /// One assignment of the brand.
    pub async fn find_tag_assignment(&self, tester: &Tester, id: AssignmentId) -> Result<Assignment, Error> {
        let found = self.store.read().await?.tag_assignments(&tester.scope).find(id).await?;
        found.ok_or_else(|| Error::not_found("tag assignment"))
    }

    /// Gives a tag to a person from now on.
    pub async fn assign_tag(
        &self,
        tester: &Tester,
        (tag, person): (&TagName, PersonId),
        if_out: IfOut,
        once: Once<'_, Assignment>,
    ) -> Result<Answer, Error> {
        self.once(once, async |tx| {
            // The brand's number first, here and wherever tags change hands: its lock keeps them in one order.
            tx.raise_registry_version(&tester.scope).await?;
            let found = self.tag_to_assign(tx, tester, tag).await?;
            self.assign(tx, tester, (&found, tag.field()), person, if_out).await
        })
        .await
    }

    /// Ends an assignment. Ending it twice is fine, and changes nothing.
    pub async fn end_tag_assignment(&self, tester: &Tester, id: AssignmentId) -> Result<Assignment, Error> {
        let mut tx = self.store.begin().await?;
        tx.raise_registry_version(&tester.scope).await?;
        let missing = || Error::not_found("tag assignment");
        let found = tx.tag_assignments(&tester.scope).find(id).await?.ok_or_else(missing)?;
        if !self.end(&mut tx, tester, &found).await? {
            return Ok(found);
        }
        let ended = tx.tag_assignments(&tester.scope).find(id).await?.ok_or_else(missing)?;
        tx.commit().await?;
        Ok(ended)
    }

    /// Finds the tag and locks it, so that no one else hands it out meanwhile.
    pub(crate) async fn tag_to_assign(
        &self,
        tx: &mut Tx,
        tester: &Tester,
        tag: &TagName,
    ) -> Result<Tag, Error> {
        let found = match tag {
            TagName::Serial(serial) => Some(tx.tags(&tester.scope).ensure(serial, self.clock.now()).await?),
            TagName::Id(id) => tx.tags(&tester.scope).find_locked(*id).await?,
        };
        let refused = |code, text| Error::invalid_field(tag.field(), Invalid::new(code, text));
        let tag = found.ok_or_else(|| refused("unknown_tag", "is not a tag of this brand"))?;
        if tag.retired_at.is_some() {
            return Err(refused("tag_retired", "has been taken out of use"));
        }
        Ok(tag)
    }

    /// Gives a locked tag to a person; `field` is the field of the body that named the tag.
    pub(crate) async fn assign(
        &self,
        tx: &mut Tx,
        tester: &Tester,
        (tag, field): (&Tag, &str),
        person: PersonId,
        if_out: IfOut,
    ) -> Result<Assignment, Error> {
        let refused = |code, text: String| Error::invalid_field("person_id", Invalid::new(code, text));
        let found = tx.people(&tester.scope).find(person).await?;
        let found =
            found.ok_or_else(|| refused("unknown_person", "is not a person of this brand".to_owned()))?;
        if found.archived_at.is_some() {
            return Err(refused("person_archived", "has been archived".to_owned()));
        }
        let mut now = self.clock.now();
        if let Some(open) = tx.tag_assignments(&tester.scope).open_of(tag.id).await? {
            if if_out == IfOut::Refuse {
                let text = format!(
                    "{} is out already, since {}; replace it with replace: true",
                    tag.serial, open.assigned_at
                );
                return Err(Error::invalid_field(field, Invalid::new("tag_already_assigned", text)));
            }
            self.end(tx, tester, &open).await?;
            // The clocks of hosts differ: nothing begins before what it replaces.
            now = now.max(open.assigned_at);
        }
        let made = tx.tag_assignments(&tester.scope).add(tag.id, person, &by(tester), now).await?;
        self.record(
            tx,
            Act::of_tester(tester)
                .on("tag_assignment.created", "tag_assignment", made.id.0)
                .with(json!({ "tag_id": made.tag, "person_id": made.person })),
        )
        .await?;
        Ok(made)
    }

    /// Ends an assignment if it is open, and tells whether it was.
    pub(crate) async fn end(&self, tx: &mut Tx, tester: &Tester, open: &Assignment) -> Result<bool, Error> {
        if !tx.tag_assignments(&tester.scope).end(open.id, &by(tester), self.clock.now()).await? {
            return Ok(false);
        }
        self.record(
            tx,
            Act::of_tester(tester)
                .on("tag_assignment.ended", "tag_assignment", open.id.0)
                .with(json!({ "tag_id": open.tag, "person_id": open.person })),
        )
        .await?;
        Ok(true)
    }
}

/// A tester device as the one who did something.
pub(crate) fn by(tester: &Tester) -> Actor {
    Actor { kind: "tester_device".to_owned(), id: tester.device.0 }
}

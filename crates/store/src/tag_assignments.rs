//! Who wears which tag, from when to when.

use domain::{AssignmentId, PersonId, PersonKind, TagId, Timestamp};

use crate::page::{self, Count, Keyed, Page, PageRequest};
use crate::row::{FromRow, Id, Row};
use crate::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

/// Who did something at a desk or a kiosk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// `user`, `tester_device` or `service`.
    pub kind: String,
    /// Which of them.
    pub id: i64,
}

/// An assignment, with what it joins.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// Its id.
    pub id: AssignmentId,
    /// The tag.
    pub tag: TagId,
    /// What stands on the tag.
    pub tag_serial: String,
    /// The person.
    pub person: PersonId,
    /// What they are called.
    pub person_name: String,
    /// Why they are on site.
    pub person_kind: PersonKind,
    /// Since when.
    pub assigned_at: Timestamp,
    /// By whom.
    pub assigned_by: Actor,
    /// Until when; none while it is open.
    pub ended_at: Option<Timestamp>,
    /// By whom it was ended.
    pub ended_by: Option<Actor>,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// Which assignments are asked for.
#[derive(Clone, Debug, Default)]
pub struct AssignmentFilter {
    /// Only open ones, or only ended ones.
    pub open: Option<bool>,
    /// Only of this person.
    pub person: Option<PersonId>,
    /// Only of this tag.
    pub tag: Option<TagId>,
}

const COLUMNS: &str = "select a.id, a.tag_id, t.serial, a.person_id, p.name, p.kind, a.assigned_at,
    a.assigned_by_kind, a.assigned_by_id, a.ended_at, a.ended_by_kind, a.ended_by_id, a.created_at, a.updated_at
    from tag_assignments a join tags t on t.id = a.tag_id join people p on p.id = a.person_id";

impl FromRow for Assignment {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            id: row.get("id")?,
            tag: row.get("tag_id")?,
            tag_serial: row.get("serial")?,
            person: row.get("person_id")?,
            person_name: row.get("name")?,
            person_kind: row.word("kind", PersonKind::parse)?,
            assigned_at: row.get("assigned_at")?,
            assigned_by: Actor { kind: row.get("assigned_by_kind")?, id: row.get("assigned_by_id")? },
            ended_at: row.get("ended_at")?,
            ended_by: row.actor("ended_by_kind", "ended_by_id")?,
            created_at: row.get("created_at")?,
            updated_at: row.get("updated_at")?,
        })
    }
}

impl Keyed for Assignment {
    fn key(&self) -> (&str, i64) {
        ("", self.id.0)
    }
}

/// The assignments of a brand.
pub struct TagAssignments<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    /// The assignments of a brand.
    pub fn tag_assignments<'a>(&'a mut self, scope: &'a Scope) -> TagAssignments<'a> {
        TagAssignments(self, scope)
    }
}

impl TagAssignments<'_> {
    /// Opens one; [`Error::Duplicate`] if the tag has an open one.
    pub async fn add(
        &mut self,
        tag: TagId,
        person: PersonId,
        by: &Actor,
        now: Timestamp,
    ) -> Result<Assignment, Error> {
        let Id(id) = self
            .0
            .one(sql!(
                "insert into tag_assignments (brand_id, tag_id, person_id, assigned_at, assigned_by_kind,
                     assigned_by_id, created_at, updated_at)
                 values ($1, $2, $3, $4, $5, $6, $4, $4) returning id",
                self.1.brand(),
                tag,
                person,
                now,
                by.kind.as_str(),
                by.id
            ))
            .await?;
        self.find(id).await?.ok_or(Error::Engine(sqlx::Error::RowNotFound))
    }

    /// The one of that id.
    pub async fn find(&mut self, id: AssignmentId) -> Result<Option<Assignment>, Error> {
        self.0
            .optional(
                sql!(COLUMNS)
                    .push_with(" where a.brand_id = $? and a.id = $?", [self.1.brand().into(), id.into()]),
            )
            .await
    }

    /// The open one of a tag.
    pub async fn open_of(&mut self, tag: TagId) -> Result<Option<Assignment>, Error> {
        self.0
            .optional(sql!(COLUMNS).push_with(
                " where a.brand_id = $? and a.tag_id = $? and a.ended_at is null",
                [self.1.brand().into(), tag.into()],
            ))
            .await
    }

    /// Ends one that is open, not before it began whatever this host's clock says; tells whether it was open.
    pub async fn end(&mut self, id: AssignmentId, by: &Actor, now: Timestamp) -> Result<bool, Error> {
        let ended = self
            .0
            .execute(sql!(
                "update tag_assignments set ended_at = case when $3 > assigned_at then $3 else assigned_at end,
                     ended_by_kind = $4, ended_by_id = $5, updated_at = $3
                 where brand_id = $1 and id = $2 and ended_at is null",
                self.1.brand(),
                id,
                now,
                by.kind.as_str(),
                by.id
            ))
            .await?;
        Ok(ended > 0)
    }

    /// One page, the newest first.
    pub async fn page(
        &mut self,
        filter: &AssignmentFilter,
        page: &PageRequest,
    ) -> Result<Page<Assignment>, Error> {
        let list = format!("tag_assignments {filter:?}");
        let statement = self.filtered(sql!(COLUMNS), filter);
        let order = (" and a.id < $?", " order by a.id desc");
        let rows = self.0.all(page::newest_first(statement, order, &list, page)?).await?;
        Ok(page::cut(rows, &list, page))
    }

    /// How many the filter finds.
    pub async fn count(&mut self, filter: &AssignmentFilter) -> Result<i64, Error> {
        let statement = self.filtered(sql!("select count(*) as count from tag_assignments a"), filter);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn filtered(&self, statement: Statement, filter: &AssignmentFilter) -> Statement {
        let mut statement = statement.push_with(" where a.brand_id = $?", [self.1.brand().into()]);
        statement = match filter.open {
            Some(true) => statement.push(" and a.ended_at is null"),
            Some(false) => statement.push(" and a.ended_at is not null"),
            None => statement,
        };
        if let Some(person) = filter.person {
            statement = statement.push_with(" and a.person_id = $?", [person.into()]);
        }
        if let Some(tag) = filter.tag {
            statement = statement.push_with(" and a.tag_id = $?", [tag.into()]);
        }
        statement
    }
}

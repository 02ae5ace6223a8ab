//! Visitors' stays, from check-in to check-out.

use domain::{AssignmentId, PersonId, PersonKind, TagId, Timestamp, VisitId};

use crate::page::{self, Count, Keyed, Page, PageRequest};
use crate::row::{FromRow, Id, Row};
use crate::statement::{Statement, sql};
use crate::tag_assignments::Actor;
use crate::{Error, Scope, Tx};

/// A stay, with what it joins.
#[derive(Clone, Debug)]
pub struct Visit {
    /// Its id.
    pub id: VisitId,
    /// Who.
    pub person: PersonId,
    /// What they are called.
    pub person_name: String,
    /// Why they are on site.
    pub person_kind: PersonKind,
    /// The assignment of the tag they got.
    pub assignment: AssignmentId,
    /// The tag.
    pub tag: TagId,
    /// What stands on the tag.
    pub tag_serial: String,
    /// For whom they came.
    pub company: Option<String>,
    /// What was said at the desk.
    pub notes: Option<String>,
    /// Until when they meant to stay.
    pub expected_until: Option<Timestamp>,
    /// Since when.
    pub checked_in_at: Timestamp,
    /// By whom.
    pub checked_in_by: Actor,
    /// Until when; none while they are here.
    pub checked_out_at: Option<Timestamp>,
    /// By whom they were checked out.
    pub checked_out_by: Option<Actor>,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// What a stay begins with.
#[derive(Clone, Debug)]
pub struct NewVisit {
    /// Who.
    pub person: PersonId,
    /// The assignment of the tag they got.
    pub assignment: AssignmentId,
    /// For whom they came.
    pub company: Option<String>,
    /// What was said at the desk.
    pub notes: Option<String>,
    /// Until when they mean to stay.
    pub expected_until: Option<Timestamp>,
}

/// Which stays are asked for.
#[derive(Clone, Debug, Default)]
pub struct VisitFilter {
    /// Only those who are here, or only those who have gone.
    pub active: Option<bool>,
}

const COLUMNS: &str =
    "select v.id, v.person_id, p.name, p.kind, v.tag_assignment_id, a.tag_id, t.serial, v.company,
    v.notes, v.expected_until, v.checked_in_at, v.checked_in_by_kind, v.checked_in_by_id, v.checked_out_at,
    v.checked_out_by_kind, v.checked_out_by_id, v.created_at, v.updated_at
    from visitor_sessions v join people p on p.id = v.person_id
    join tag_assignments a on a.id = v.tag_assignment_id join tags t on t.id = a.tag_id";

impl FromRow for Visit {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            id: row.get("id")?,
            person: row.get("person_id")?,
            person_name: row.get("name")?,
            person_kind: row.word("kind", PersonKind::parse)?,
            assignment: row.get("tag_assignment_id")?,
            tag: row.get("tag_id")?,
            tag_serial: row.get("serial")?,
            company: row.get("company")?,
            notes: row.get("notes")?,
            expected_until: row.get("expected_until")?,
            checked_in_at: row.get("checked_in_at")?,
            checked_in_by: Actor { kind: row.get("checked_in_by_kind")?, id: row.get("checked_in_by_id")? },
            checked_out_at: row.get("checked_out_at")?,
            checked_out_by: row.actor("checked_out_by_kind", "checked_out_by_id")?,
            created_at: row.get("created_at")?,
            updated_at: row.get("updated_at")?,
        })
    }
}

impl Keyed for Visit {
    fn key(&self) -> (&str, i64) {
        ("", self.id.0)
    }
}

/// The stays of a brand's visitors.
pub struct VisitorSessions<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    /// The stays of a brand's visitors.
    pub fn visitor_sessions<'a>(&'a mut self, scope: &'a Scope) -> VisitorSessions<'a> {
        VisitorSessions(self, scope)
    }
}

impl VisitorSessions<'_> {
    /// Begins one; [`Error::Duplicate`] if the person is here already.
    pub async fn add(&mut self, new: &NewVisit, by: &Actor, now: Timestamp) -> Result<Visit, Error> {
        let Id(id) = self
            .0
            .one(sql!(
                "insert into visitor_sessions (brand_id, person_id, tag_assignment_id, company, notes,
                     expected_until, checked_in_at, checked_in_by_kind, checked_in_by_id, created_at, updated_at)
                 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $7, $7) returning id",
                self.1.brand(),
                new.person,
                new.assignment,
                new.company.as_deref(),
                new.notes.as_deref(),
                new.expected_until,
                now,
                by.kind.as_str(),
                by.id
            ))
            .await?;
        self.find(id).await?.ok_or(Error::Engine(sqlx::Error::RowNotFound))
    }

    /// The one of that id.
    pub async fn find(&mut self, id: VisitId) -> Result<Option<Visit>, Error> {
        self.0
            .optional(
                sql!(COLUMNS)
                    .push_with(" where v.brand_id = $? and v.id = $?", [self.1.brand().into(), id.into()]),
            )
            .await
    }

    /// Ends one that is active, not before it began whatever this host's clock says; tells whether it was active.
    pub async fn end(&mut self, id: VisitId, by: &Actor, now: Timestamp) -> Result<bool, Error> {
        let ended = self
            .0
            .execute(sql!(
                "update visitor_sessions set
                     checked_out_at = case when $3 > checked_in_at then $3 else checked_in_at end,
                     checked_out_by_kind = $4,
                     checked_out_by_id = $5, updated_at = $3
                 where brand_id = $1 and id = $2 and checked_out_at is null",
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
    pub async fn page(&mut self, filter: &VisitFilter, page: &PageRequest) -> Result<Page<Visit>, Error> {
        let list = format!("visitor_sessions {filter:?}");
        let statement = self.filtered(sql!(COLUMNS), filter);
        let order = (" and v.id < $?", " order by v.id desc");
        let rows = self.0.all(page::newest_first(statement, order, &list, page)?).await?;
        Ok(page::cut(rows, &list, page))
    }

    /// How many the filter finds.
    pub async fn count(&mut self, filter: &VisitFilter) -> Result<i64, Error> {
        let statement = self.filtered(sql!("select count(*) as count from visitor_sessions v"), filter);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn filtered(&self, statement: Statement, filter: &VisitFilter) -> Statement {
        let statement = statement.push_with(" where v.brand_id = $?", [self.1.brand().into()]);
        match filter.active {
            Some(true) => statement.push(" and v.checked_out_at is null"),
            Some(false) => statement.push(" and v.checked_out_at is not null"),
            None => statement,
        }
    }
}

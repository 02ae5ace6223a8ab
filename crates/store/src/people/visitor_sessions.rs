//! Visits, from check-in to check-out.

use domain::{
    Actor, DeviceId, Page, PageRequest, PersonId, TagAssignmentId, Timestamp, Visit, VisitFilter, VisitId,
    WorksiteId, WorksiteName,
};

use crate::engine::page::{self, Count, Keyed};
use crate::engine::row::{FromColumns, Id, Row};
use crate::engine::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

#[derive(Clone, Debug)]
pub struct NewVisit {
    pub person: PersonId,
    /// The assignment of the tag that the visitor gets.
    pub assignment: TagAssignmentId,
    pub worksite: Option<WorksiteId>,
    /// The company that the visitor represents.
    pub company: Option<String>,
    /// Notes made at the reception desk.
    pub notes: Option<String>,
    /// Time until which the visitor means to stay.
    pub expected_until: Option<Timestamp>,
}

/// The corrected values of a visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisitValues {
    pub worksite: Option<WorksiteId>,
    /// The company that the visitor represents.
    pub company: Option<String>,
    /// Notes made at the reception desk.
    pub notes: Option<String>,
    /// Time until which the visitor meant to stay.
    pub expected_until: Option<Timestamp>,
    pub checked_in_at: Timestamp,
    /// The time and the actor of the check-out, or none while the visit is open.
    pub checked_out: Option<(Timestamp, Actor)>,
}

/// The project of a visit: the one that its worksite belonged to at the check-in.
pub(crate) const PROJECT_AT_CHECK_IN: &str = "(select s.project_id from (
    select m.project_id, m.from_at from worksite_terms m
    where m.worksite_id = v.worksite_id and m.from_at <= v.checked_in_at
    union all select o.project_id, -1 from worksites o where o.id = v.worksite_id) s
    order by s.from_at desc limit 1)";

const COLUMNS: &str =
    "select v.id, v.person_id, p.name, p.kind, v.worksite_id, w.name as worksite_name, v.tag_assignment_id, a.tag_id,
    t.serial, v.company, v.notes, v.expected_until, v.checked_in_at, v.checked_in_by_kind, v.checked_in_by_id,
    v.checked_out_at, v.checked_out_by_kind, v.checked_out_by_id, v.version, v.created_at, v.updated_at
    from visitor_sessions v join people p on p.id = v.person_id
    join tag_assignments a on a.id = v.tag_assignment_id join tags t on t.id = a.tag_id
    left join worksites w on w.id = v.worksite_id";

/// None if the visit has no worksite.
impl FromColumns<2> for Option<WorksiteName> {
    fn from_columns(row: &Row, columns: [&'static str; 2]) -> Result<Self, Error> {
        let worksite: Option<(WorksiteId, String)> = row.get_columns(columns)?;
        Ok(worksite.map(|(id, name)| WorksiteName { id, name }))
    }
}

impl Keyed for Visit {
    fn key(&self) -> (&str, i64) {
        ("", self.id.0)
    }
}

/// The visits of a brand that are visible in the scope.
pub struct VisitorSessions<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn visitor_sessions<'a>(&'a mut self, scope: &'a Scope) -> VisitorSessions<'a> {
        VisitorSessions(self, scope)
    }
}

#[macros::boxed]
impl VisitorSessions<'_> {
    /// Begins a visit; [`Error::Duplicate`] if the person has an open one.
    pub async fn add(&mut self, new: &NewVisit, by: &Actor, now: Timestamp) -> Result<Visit, Error> {
        let Id(id) = self
            .0
            .one(sql!(
                "insert into visitor_sessions (brand_id, person_id, tag_assignment_id, company, notes,
                     expected_until, checked_in_at, checked_in_by_kind, checked_in_by_id, worksite_id, created_at,
                     updated_at)
                 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $7, $7) returning id",
                self.1.brand(),
                new.person,
                new.assignment,
                new.company.as_deref(),
                new.notes.as_deref(),
                new.expected_until,
                now,
                by.kind.as_str(),
                by.id,
                new.worksite
            ))
            .await?;
        self.find(id).await?.ok_or(Error::Engine(sqlx::Error::RowNotFound))
    }

    pub async fn find(&mut self, id: VisitId) -> Result<Option<Visit>, Error> {
        self.0
            .optional(
                sql!(COLUMNS)
                    .push_with(" where v.brand_id = $? and v.id = $?", [self.1.brand().into(), id.into()])
                    .and_in_projects(self.1.projects(), PROJECT_AT_CHECK_IN),
            )
            .await
    }

    /// Finds the visit of a tag assignment, whether it is visible in the scope or not.
    pub async fn of_assignment(&mut self, assignment: TagAssignmentId) -> Result<Option<Visit>, Error> {
        self.0
            .optional(sql!(COLUMNS).push_with(
                " where v.brand_id = $? and v.tag_assignment_id = $?",
                [self.1.brand().into(), assignment.into()],
            ))
            .await
    }

    /// Finds the open visit of a person, whether it is visible in the scope or not.
    pub async fn active_of(&mut self, person: PersonId) -> Result<Option<Visit>, Error> {
        self.0
            .optional(sql!(COLUMNS).push_with(
                " where v.brand_id = $? and v.person_id = $? and v.checked_out_at is null",
                [self.1.brand().into(), person.into()],
            ))
            .await
    }

    /// Ends an open visit, never before its check-in, whatever this host's clock says. Returns whether it was open.
    pub async fn end(
        &mut self,
        id: VisitId,
        by: &Actor,
        (at, now): (Timestamp, Timestamp),
    ) -> Result<bool, Error> {
        let ended = self
            .0
            .execute(sql!(
                "update visitor_sessions set
                     checked_out_at = case when $3 > checked_in_at then $3 else checked_in_at end,
                     checked_out_by_kind = $4, checked_out_by_id = $5, updated_at = $6, version = version + 1
                 where brand_id = $1 and id = $2 and checked_out_at is null",
                self.1.brand(),
                id,
                at,
                by.kind.as_str(),
                by.id,
                now
            ))
            .await?;
        Ok(ended > 0)
    }

    /// Corrects a visit that was found in this transaction; [`Error::Duplicate`] if the person has another open one.
    pub async fn correct(&mut self, id: VisitId, to: &VisitValues, now: Timestamp) -> Result<(), Error> {
        let by = to.checked_out.as_ref().map(|(_, by)| by);
        self.0
            .execute(sql!(
                "update visitor_sessions set worksite_id = $3, company = $4, notes = $5, expected_until = $6,
                     checked_in_at = $7, checked_out_at = $8, checked_out_by_kind = $9, checked_out_by_id = $10,
                     updated_at = $11, version = version + 1
                 where brand_id = $1 and id = $2",
                self.1.brand(),
                id,
                to.worksite,
                to.company.as_deref(),
                to.notes.as_deref(),
                to.expected_until,
                to.checked_in_at,
                to.checked_out.as_ref().map(|(at, _)| *at),
                by.map(|by| by.kind.as_str()),
                by.and_then(|by| by.id),
                now
            ))
            .await?;
        Ok(())
    }

    /// Deletes the company and the notes from all visits of a person.
    pub async fn erase_person(&mut self, person: PersonId) -> Result<u64, Error> {
        self.0
            .execute(sql!(
                "update visitor_sessions set company = null, notes = null, version = version + 1
                 where brand_id = $1 and person_id = $2 and (company is not null or notes is not null)",
                self.1.brand(),
                person
            ))
            .await
    }

    /// Returns the worksite of a tester device.
    pub async fn worksite_of_device(&mut self, device: DeviceId) -> Result<Option<WorksiteId>, Error> {
        let found: Option<Id<WorksiteId>> = self
            .0
            .optional(sql!(
                "select w.id from tester_devices d join worksites w on w.id = d.worksite_id
                 where d.brand_id = $1 and d.id = $2",
                self.1.brand(),
                device
            ))
            .await?;
        Ok(found.map(|Id(id)| id))
    }

    /// Whether the worksite is visible in the scope and not archived.
    pub async fn has_worksite(&mut self, id: WorksiteId) -> Result<bool, Error> {
        let found: Option<Id<WorksiteId>> = self
            .0
            .optional(
                sql!("select id from worksites where brand_id = $1 and id = $2 and archived_at is null")
                    .bind(self.1.brand())
                    .bind(id)
                    .and_in_projects(self.1.projects(), "project_id"),
            )
            .await?;
        Ok(found.is_some())
    }

    /// Returns one page, newest first.
    pub async fn page(&mut self, filter: &VisitFilter, page: &PageRequest) -> Result<Page<Visit>, Error> {
        let list = format!("visitor_sessions {filter:?}");
        let statement = self.filtered(sql!(COLUMNS), filter);
        let order = (" and v.id < $?", " order by v.id desc");
        let rows = self.0.all(page::order_by_id(statement, order, &list, page)?).await?;
        Ok(page::into_page(rows, &list, page))
    }

    /// Counts the visits that match the filter.
    pub async fn count(&mut self, filter: &VisitFilter) -> Result<i64, Error> {
        let statement = self.filtered(sql!("select count(*) as count from visitor_sessions v"), filter);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn filtered(&self, statement: Statement, filter: &VisitFilter) -> Statement {
        let mut statement = statement
            .push_with(" where v.brand_id = $?", [self.1.brand().into()])
            .and_in_projects(self.1.projects(), PROJECT_AT_CHECK_IN)
            .push(match filter.active {
                Some(true) => " and v.checked_out_at is null",
                Some(false) => " and v.checked_out_at is not null",
                None => "",
            });
        let numbers = [
            (" and v.worksite_id = $?", filter.worksite.map(|id| id.0)),
            (" and v.person_id = $?", filter.person.map(|id| id.0)),
            (" and v.checked_in_at >= $?", filter.from.map(Timestamp::micros)),
            (" and v.checked_in_at < $?", filter.to.map(Timestamp::micros)),
        ];
        for (condition, number) in numbers {
            if let Some(number) = number {
                statement = statement.push_with(condition, [number.into()]);
            }
        }
        statement
    }
}

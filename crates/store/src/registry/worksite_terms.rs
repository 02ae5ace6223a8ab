//! Worksite terms: the boundary, time zone and project of a worksite from one time until the next term.

use domain::{Page, PageRequest, ProjectId, StoredBoundary, TimeZone, Timestamp, WorksiteId, WorksiteTerm};

use crate::engine::page::{self, Count, Keyed};
use crate::engine::statement::sql;
use crate::{Error, Scope, Tx};

/// A boundary of a worksite during a period.
#[derive(Clone, Debug, macros::FromRow)]
pub struct DatedBoundary {
    #[row(column = "worksite_id")]
    pub worksite: WorksiteId,
    #[row(column = "from_at")]
    pub from: Timestamp,
    /// The end, exclusive; none for the last term.
    #[row(column = "to_at")]
    pub to: Option<Timestamp>,
    #[row(flatten)]
    pub boundary: StoredBoundary,
}

/// A change of all terms from a time on; fields that are none stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TermChange {
    pub time_zone: Option<TimeZone>,
    /// `Some(None)` removes the boundary.
    pub boundary: Option<Option<StoredBoundary>>,
    /// `Some(None)` removes the project.
    pub project: Option<Option<ProjectId>>,
}

const COLUMNS: &str = "select t.id, t.from_at, t.time_zone, t.project_id, t.area_m2, t.created_at, t.updated_at,
    (select min(n.from_at) from worksite_terms n where n.worksite_id = t.worksite_id and n.from_at > t.from_at) as to_at
    from worksite_terms t";

const BOUNDARIES: &str = "select t.worksite_id, t.from_at, t.boundary, t.area_m2,
    (select min(n.from_at) from worksite_terms n where n.worksite_id = t.worksite_id and n.from_at > t.from_at) as to_at
    from worksite_terms t";

impl Keyed for WorksiteTerm {
    fn key(&self) -> (&str, i64) {
        ("", self.from.micros())
    }
}

/// The terms of a brand's worksites. The caller must have checked that the worksite is visible.
pub struct WorksiteTerms<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn worksite_terms<'a>(&'a mut self, scope: &'a Scope) -> WorksiteTerms<'a> {
        WorksiteTerms(self, scope)
    }
}

#[macros::boxed]
impl WorksiteTerms<'_> {
    /// Adds the first term of a worksite.
    pub async fn add(
        &mut self,
        worksite: WorksiteId,
        from: Timestamp,
        time_zone: &TimeZone,
        boundary: Option<&StoredBoundary>,
        project: Option<ProjectId>,
        now: Timestamp,
    ) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "insert into worksite_terms (brand_id, worksite_id, from_at, time_zone, boundary, area_m2, project_id,
                     created_at, updated_at)
                 values ($1, $2, $3, $4, $5, $6, $7, $8, $8)",
                self.1.brand(),
                worksite,
                from,
                time_zone.as_str(),
                boundary.map(|boundary| boundary.text.as_str()),
                boundary.map(|boundary| boundary.area_m2),
                project,
                now
            ))
            .await?;
        Ok(())
    }

    /// Returns the term in force at a time, by which the events of that time are attributed.
    pub async fn at(&mut self, worksite: WorksiteId, at: Timestamp) -> Result<Option<WorksiteTerm>, Error> {
        self.0
            .optional(sql!(COLUMNS).push_with(
                " where t.brand_id = $? and t.worksite_id = $? and t.from_at <= $? order by t.from_at desc limit 1",
                [self.1.brand().into(), worksite.into(), at.into()],
            ))
            .await
    }

    /// Returns the boundary in force at a time.
    pub async fn boundary_at(
        &mut self,
        worksite: WorksiteId,
        at: Timestamp,
    ) -> Result<Option<StoredBoundary>, Error> {
        #[derive(macros::FromRow)]
        struct Found(#[row(flatten)] Option<StoredBoundary>);
        let found: Option<Found> = self
            .0
            .optional(sql!(BOUNDARIES).push_with(
                " where t.brand_id = $? and t.worksite_id = $? and t.from_at <= $? order by t.from_at desc limit 1",
                [self.1.brand().into(), worksite.into(), at.into()],
            ))
            .await?;
        Ok(found.and_then(|Found(boundary)| boundary))
    }

    pub async fn first(&mut self, worksite: WorksiteId) -> Result<Option<WorksiteTerm>, Error> {
        self.0
            .optional(sql!(COLUMNS).push_with(
                " where t.brand_id = $? and t.worksite_id = $? order by t.from_at limit 1",
                [self.1.brand().into(), worksite.into()],
            ))
            .await
    }

    /// Returns the last term, which is the current one.
    pub async fn last(&mut self, worksite: WorksiteId) -> Result<Option<WorksiteTerm>, Error> {
        self.0
            .optional(sql!(COLUMNS).push_with(
                " where t.brand_id = $? and t.worksite_id = $? order by t.from_at desc limit 1",
                [self.1.brand().into(), worksite.into()],
            ))
            .await
    }

    /// Returns the terms that start at a time or later, oldest first.
    pub async fn since(&mut self, worksite: WorksiteId, at: Timestamp) -> Result<Vec<WorksiteTerm>, Error> {
        self.0
            .all(sql!(COLUMNS).push_with(
                " where t.brand_id = $? and t.worksite_id = $? and t.from_at >= $? order by t.from_at",
                [self.1.brand().into(), worksite.into(), at.into()],
            ))
            .await
    }

    /// Inserts a term that starts at `at`, as a copy of the term that starts at `copied`.
    pub async fn split(
        &mut self,
        worksite: WorksiteId,
        copied: Timestamp,
        at: Timestamp,
        now: Timestamp,
    ) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "insert into worksite_terms (brand_id, worksite_id, from_at, time_zone, boundary, area_m2, project_id,
                     created_at, updated_at)
                 select brand_id, worksite_id, $4, time_zone, boundary, area_m2, project_id, $5, $5
                 from worksite_terms where brand_id = $1 and worksite_id = $2 and from_at = $3",
                self.1.brand(),
                worksite,
                copied,
                at,
                now
            ))
            .await?;
        Ok(())
    }

    /// Changes all terms that start at a time or later, and returns the number of changes; a term counts once for each field.
    pub async fn set(
        &mut self,
        worksite: WorksiteId,
        at: Timestamp,
        change: &TermChange,
        now: Timestamp,
    ) -> Result<u64, Error> {
        let brand = self.1.brand();
        let mut changed = 0;
        if let Some(time_zone) = &change.time_zone {
            changed += self
                .0
                .execute(sql!(
                    "update worksite_terms set time_zone = $4, updated_at = $5
                     where brand_id = $1 and worksite_id = $2 and from_at >= $3 and time_zone <> $4",
                    brand,
                    worksite,
                    at,
                    time_zone.as_str(),
                    now
                ))
                .await?;
        }
        if let Some(boundary) = &change.boundary {
            changed += self
                .0
                .execute(sql!(
                    "update worksite_terms set boundary = $4, area_m2 = $5, updated_at = $6
                     where brand_id = $1 and worksite_id = $2 and from_at >= $3 and boundary is distinct from $4",
                    brand,
                    worksite,
                    at,
                    boundary.as_ref().map(|boundary| boundary.text.as_str()),
                    boundary.as_ref().map(|boundary| boundary.area_m2),
                    now
                ))
                .await?;
        }
        if let Some(project) = change.project {
            changed += self
                .0
                .execute(sql!(
                    "update worksite_terms set project_id = $4, updated_at = $5
                     where brand_id = $1 and worksite_id = $2 and from_at >= $3 and project_id is distinct from $4",
                    brand,
                    worksite,
                    at,
                    project,
                    now
                ))
                .await?;
        }
        Ok(changed)
    }

    /// Deletes terms that are equal to the one before.
    pub async fn merge(&mut self, worksite: WorksiteId) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "delete from worksite_terms where brand_id = $1 and worksite_id = $2 and id in (
                     select t.id from worksite_terms t join worksite_terms b on b.worksite_id = t.worksite_id
                         and b.from_at = (select max(m.from_at) from worksite_terms m
                                          where m.worksite_id = t.worksite_id and m.from_at < t.from_at)
                     where t.worksite_id = $2 and t.time_zone = b.time_zone
                         and t.boundary is not distinct from b.boundary
                         and t.project_id is not distinct from b.project_id)",
                self.1.brand(),
                worksite
            ))
            .await?;
        Ok(())
    }

    /// Returns the boundaries of one worksite, or of all, over time. Those of an archived worksite end when it was archived.
    pub async fn boundaries(&mut self, of: Option<WorksiteId>) -> Result<Vec<DatedBoundary>, Error> {
        let statement = sql!(
            "select t.worksite_id, t.from_at, t.boundary, t.area_m2,
                 case when w.archived_at < t.to_at then w.archived_at else coalesce(t.to_at, w.archived_at) end as to_at
             from ("
        )
        .push(BOUNDARIES)
        .push_with(
            " where t.boundary is not null and t.brand_id = $?) as t join worksites w on w.id = t.worksite_id
             where (w.archived_at is null or w.archived_at > t.from_at)",
            [self.1.brand().into()],
        );
        let statement = match of {
            Some(worksite) => statement.push_with(" and t.worksite_id = $?", [worksite.into()]),
            None => statement,
        };
        self.0.all(statement).await
    }

    /// Returns a page of a worksite's terms, newest first.
    pub async fn page(
        &mut self,
        worksite: WorksiteId,
        page: &PageRequest,
    ) -> Result<Page<WorksiteTerm>, Error> {
        let list = format!("worksite_terms {worksite}");
        let statement = sql!(COLUMNS).push_with(
            " where t.brand_id = $? and t.worksite_id = $?",
            [self.1.brand().into(), worksite.into()],
        );
        let order = (" and t.from_at < $?", " order by t.from_at desc");
        let rows = self.0.all(page::order_by_id(statement, order, &list, page)?).await?;
        Ok(page::into_page(rows, &list, page))
    }

    pub async fn count(&mut self, worksite: WorksiteId) -> Result<i64, Error> {
        let Count(count) = self
            .0
            .one(sql!(
                "select count(*) as count from worksite_terms where brand_id = $1 and worksite_id = $2",
                self.1.brand(),
                worksite
            ))
            .await?;
        Ok(count)
    }
}

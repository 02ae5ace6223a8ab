//! Machine assignments: the dated links between machines and worksites.

use domain::{MachineAssignment, MachineAssignmentId, MachineId, Page, PageRequest, Timestamp, WorksiteId};

use crate::engine::page::{self, Count, Keyed};
use crate::engine::row::Id;
use crate::engine::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

const COLUMNS: &str =
    "select a.id, a.machine_id, m.name, a.worksite_id, a.from_at, a.to_at, a.created_at, a.updated_at
    from machine_assignments a join machines m on m.id = a.machine_id";

impl Keyed for MachineAssignment {
    fn key(&self) -> (&str, i64) {
        ("", self.id.0)
    }
}

/// The machine assignments of a brand. Writers must hold the brand's lock, so that the assignments of a machine do not overlap.
pub struct MachineAssignments<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn machine_assignments<'a>(&'a mut self, scope: &'a Scope) -> MachineAssignments<'a> {
        MachineAssignments(self, scope)
    }
}

#[macros::boxed]
impl MachineAssignments<'_> {
    pub async fn open(
        &mut self,
        machine: MachineId,
        worksite: WorksiteId,
        from: Timestamp,
        now: Timestamp,
    ) -> Result<MachineAssignmentId, Error> {
        let Id(id) = self
            .0
            .one(sql!(
                "insert into machine_assignments (brand_id, machine_id, worksite_id, from_at, created_at, updated_at)
                 values ($1, $2, $3, $4, $5, $5) returning id",
                self.1.brand(),
                machine,
                worksite,
                from,
                now
            ))
            .await?;
        Ok(id)
    }

    /// Sets the end, which must be after the start, or reopens the assignment.
    pub async fn end(
        &mut self,
        id: MachineAssignmentId,
        to: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "update machine_assignments set to_at = $3, updated_at = $4 where brand_id = $1 and id = $2",
                self.1.brand(),
                id,
                to,
                now
            ))
            .await?;
        Ok(())
    }

    /// Deletes an assignment that is superseded as a whole.
    pub async fn remove(&mut self, id: MachineAssignmentId) -> Result<(), Error> {
        self.0
            .execute(sql!(
                "delete from machine_assignments where brand_id = $1 and id = $2",
                self.1.brand(),
                id
            ))
            .await?;
        Ok(())
    }

    /// Returns the assignments of a machine at a time and later, oldest first.
    pub async fn since(
        &mut self,
        machine: MachineId,
        at: Timestamp,
    ) -> Result<Vec<MachineAssignment>, Error> {
        self.0
            .all(sql!(COLUMNS).push_with(
                " where a.brand_id = $? and a.machine_id = $? and (a.to_at is null or a.to_at > $?) order by a.from_at",
                [self.1.brand().into(), machine.into(), at.into()],
            ))
            .await
    }

    /// Returns the last assignment of a machine, open or ended.
    pub async fn last_of(&mut self, machine: MachineId) -> Result<Option<MachineAssignment>, Error> {
        self.0
            .optional(sql!(COLUMNS).push_with(
                " where a.brand_id = $? and a.machine_id = $? order by a.from_at desc limit 1",
                [self.1.brand().into(), machine.into()],
            ))
            .await
    }

    /// Returns the last assignment of a machine at a worksite, open or ended.
    pub async fn last_at(
        &mut self,
        machine: MachineId,
        worksite: WorksiteId,
    ) -> Result<Option<MachineAssignment>, Error> {
        self.0
            .optional(sql!(COLUMNS).push_with(
                " where a.brand_id = $? and a.machine_id = $? and a.worksite_id = $? order by a.from_at desc limit 1",
                [self.1.brand().into(), machine.into(), worksite.into()],
            ))
            .await
    }

    /// Returns the open assignments at a worksite.
    pub async fn open_at(&mut self, worksite: WorksiteId) -> Result<Vec<MachineAssignment>, Error> {
        self.0
            .all(sql!(COLUMNS).push_with(
                " where a.brand_id = $? and a.worksite_id = $? and a.to_at is null order by a.id",
                [self.1.brand().into(), worksite.into()],
            ))
            .await
    }

    /// Returns a page of the assignments at a worksite, newest first.
    pub async fn page(
        &mut self,
        worksite: WorksiteId,
        open: Option<bool>,
        page: &PageRequest,
    ) -> Result<Page<MachineAssignment>, Error> {
        let list = format!("machine_assignments {worksite} {open:?}");
        let statement = self.filtered(sql!(COLUMNS), worksite, open);
        let order = (" and a.id < $?", " order by a.id desc");
        let rows = self.0.all(page::order_by_id(statement, order, &list, page)?).await?;
        Ok(page::into_page(rows, &list, page))
    }

    pub async fn count(&mut self, worksite: WorksiteId, open: Option<bool>) -> Result<i64, Error> {
        let statement =
            self.filtered(sql!("select count(*) as count from machine_assignments a"), worksite, open);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    fn filtered(&self, statement: Statement, worksite: WorksiteId, open: Option<bool>) -> Statement {
        let statement = statement.push_with(
            " where a.brand_id = $? and a.worksite_id = $?",
            [self.1.brand().into(), worksite.into()],
        );
        match open {
            Some(true) => statement.push(" and a.to_at is null"),
            Some(false) => statement.push(" and a.to_at is not null"),
            None => statement,
        }
    }
}

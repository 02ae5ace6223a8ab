//! When machines ran and who drove, piece by piece.

use domain::insights::Question;
use domain::{MachineId, PersonId, Timestamp};

use super::{Insights, QueryLimits, runtime};
use crate::Error;
use crate::engine::row::{FromRow, Row};
use crate::engine::statement::sql;

/// A piece of a machine's runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineRuntimePiece {
    /// The machine.
    pub machine: MachineId,
    /// Who drove, if that is known.
    pub operator: Option<PersonId>,
    /// Since when.
    pub started_at: Timestamp,
    /// Until when.
    pub ended_at: Timestamp,
    /// The day on the site's clock, counted from 1970.
    pub local_day: i64,
    /// The hour on the site's clock.
    pub local_hour: i64,
}

impl FromRow for MachineRuntimePiece {
    fn from_row(row: &Row) -> Result<Self, Error> {
        Ok(Self {
            machine: row.get("machine_id")?,
            operator: row.get("operator_id")?,
            started_at: row.get("started_at")?,
            ended_at: row.get("ended_at")?,
            local_day: row.get("local_day")?,
            local_hour: row.get("local_hour")?,
        })
    }
}

impl Insights<'_> {
    /// The pieces of runtime of these machines that a question is about, by machine and start; one that reaches into its time
    /// comes whole. With more of them than groups may be, the answer is [`Error::TooManyGroups`].
    pub async fn runtime_pieces(
        &mut self,
        question: &Question,
        machines: &[MachineId],
        limits: QueryLimits,
    ) -> Result<Vec<MachineRuntimePiece>, Error> {
        let scope = self.1;
        let one_more = i64::try_from(limits.max_groups).unwrap_or(i64::MAX).saturating_add(1);
        let statement = sql!(
            "select p.machine_id, p.operator_id, p.started_at, p.ended_at, p.local_day, p.local_hour from runtime_pieces p"
        )
        .uncached()
        .push_with(" where p.brand_id = $? and p.ended_at > p.started_at", [scope.brand().into()])
        .and_in_projects(scope.projects(), "p.project_id")
        .and_in("p.machine_id", machines.iter().copied());
        let statement = runtime::link_conditions(question, runtime::period_conditions(question, statement))
            .push_with(" order by p.machine_id, p.started_at, p.id limit $?", [one_more.into()]);
        let found: Vec<MachineRuntimePiece> =
            self.0.with_timeout(limits.timeout, async |tx| tx.all(statement).await).await?;
        if found.len() > limits.max_groups {
            return Err(Error::TooManyGroups(limits.max_groups));
        }
        Ok(found)
    }
}

//! Reads the runtime of machines piece by piece, with the operators.

use domain::insights::Question;
use domain::{MachineId, PersonId, Timestamp};

use super::{Insights, QueryLimits, runtime};
use crate::Error;
use crate::engine::statement::sql;

/// A piece of a machine's runtime.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct MachineRuntimePiece {
    #[row(column = "machine_id")]
    pub machine: MachineId,
    /// None if unknown.
    #[row(column = "operator_id")]
    pub operator: Option<PersonId>,
    pub started_at: Timestamp,
    pub ended_at: Timestamp,
    /// The day in the worksite's time zone, in days since 1970.
    pub local_day: i64,
    /// The hour of the day in the worksite's time zone.
    pub local_hour: i64,
}

#[macros::boxed]
impl Insights<'_> {
    /// Returns the runtime pieces of these machines that match a question, ordered by machine and start. Pieces that overlap the
    /// bounds of the period are returned whole, and those from before the watermark of retention are left out. More pieces than
    /// `max_groups` are [`Error::TooManyGroups`].
    pub async fn runtime_pieces(
        &mut self,
        question: &Question,
        machines: &[MachineId],
        limits: QueryLimits,
    ) -> Result<Vec<MachineRuntimePiece>, Error> {
        let scope = self.1;
        let one_more = i64::try_from(limits.max_groups).unwrap_or(i64::MAX).saturating_add(1);
        let kept_from = self.0.fact_changes(scope).state().await?.runtime_kept_from;
        let statement = sql!(
            "select p.machine_id, p.operator_id, p.started_at, p.ended_at, p.local_day, p.local_hour from runtime_pieces p"
        )
        .uncached()
        .push_with(" where p.brand_id = $? and p.ended_at > p.started_at", [scope.brand().into()])
        .and_in_projects(scope.projects(), "p.project_id")
        .and_in("p.machine_id", machines.iter().copied());
        let statement = runtime::period_conditions(question, kept_from, statement);
        let statement = runtime::link_conditions(question, scope, statement)
            .push_with(" order by p.machine_id, p.started_at, p.id limit $?", [one_more.into()]);
        let found: Vec<MachineRuntimePiece> =
            self.0.with_timeout(limits.timeout, async |tx| tx.all(statement).await).await?;
        if found.len() > limits.max_groups {
            return Err(Error::TooManyGroups(limits.max_groups));
        }
        Ok(found)
    }
}

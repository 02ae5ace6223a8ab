//! How many facts changed at each worksite, for live streams.

use domain::ChangeCount;

use crate::engine::statement::sql;
use crate::{Error, Scope, Tx};

/// The changes of a brand's facts that are visible in the scope.
pub struct ChangeCounts<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn change_counts<'a>(&'a mut self, scope: &'a Scope) -> ChangeCounts<'a> {
        ChangeCounts(self, scope)
    }
}

#[macros::boxed]
impl ChangeCounts<'_> {
    /// Counts the changes after a sequence number and up to another, by project and worksite. A project and worksite may come twice.
    ///
    /// A fact counts where it is now. If it was elsewhere before, it counts there, too, so that those who no longer see it learn that
    /// something changed.
    pub async fn between(&mut self, after: i64, last: i64) -> Result<Vec<ChangeCount>, Error> {
        let projects = self.1.projects();
        let statement = sql!(
            "select d.project_id, d.worksite_id, count(*) filter (where not d.known) as added,
                 count(*) filter (where d.known) as changed, cast(0 as bigint) as runtime
             from (select i.project_id, i.worksite_id, exists (select 1 from incursion_history h
                     where h.brand_id = i.brand_id and h.incursion_id = i.id and h.seq <= $2) as known
                 from incursions i where i.brand_id = $1 and i.seq > $2 and i.seq <= $3",
            self.1.brand(),
            after,
            last
        )
        .and_in_projects(projects, "i.project_id")
        .push(
            ") d group by d.project_id, d.worksite_id
             union all
             select h.project_id, h.worksite_id, cast(0 as bigint), count(*), cast(0 as bigint)
             from incursion_history h join incursions i on i.brand_id = h.brand_id and i.id = h.incursion_id
             where h.brand_id = $1 and h.replaced_seq > $2 and h.replaced_seq <= $3
                 and (coalesce(h.project_id, 0) <> coalesce(i.project_id, 0)
                     or coalesce(h.worksite_id, 0) <> coalesce(i.worksite_id, 0))",
        )
        .and_in_projects(projects, "h.project_id")
        .push(
            " group by h.project_id, h.worksite_id
             union all
             select p.project_id, p.worksite_id, cast(0 as bigint), cast(0 as bigint), count(*)
             from runtime_pieces p where p.brand_id = $1 and p.seq > $2 and p.seq <= $3",
        )
        .and_in_projects(projects, "p.project_id")
        .push(
            " group by p.project_id, p.worksite_id
             union all
             select h.project_id, h.worksite_id, cast(0 as bigint), cast(0 as bigint), count(*)
             from runtime_history h join runtime_pieces p on p.brand_id = h.brand_id and p.id = h.piece_id
             where h.brand_id = $1 and h.replaced_seq > $2 and h.replaced_seq <= $3
                 and (coalesce(h.project_id, 0) <> coalesce(p.project_id, 0)
                     or coalesce(h.worksite_id, 0) <> coalesce(p.worksite_id, 0))",
        )
        .and_in_projects(projects, "h.project_id")
        .push(" group by h.project_id, h.worksite_id");
        self.0.all(statement).await
    }
}

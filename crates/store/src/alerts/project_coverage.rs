//! The projects of rules and of firings. A restricted reader sees what has projects, and no others than theirs.

use domain::{BrandId, ProjectId};

use crate::engine::statement::{Statement, Value, sql};
use crate::{Error, Tx};

/// Rows per statement.
const BATCH_SIZE: usize = 1_000;

/// A table of projects, as fixed texts.
pub(super) struct CoverageTable {
    /// The condition that a row has not all projects.
    has_some: &'static str,
    /// Selects the projects `p` of a row.
    select: &'static str,
    /// Deletes the projects of a row, by its brand and id.
    delete: &'static str,
    /// Begins an insert of brands, ids and projects.
    insert: &'static str,
}

/// Of the rules `r`.
pub(super) const OF_RULES: CoverageTable = CoverageTable {
    has_some: "not r.all_projects",
    select: "select 1 from alert_rule_projects p where p.brand_id = r.brand_id and p.rule_id = r.id",
    delete: "delete from alert_rule_projects where brand_id = $1 and rule_id = $2",
    insert: "insert into alert_rule_projects (brand_id, rule_id, project_id) values ",
};

/// Of the firings `f`.
pub(super) const OF_FIRINGS: CoverageTable = CoverageTable {
    has_some: "not f.all_projects",
    select: "select 1 from alert_firing_projects p where p.brand_id = f.brand_id and p.firing_id = f.id",
    delete: "delete from alert_firing_projects where brand_id = $1 and firing_id = $2",
    insert: "insert into alert_firing_projects (brand_id, firing_id, project_id) values ",
};

impl CoverageTable {
    /// Appends the condition that a row has projects, and no others than these. One that has none is not for everybody: a rule whose
    /// owner lost all projects still names what it was about.
    pub(super) fn push_covered(&self, statement: Statement, visible: &[ProjectId]) -> Statement {
        if visible.is_empty() {
            return statement.push("1 = 0");
        }
        let statement = statement.push(self.has_some).push(" and exists (").push(self.select);
        statement
            .push(") and not exists (")
            .push(self.select)
            .push(" and p.project_id not in ")
            .push_list(visible.iter().copied())
            .push(")")
            .uncached()
    }

    /// Replaces the projects of a row. The row itself says whether it has all.
    pub(super) async fn replace(
        &self,
        tx: &mut Tx,
        (brand, id): (BrandId, i64),
        projects: &[ProjectId],
    ) -> Result<(), Error> {
        tx.execute(sql!(self.delete, brand, id)).await?;
        self.add(tx, (brand, id), projects).await
    }

    /// Adds the projects of a row that has none yet.
    pub(super) async fn add(
        &self,
        tx: &mut Tx,
        (brand, id): (BrandId, i64),
        projects: &[ProjectId],
    ) -> Result<(), Error> {
        let mut projects = projects.to_vec();
        projects.sort_unstable();
        projects.dedup();
        for some in projects.chunks(BATCH_SIZE) {
            let mut statement = sql!(self.insert);
            for (index, project) in some.iter().enumerate() {
                let row: [Value; 3] = [brand.into(), id.into(), (*project).into()];
                let text = if index == 0 { "($?, $?, $?)" } else { ", ($?, $?, $?)" };
                statement = statement.push_with(text, row);
            }
            tx.execute(statement.uncached()).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(visible: &[ProjectId]) -> String {
        let statement = sql!("where f.brand_id = $1", BrandId(1)).push(" and ");
        OF_FIRINGS.push_covered(statement, visible).text
    }

    #[test]
    fn a_reader_sees_what_their_projects_cover() {
        assert_eq!(condition(&[]), "where f.brand_id = $1 and 1 = 0");
        let some = condition(&[ProjectId(3), ProjectId(4)]);
        assert!(some.starts_with("where f.brand_id = $1 and not f.all_projects and exists ("), "{some}");
        assert!(some.ends_with("and p.firing_id = f.id and p.project_id not in ($2, $3))"), "{some}");
    }
}

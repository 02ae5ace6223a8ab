//! The projects that went into reports and site reports. Whoever does not see all of them does not see the report.

use domain::{BrandId, ProjectId};

use crate::engine::statement::{Statement, Value, sql};
use crate::{Error, Projects, Tx};

/// Rows per statement.
const BATCH_SIZE: usize = 1_000;

/// The projects that went into a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReportCoverage {
    /// All of them, or facts without a project: only unrestricted readers see it.
    AllProjects,
    Projects(Vec<ProjectId>),
}

impl ReportCoverage {
    pub(super) fn is_all(&self) -> bool {
        matches!(self, Self::AllProjects)
    }
}

/// A table of the projects of reports, as fixed texts.
pub(super) struct CoverageTable {
    /// Selects the projects `p` of the row `r`.
    select: &'static str,
    /// Deletes the projects of a report, by its brand and id.
    delete: &'static str,
    /// Begins an insert of brands, ids and projects.
    insert: &'static str,
}

pub(super) const OF_REPORTS: CoverageTable = CoverageTable {
    select: "select 1 from report_projects p where p.brand_id = r.brand_id and p.report_id = r.id",
    delete: "delete from report_projects where brand_id = $1 and report_id = $2",
    insert: "insert into report_projects (brand_id, report_id, project_id) values ",
};

pub(super) const OF_SITE_REPORTS: CoverageTable = CoverageTable {
    select: "select 1 from site_report_projects p where p.brand_id = r.brand_id and p.site_report_id = r.id",
    delete: "delete from site_report_projects where brand_id = $1 and site_report_id = $2",
    insert: "insert into site_report_projects (brand_id, site_report_id, project_id) values ",
};

impl CoverageTable {
    /// Appends a condition that limits the rows `r` to those that have projects, all of them visible. Nothing went into those without
    /// any, whose authors see no project: only such readers see them.
    pub(super) fn and_visible(&self, statement: Statement, projects: &Projects) -> Statement {
        let Projects::Only(ids) = projects else { return statement };
        let statement = statement.push(" and not r.all_projects");
        if ids.is_empty() {
            return statement.push(" and not exists (").push(self.select).push(")");
        }
        statement
            .push(" and exists (")
            .push(self.select)
            .push(") and not exists (")
            .push(self.select)
            .push(" and p.project_id not in ")
            .push_list(ids.iter().copied())
            .push(")")
            .uncached()
    }

    /// Replaces the projects of a report. Its own row says whether all projects went into it.
    pub(super) async fn replace(
        &self,
        tx: &mut Tx,
        (brand, id): (BrandId, i64),
        coverage: &ReportCoverage,
    ) -> Result<(), Error> {
        tx.execute(sql!(self.delete, brand, id)).await?;
        let ReportCoverage::Projects(projects) = coverage else { return Ok(()) };
        let mut projects = projects.clone();
        projects.sort_unstable();
        projects.dedup();
        for some in projects.chunks(BATCH_SIZE) {
            let row = |project: &ProjectId| -> [Value; 3] { [brand.into(), id.into(), (*project).into()] };
            tx.execute(push_rows(sql!(self.insert), some.iter().map(row))).await?;
        }
        Ok(())
    }
}

/// Appends rows of three values.
pub(super) fn push_rows(mut statement: Statement, rows: impl IntoIterator<Item = [Value; 3]>) -> Statement {
    for (index, row) in rows.into_iter().enumerate() {
        let text = if index == 0 { "($?, $?, $?)" } else { ", ($?, $?, $?)" };
        statement = statement.push_with(text, row);
    }
    statement.uncached()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(projects: &Projects) -> String {
        OF_REPORTS.and_visible(sql!("where r.brand_id = $1", BrandId(1)), projects).text
    }

    #[test]
    fn a_reader_sees_what_their_projects_cover() {
        assert_eq!(condition(&Projects::All), "where r.brand_id = $1");
        let none = condition(&Projects::Only(Vec::new()));
        assert!(none.ends_with("and p.report_id = r.id)"), "{none}");
        let some = condition(&Projects::Only(vec![ProjectId(3), ProjectId(4)]));
        assert!(some.ends_with("and p.report_id = r.id and p.project_id not in ($2, $3))"), "{some}");
    }
}

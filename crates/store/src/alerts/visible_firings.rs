//! Firings as readers see them: those whose projects are all visible in the scope.

use domain::{
    AlertFiring, AlertFiringFilter, AlertFiringId, FiringState, Page, PageRequest, Slice, Sorting, Timestamp,
    Window,
};

use crate::alerts::firings::COLUMNS;
use crate::alerts::project_coverage::OF_FIRINGS;
use crate::engine::page::{self, Count};
use crate::engine::row::Id;
use crate::engine::statement::{Statement, sql};
use crate::engine::window::{self, SortColumns, Sorted};
use crate::{Error, Projects, Scope, Tx};

const SORT_COLUMNS: SortColumns = SortColumns {
    id: "f.id",
    name_key: "f.id",
    created_at: "f.created_at",
    updated_at: "f.updated_at",
    started_at: "f.fired_at",
    registry_version: "f.id",
};

/// Firings have no name.
impl Sorted for AlertFiring {
    fn id(&self) -> i64 {
        self.id.0
    }

    fn name_key(&self) -> &'static str {
        ""
    }

    fn created_at(&self) -> Timestamp {
        self.created_at
    }

    fn updated_at(&self) -> Timestamp {
        self.updated_at
    }

    fn started_at(&self) -> Timestamp {
        self.fired_at
    }
}

/// The firings of a brand whose projects are all visible in the scope.
pub struct VisibleFirings<'a>(&'a mut Tx, &'a Scope);

impl Tx {
    pub fn visible_firings<'a>(&'a mut self, scope: &'a Scope) -> VisibleFirings<'a> {
        VisibleFirings(self, scope)
    }
}

#[macros::boxed]
impl VisibleFirings<'_> {
    pub async fn find(&mut self, id: AlertFiringId) -> Result<Option<AlertFiring>, Error> {
        let statement = visible(sql!(COLUMNS), self.1).push_with(" and f.id = $?", [id.into()]);
        self.0.optional(statement).await
    }

    /// Returns a window of the list, in any order and from either end.
    pub async fn slice(
        &mut self,
        filter: &AlertFiringFilter,
        sorting: Sorting,
        window: &Window,
    ) -> Result<Slice<AlertFiring>, Error> {
        let list = format!("alert_firings {filter:?} {sorting:?}");
        let statement = self.filtered(sql!(COLUMNS), filter);
        let rows =
            self.0.all(window::apply_window(statement, &SORT_COLUMNS, sorting, &list, window)?).await?;
        Ok(window::into_slice(rows, sorting, &list, window))
    }

    /// Counts the firings that match the filter.
    pub async fn count(&mut self, filter: &AlertFiringFilter) -> Result<i64, Error> {
        let statement = self.filtered(sql!("select count(*) as count from alert_firings f"), filter);
        let Count(count) = self.0.one(statement).await?;
        Ok(count)
    }

    /// Returns a page of the list, newest first.
    pub async fn page(
        &mut self,
        filter: &AlertFiringFilter,
        page: &PageRequest,
    ) -> Result<Page<AlertFiring>, Error> {
        let list = format!("alert_firings {filter:?}");
        let statement = self.select_page(filter, &list, page)?;
        let rows: Vec<AlertFiring> = self.0.all(statement).await?;
        Ok(page::into_page_by(rows, &list, page, |firing| (String::new(), firing.id.0)))
    }

    /// Returns the query plan of [`VisibleFirings::page`], for tests of indexes.
    pub async fn explain_page(
        &mut self,
        filter: &AlertFiringFilter,
        page: &PageRequest,
    ) -> Result<Vec<String>, Error> {
        let statement = self.select_page(filter, "explained", page)?;
        self.0.explain(statement).await
    }

    /// Returns which of these firings are visible, by id.
    pub async fn seen(&mut self, ids: &[AlertFiringId]) -> Result<Vec<AlertFiringId>, Error> {
        let statement = visible(sql!("select f.id from alert_firings f"), self.1)
            .and_in_padded("f.id", ids.iter().copied())
            .push(" order by f.id");
        let found: Vec<Id<AlertFiringId>> = self.0.all(statement).await?;
        Ok(found.into_iter().map(|Id(id)| id).collect())
    }

    fn select_page(
        &self,
        filter: &AlertFiringFilter,
        list: &str,
        page: &PageRequest,
    ) -> Result<Statement, Error> {
        let order = (" and f.id < $?", " order by f.id desc");
        page::order_by_id(self.filtered(sql!(COLUMNS), filter), order, list, page)
    }

    fn filtered(&self, statement: Statement, filter: &AlertFiringFilter) -> Statement {
        let mut statement = and_state(visible(statement, self.1), &filter.states);
        if let Some(ids) = &filter.ids {
            statement = statement.and_in("f.id", ids.iter().copied()).uncached();
        }
        if !filter.rules.is_empty() {
            statement = statement.and_in("f.rule_id", filter.rules.iter().copied()).uncached();
        }
        if !filter.severities.is_empty() {
            let words = filter.severities.iter().map(|severity| severity.as_str());
            statement = statement.and_in("f.severity", words).uncached();
        }
        if !filter.metrics.is_empty() {
            let words = filter.metrics.iter().map(|metric| metric.as_str());
            statement = statement.and_in("f.metric", words).uncached();
        }
        let subject = &filter.subject;
        for (condition, id) in [
            (" and f.project_id = $?", subject.project.map(|id| id.0)),
            (" and f.worksite_id = $?", subject.worksite.map(|id| id.0)),
            (" and f.machine_id = $?", subject.machine.map(|id| id.0)),
            (" and f.base_station_id = $?", subject.base_station.map(|id| id.0)),
            (" and f.person_id = $?", subject.person.map(|id| id.0)),
            (" and f.tag_id = $?", subject.tag.map(|id| id.0)),
            (" and f.visit_id = $?", subject.visit.map(|id| id.0)),
            (" and f.fired_at >= $?", filter.from.map(Timestamp::micros)),
            (" and f.fired_at < $?", filter.to.map(Timestamp::micros)),
        ] {
            if let Some(id) = id {
                statement = statement.push_with(condition, [id.into()]);
            }
        }
        statement
    }
}

/// Appends the conditions that a firing `f` is the brand's and has only visible projects.
pub(super) fn visible(statement: Statement, scope: &Scope) -> Statement {
    let statement = statement.push_with(" where f.brand_id = $?", [scope.brand().into()]);
    match scope.projects() {
        Projects::All => statement,
        Projects::Only(projects) => OF_FIRINGS.push_covered(statement.push(" and "), projects),
    }
}

/// Appends the condition of [`AlertFiring::state`].
fn and_state(mut statement: Statement, states: &[FiringState]) -> Statement {
    for (index, state) in states.iter().enumerate() {
        statement = statement.push(if index == 0 { " and (" } else { " or " }).push(match state {
            FiringState::Held => "(f.cleared_at is null and f.held_until is not null)",
            FiringState::Fired => "(f.cleared_at is null and f.held_until is null)",
            FiringState::Cleared => "f.cleared_at is not null",
        });
    }
    if states.is_empty() { statement } else { statement.push(")") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_alternatives() {
        let text = |states: &[FiringState]| and_state(sql!("x"), states).text;
        assert_eq!(text(&[]), "x");
        assert_eq!(text(&[FiringState::Cleared]), "x and (f.cleared_at is not null)");
        assert_eq!(
            text(&[FiringState::Fired, FiringState::Cleared]),
            "x and ((f.cleared_at is null and f.held_until is null) or f.cleared_at is not null)"
        );
    }
}

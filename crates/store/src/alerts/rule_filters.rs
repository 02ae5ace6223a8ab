//! Lists of rules: who sees which, by filters.

use domain::{AlertRule, AlertRuleFilter, Page, PageRequest, UserId};

use crate::alerts::project_coverage::OF_RULES;
use crate::alerts::rules::{AlertRules, COLUMNS, RuleViewer};
use crate::engine::page::{self, Count};
use crate::engine::statement::{Statement, sql};
use crate::{Error, Projects};

#[macros::boxed]
impl AlertRules<'_> {
    /// Returns a page, sorted by name.
    pub async fn page(
        &mut self,
        filter: &AlertRuleFilter,
        viewer: RuleViewer,
        page: &PageRequest,
    ) -> Result<Page<AlertRule>, Error> {
        let list = format!("alert_rules {filter:?} {viewer:?}");
        let order = (" and (r.name_key, r.id) > ($?, $?)", " order by r.name_key, r.id");
        let statement = self.filtered(sql!(COLUMNS), filter, viewer);
        let rows = self.0.all(page::order_by_key(statement, order, &list, page)?).await?;
        Ok(page::into_page(rows, &list, page))
    }

    pub async fn count(&mut self, filter: &AlertRuleFilter, viewer: RuleViewer) -> Result<i64, Error> {
        let statement = sql!("select count(*) as count from alert_rules r");
        let Count(count) = self.0.one(self.filtered(statement, filter, viewer)).await?;
        Ok(count)
    }

    /// Counts the rules of an owner, without those that belong to the admins by now.
    pub async fn count_of(&mut self, owner: UserId) -> Result<i64, Error> {
        let text = "select count(*) as count from alert_rules
             where brand_id = $1 and owner_id = $2 and owner_left_at is null and deleted_at is null";
        let Count(count) = self.0.one(sql!(text, self.1.brand(), owner)).await?;
        Ok(count)
    }

    fn filtered(&self, statement: Statement, filter: &AlertRuleFilter, viewer: RuleViewer) -> Statement {
        let mut statement = self.visible(statement, viewer);
        if !filter.metrics.is_empty() {
            let words = filter.metrics.iter().map(|metric| metric.as_str());
            statement = statement.and_in("r.metric", words).uncached();
        }
        if !filter.severities.is_empty() {
            let words = filter.severities.iter().map(|severity| severity.as_str());
            statement = statement.and_in("r.severity", words).uncached();
        }
        if !filter.statuses.is_empty() {
            let words = filter.statuses.iter().map(|status| status.as_str());
            statement = statement.and_in("r.status", words).uncached();
        }
        if let Some(enabled) = filter.enabled {
            statement = statement.push(if enabled { " and r.enabled" } else { " and not r.enabled" });
        }
        match &filter.q {
            Some(q) => {
                statement.push_with(" and r.name_key like $? escape '!'", [page::like_pattern(q).into()])
            }
            None => statement,
        }
    }

    /// Appends the conditions that a rule is not deleted and that the viewer sees it.
    pub(super) fn visible(&self, statement: Statement, viewer: RuleViewer) -> Statement {
        let statement =
            statement.push_with(" where r.brand_id = $? and r.deleted_at is null", [self.1.brand().into()]);
        match (viewer, self.1.projects()) {
            (RuleViewer::Reader(user), Projects::Only(projects)) => {
                let own = " and ((r.owner_id = $? and r.owner_left_at is null) or (";
                OF_RULES.push_covered(statement.push_with(own, [user.into()]), projects).push("))")
            }
            (RuleViewer::Reader(_), Projects::All) | (RuleViewer::Brand, _) => statement,
        }
    }
}

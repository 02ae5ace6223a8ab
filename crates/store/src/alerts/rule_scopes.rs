//! What rules are about, and the projects that they may see.

use domain::{AlertRuleId, AlertScope, AlertStatus, ProjectId, Timestamp};

use crate::alerts::project_coverage::OF_RULES;
use crate::alerts::rules::{AlertRules, only};
use crate::engine::row::Id;
use crate::engine::statement::sql;
use crate::{Error, Projects};

/// Ids per statement.
const BATCH_SIZE: usize = 1_000;

#[derive(macros::FromRow)]
struct ProjectOfRule {
    rule_id: AlertRuleId,
    project_id: ProjectId,
}

#[macros::boxed]
impl AlertRules<'_> {
    /// Returns the projects of these rules. A rule that may see all has none.
    pub async fn projects(&mut self, rules: &[AlertRuleId]) -> Result<Vec<(AlertRuleId, ProjectId)>, Error> {
        let text = "select rule_id, project_id from alert_rule_projects where brand_id = $1";
        let statement = sql!(text, self.1.brand()).and_in_padded("rule_id", rules.iter().copied());
        let found: Vec<ProjectOfRule> = self.0.all(statement.push(" order by rule_id, project_id")).await?;
        Ok(found.into_iter().map(|one| (one.rule_id, one.project_id)).collect())
    }

    /// Sets the projects that a rule may see, as the evaluation does when those of its owner have changed. The version does not move.
    pub async fn set_projects(&mut self, id: AlertRuleId, projects: &Projects) -> Result<(), Error> {
        let brand = self.1.brand();
        let text = "update alert_rules set all_projects = $3 where brand_id = $1 and id = $2";
        self.0.execute(sql!(text, brand, id, *projects == Projects::All)).await?;
        OF_RULES.replace(self.0, (brand, id.0), only(projects)).await
    }

    /// Replaces what a rule is about, for the erasure of a person whom it names.
    pub async fn set_scope(
        &mut self,
        id: AlertRuleId,
        scope: &AlertScope,
        now: Timestamp,
    ) -> Result<(), Error> {
        let brand = self.1.brand();
        self.0.lock_alert_cursor(brand).await?;
        let text = "update alert_rules set scope = $3, version = version + 1, updated_at = $4
             where brand_id = $1 and id = $2";
        self.0.execute(sql!(text, brand, id, scope.to_json(), now)).await?;
        self.0.bump_alert_cursor(brand, now).await
    }

    /// Disables a rule and replaces what it is about, because the only person whom it named was erased.
    pub async fn disable_erased(
        &mut self,
        id: AlertRuleId,
        scope: &AlertScope,
        now: Timestamp,
    ) -> Result<(), Error> {
        let brand = self.1.brand();
        self.0.lock_alert_cursor(brand).await?;
        let text =
            "update alert_rules set scope = $3, enabled = $4, status = $5, status_reason = 'person_erased',
                 judged_at = null, version = version + 1, updated_at = $6
             where brand_id = $1 and id = $2";
        let status = AlertStatus::Disabled.as_str();
        self.0.execute(sql!(text, brand, id, scope.to_json(), false, status, now)).await?;
        self.0.bump_alert_cursor(brand, now).await
    }

    /// Returns which ids of a scope exist and are neither archived nor retired, sorted. One call can ask for the scopes of many rules
    /// together.
    pub async fn active_ids(&mut self, scope: &AlertScope) -> Result<AlertScope, Error> {
        Ok(AlertScope {
            project_ids: self.active(ACTIVE_PROJECTS, &scope.project_ids).await?,
            worksite_ids: self.active(ACTIVE_WORKSITES, &scope.worksite_ids).await?,
            machine_ids: self.active(ACTIVE_MACHINES, &scope.machine_ids).await?,
            person_ids: self.active(ACTIVE_PEOPLE, &scope.person_ids).await?,
            tag_ids: self.active(ACTIVE_TAGS, &scope.tag_ids).await?,
            base_station_ids: self.active(BASE_STATIONS, &scope.base_station_ids).await?,
            zones: scope.zones.clone(),
        })
    }

    async fn active(&mut self, text: &'static str, ids: &[i64]) -> Result<Vec<i64>, Error> {
        let mut active = Vec::new();
        for some in ids.chunks(BATCH_SIZE) {
            let statement = sql!(text, self.1.brand()).and_in_padded("id", some.iter().copied());
            let found: Vec<Id<i64>> = self.0.all(statement).await?;
            active.extend(found.into_iter().map(|Id(id)| id));
        }
        active.sort_unstable();
        active.dedup();
        Ok(active)
    }
}

const ACTIVE_PROJECTS: &str = "select id from projects where brand_id = $1 and archived_at is null";
const ACTIVE_WORKSITES: &str = "select id from worksites where brand_id = $1 and archived_at is null";
const ACTIVE_MACHINES: &str = "select id from machines where brand_id = $1 and archived_at is null";
const ACTIVE_PEOPLE: &str =
    "select id from people where brand_id = $1 and archived_at is null and erased_at is null";
const ACTIVE_TAGS: &str = "select id from tags where brand_id = $1 and retired_at is null";
const BASE_STATIONS: &str = "select id from base_stations where brand_id = $1";

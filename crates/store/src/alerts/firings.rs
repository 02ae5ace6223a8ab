//! Firings of rules, as the evaluation writes and reads them. `firing_upkeep` changes them, `visible_firings` shows them.

use std::collections::BTreeMap;

use domain::{
    AlertFiring, AlertFiringId, AlertRule, AlertRuleId, ClearReason, FiringSubject, IncursionId, Measurement,
    ProjectId, SplitKey, TimeZone, Timestamp,
};

use crate::alerts::project_coverage::OF_FIRINGS;
use crate::alerts::rules::window_columns;
use crate::engine::row::Id;
use crate::engine::statement::{Statement, sql};
use crate::{Error, Scope, Tx};

/// A rule that has crossed its threshold.
#[derive(Clone, Debug)]
pub struct NewFiring<'a> {
    /// As it was judged.
    pub rule: &'a AlertRule,
    pub split_key: &'a SplitKey,
    pub subject: FiringSubject,
    pub value: Measurement,
    /// Beginning and end of the window; without a beginning for metrics without a window.
    pub window: (Option<Timestamp>, Timestamp),
    /// The clock of the site concerned.
    pub time_zone: &'a TimeZone,
    /// Sequence number of the brand's last change that was judged.
    pub seq: i64,
    /// Newest first.
    pub incursions: &'a [IncursionId],
    /// A JSON object.
    pub details: &'a str,
    /// The projects that went into it; none among them if facts without a project did, or all projects.
    pub projects: &'a [Option<ProjectId>],
    pub held_until: Option<Timestamp>,
    pub is_told: bool,
}

/// The value that an open firing was furthest beyond the threshold with.
#[derive(Clone, Copy, Debug)]
pub struct PeakValue {
    pub firing: AlertFiringId,
    pub value: Measurement,
}

#[derive(macros::FromRow)]
struct OpenProject {
    firing_id: AlertFiringId,
    project_id: ProjectId,
}

#[derive(macros::FromRow)]
struct Cleared {
    rule_id: AlertRuleId,
    split_key: SplitKey,
    cleared_at: Timestamp,
}

/// Ids of one statement, far below the placeholders that an engine allows.
pub(super) const BATCH_SIZE: usize = 1_000;

/// Without a join, which could make the engine begin with the rules.
pub(super) const COLUMNS: &str = "select f.id, f.rule_id,
    (select r.name from alert_rules r where r.brand_id = f.brand_id and r.id = f.rule_id) as rule_name, f.split_key,
    f.project_id, f.worksite_id, f.machine_id, f.base_station_id, f.person_id, f.tag_id, f.visit_id, f.metric, f.comparison,
    f.threshold, f.severity, f.numerator, f.denominator, f.peak_numerator, f.peak_denominator, f.window_from, f.window_to,
    f.time_zone, f.seq, f.incursions, f.details, f.all_projects, f.fired_at, f.held_until, f.is_told, f.no_data_since,
    f.cleared_at, f.clear_reason, f.cleared_numerator, f.cleared_denominator, f.version, f.created_at, f.updated_at from alert_firings f";

/// The firings of a brand, whoever may see them.
pub struct AlertFirings<'a>(pub(super) &'a mut Tx, pub(super) &'a Scope);

impl Tx {
    pub fn alert_firings<'a>(&'a mut self, scope: &'a Scope) -> AlertFirings<'a> {
        AlertFirings(self, scope)
    }
}

#[macros::boxed]
impl AlertFirings<'_> {
    /// Adds a firing. None if the split has an open one already, or if the rule has been disabled, deleted, or changed in what it judges
    /// since it was read, or if its person has been erased: then it must be judged again.
    pub async fn add(&mut self, new: &NewFiring<'_>, now: Timestamp) -> Result<Option<AlertFiringId>, Error> {
        let brand = self.1.brand();
        let terms = &new.rule.terms;
        let (window_minutes, window_unit) = window_columns(terms.window);
        let all_projects = new.projects.contains(&None);
        let statement = sql!(
            "insert into alert_firings (brand_id, rule_id, metric, comparison, threshold, severity, split_key, project_id,
                 worksite_id, machine_id, base_station_id, person_id, tag_id, visit_id, numerator, denominator,
                 peak_numerator, peak_denominator, window_from, window_to, time_zone, seq, incursions, details,
                 all_projects, fired_at, held_until, is_told, version, created_at, updated_at, scope, split_by)
             select r.brand_id, r.id, r.metric, r.comparison, r.threshold, r.severity, $11, $12, $13, $14, $15, $16, $17, $18,
                 $19, $20, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, 1, $28, $28, r.scope, r.split_by
             from alert_rules r where r.brand_id = $1 and r.id = $2 and r.enabled and r.deleted_at is null
                 and r.metric = $3 and r.comparison = $4 and r.threshold = $5 and r.window_minutes is not distinct from $6
                 and r.window_unit is not distinct from $7 and r.minimum_count is not distinct from $8 and r.scope = $9
                 and r.split_by = $10 and not exists (select 1 from people p
                     where p.brand_id = r.brand_id and p.id = $16 and p.erased_at is not null)
             on conflict do nothing returning id",
            brand,
            new.rule.id,
            terms.metric.as_str(),
            terms.comparison.as_str(),
            terms.threshold,
            window_minutes,
            window_unit,
            terms.minimum_count,
            terms.scope.to_json(),
            terms.split_by.as_str(),
            new.split_key.to_text(),
            new.subject.project,
            new.subject.worksite,
            new.subject.machine,
            new.subject.base_station,
            new.subject.person,
            new.subject.tag,
            new.subject.visit,
            new.value.numerator,
            new.value.denominator,
            new.window.0,
            new.window.1,
            new.time_zone.as_str(),
            new.seq,
            incursions_as_json(new.incursions),
            new.details,
            all_projects,
            now,
            new.held_until,
            new.is_told
        );
        let Some(Id(id)) = self.0.optional::<Id<AlertFiringId>>(statement).await? else { return Ok(None) };
        if !all_projects {
            let projects: Vec<ProjectId> = new.projects.iter().copied().flatten().collect();
            OF_FIRINGS.add(self.0, (brand, id.0), &projects).await?;
        }
        Ok(Some(id))
    }

    /// Clears an open firing, with its last value if there is one; returns false if it has cleared already.
    pub async fn clear(
        &mut self,
        id: AlertFiringId,
        reason: ClearReason,
        value: Option<Measurement>,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let text = "update alert_firings set cleared_at = $3, clear_reason = $4, cleared_numerator = $5,
                 cleared_denominator = $6, version = version + 1, updated_at = $3
             where brand_id = $1 and id = $2 and cleared_at is null";
        let (numerator, denominator) = value.map(|value| (value.numerator, value.denominator)).unzip();
        let statement = sql!(text, self.1.brand(), id, now, reason.as_str(), numerator, denominator);
        Ok(self.0.execute(statement).await? > 0)
    }

    /// Returns the open firings of the brand by id.
    pub async fn open(&mut self) -> Result<Vec<AlertFiring>, Error> {
        let statement = self.select_open();
        let mut open: Vec<AlertFiring> = self.0.all(statement).await?;
        open.sort_unstable_by_key(|firing| firing.id);
        Ok(open)
    }

    /// Returns the projects that went into the open firings. Those that cover all projects are not among them.
    pub async fn open_projects(&mut self) -> Result<Vec<(AlertFiringId, ProjectId)>, Error> {
        let text = "select p.firing_id, p.project_id from alert_firings f
             join alert_firing_projects p on p.brand_id = f.brand_id and p.firing_id = f.id
             where f.brand_id = $1 and f.cleared_at is null order by p.firing_id, p.project_id";
        let found: Vec<OpenProject> = self.0.all(sql!(text, self.1.brand())).await?;
        Ok(found.into_iter().map(|one| (one.firing_id, one.project_id)).collect())
    }

    /// Returns the query plan of [`AlertFirings::open`], for tests of indexes.
    pub async fn explain_open(&mut self) -> Result<Vec<String>, Error> {
        let statement = self.select_open();
        self.0.explain(statement).await
    }

    /// Returns the last clearing of each rule and split after this time, for cool-downs. What a change of the rule has cleared is not
    /// among them: a changed rule may fire at once.
    pub async fn cleared_since(
        &mut self,
        since: Timestamp,
    ) -> Result<Vec<(AlertRuleId, SplitKey, Timestamp)>, Error> {
        let text = "select rule_id, split_key, cleared_at from alert_firings
             where brand_id = $1 and cleared_at > $2 and clear_reason not in ('rule_changed', 'rule_disabled', 'rule_deleted')
             order by cleared_at";
        let found: Vec<Cleared> = self.0.all(sql!(text, self.1.brand(), since)).await?;
        let last: BTreeMap<(AlertRuleId, SplitKey), Timestamp> =
            found.into_iter().map(|one| ((one.rule_id, one.split_key), one.cleared_at)).collect();
        Ok(last.into_iter().map(|((rule, split), at)| (rule, split, at)).collect())
    }

    /// Returns each time after this one at which a change of a rule, or its disabling, closed the firing of a split, in order.
    pub async fn closed_by_changes_since(
        &mut self,
        since: Timestamp,
    ) -> Result<Vec<(AlertRuleId, SplitKey, Timestamp)>, Error> {
        let text = "select rule_id, split_key, cleared_at from alert_firings
             where brand_id = $1 and cleared_at > $2 and clear_reason in ('rule_changed', 'rule_disabled')
             order by cleared_at, id";
        let found: Vec<Cleared> = self.0.all(sql!(text, self.1.brand(), since)).await?;
        Ok(found.into_iter().map(|one| (one.rule_id, one.split_key, one.cleared_at)).collect())
    }

    /// Returns these firings by id, open or not.
    pub async fn among(&mut self, ids: &[AlertFiringId]) -> Result<Vec<AlertFiring>, Error> {
        let mut found: Vec<AlertFiring> = Vec::new();
        for some in ids.chunks(BATCH_SIZE) {
            let statement = self.of_brand().and_in_padded("f.id", some.iter().copied());
            found.extend(self.0.all::<AlertFiring>(statement).await?);
        }
        found.sort_unstable_by_key(|firing| firing.id);
        found.dedup_by_key(|firing| firing.id);
        Ok(found)
    }

    /// In the order of the index of open firings: by id, SQLite would read all that ever fired.
    fn select_open(&self) -> Statement {
        self.of_brand().push(" and f.cleared_at is null order by f.rule_id, f.split_key")
    }

    fn of_brand(&self) -> Statement {
        sql!(COLUMNS).push_with(" where f.brand_id = $?", [self.1.brand().into()])
    }
}

fn incursions_as_json(ids: &[IncursionId]) -> String {
    serde_json::Value::from_iter(ids.iter().map(|id| id.0)).to_string()
}

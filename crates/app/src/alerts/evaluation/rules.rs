//! Loads the rules of a brand with what their owners may see now.

use std::collections::HashMap;

use domain::access::ManageAlerts;
use domain::{
    AlertRule, AlertRuleId, AlertScope, BrandId, ProjectId, ScopeList, SortedMap, SortedSet, Span, Timestamp,
    UserId,
};
use store::Projects;

use super::LoadedRule;
use super::engine::LoadedBrand;
use super::known_firings::{CHANGES_PERIOD, KnownFirings, StoredFirings};
use crate::{App, Error};

/// What owners may see; none of those who can no longer have alerts.
type OwnerAccess = SortedMap<UserId, Option<Projects>>;

impl App {
    /// Loads the rules of a brand that are enabled, its clocks and its firings. What their owners may see is stored if it has changed, so
    /// that a rule keeps it when its owner leaves. None if the fence no longer holds.
    pub(super) async fn load_brand(
        &self,
        brand: BrandId,
        fence: i64,
        now: Timestamp,
    ) -> Result<Option<LoadedBrand>, Error> {
        let scope = self.scope_of(brand);
        let mut tx = self.store.read().await?;
        let mut rules = tx.alert_rules(&scope).all().await?;
        rules.retain(|rule| rule.enabled);
        let ids: Vec<AlertRuleId> = rules.iter().map(|rule| rule.id).collect();
        let stored = match ids.is_empty() {
            true => Vec::new(),
            false => tx.alert_rules(&scope).projects(&ids).await?,
        };
        let active = tx.alert_rules(&scope).active_ids(&all_scopes(&rules)).await?;
        let mut firings = tx.alert_firings(&scope);
        let stored_firings = StoredFirings {
            open: firings.open().await?,
            projects: firings.open_projects().await?,
            cleared: firings.cleared_since(now - longest_cool_down(&rules)).await?,
            changed: firings.closed_by_changes_since(now - CHANGES_PERIOD).await?,
        };
        drop(tx);
        let mut clocks = self.load_site_clocks(brand).await?;
        let owners = self.load_owners(brand, &rules).await?;

        let stored = stored_projects(&rules, &stored);
        let mut loaded = Vec::with_capacity(rules.len());
        let mut changed = Vec::new();
        for rule in rules {
            let known = stored.get(&rule.id).cloned().unwrap_or(Projects::All);
            let access = owner_of(&rule).and_then(|owner| owners.get(&owner)).cloned().flatten();
            let projects = access.unwrap_or_else(|| known.clone());
            if projects != known {
                changed.push((rule.id, projects.clone()));
            }
            clocks.set_visible(rule.id, projects.clone());
            let stopped = stopped_reason(&rule.terms.scope, &active, &projects);
            loaded.push(LoadedRule { rule, projects, stopped });
        }
        clocks.set_active(active);
        if !self.store_access(brand, fence, &changed, &owners).await? {
            return Ok(None);
        }
        let firings = KnownFirings::new(stored_firings);
        Ok(Some(LoadedBrand { rules: loaded, clocks, firings }))
    }

    /// Looks up what the owners of rules may see.
    async fn load_owners(&self, brand: BrandId, rules: &[AlertRule]) -> Result<OwnerAccess, Error> {
        let owners: SortedSet<UserId> = rules.iter().filter_map(owner_of).collect();
        let mut access = Vec::with_capacity(owners.len());
        for owner in owners {
            let author = self.load_author::<ManageAlerts>(brand, owner).await?;
            access.push((owner, author.ok().map(|author| sorted(author.scope.projects().clone()))));
        }
        Ok(access.into_iter().collect())
    }

    /// Stores what owners may see, and who has left; returns false if the fence no longer holds.
    async fn store_access(
        &self,
        brand: BrandId,
        fence: i64,
        changed: &[(AlertRuleId, Projects)],
        owners: &OwnerAccess,
    ) -> Result<bool, Error> {
        let left: Vec<UserId> =
            owners.iter().filter(|(_, access)| access.is_none()).map(|(owner, _)| *owner).collect();
        if changed.is_empty() && left.is_empty() {
            return Ok(true);
        }
        let scope = self.scope_of(brand);
        let mut tx = self.store.begin().await?;
        if !tx.alert_cursors(&self.platform).lock(brand, fence).await? {
            return Ok(false);
        }
        for (rule, projects) in changed {
            tx.alert_rules(&scope).set_projects(*rule, projects).await?;
        }
        for owner in left {
            self.orphan_alerts_of(&mut tx, brand, owner).await?;
        }
        tx.commit().await?;
        Ok(true)
    }
}

/// Returns the owner of a rule, unless they have left.
fn owner_of(rule: &AlertRule) -> Option<UserId> {
    rule.owner.id.filter(|_| rule.owner_left_at.is_none()).map(UserId)
}

fn sorted(projects: Projects) -> Projects {
    match projects {
        Projects::All => Projects::All,
        Projects::Only(mut ids) => {
            ids.sort_unstable();
            ids.dedup();
            Projects::Only(ids)
        }
    }
}

/// Returns what is stored as the projects of each rule.
fn stored_projects(rules: &[AlertRule], rows: &[(AlertRuleId, ProjectId)]) -> HashMap<AlertRuleId, Projects> {
    let mut of_rules: HashMap<AlertRuleId, Vec<ProjectId>> = HashMap::new();
    for (rule, project) in rows {
        of_rules.entry(*rule).or_default().push(*project);
    }
    let projects = |rule: &AlertRule| match rule.all_projects {
        true => Projects::All,
        false => sorted(Projects::Only(of_rules.get(&rule.id).cloned().unwrap_or_default())),
    };
    rules.iter().map(|rule| (rule.id, projects(rule))).collect()
}

/// Returns the ids of all scopes together, so that one look finds out which of them are archived.
fn all_scopes(rules: &[AlertRule]) -> AlertScope {
    let all = |list: ScopeList| -> Vec<i64> {
        let ids: SortedSet<i64> = rules.iter().flat_map(|rule| rule.terms.scope.ids(list)).copied().collect();
        ids.into()
    };
    AlertScope {
        project_ids: all(ScopeList::Projects),
        worksite_ids: all(ScopeList::Worksites),
        machine_ids: all(ScopeList::Machines),
        person_ids: all(ScopeList::People),
        tag_ids: all(ScopeList::Tags),
        base_station_ids: all(ScopeList::BaseStations),
        zones: Vec::new(),
    }
}

fn longest_cool_down(rules: &[AlertRule]) -> Span {
    Span::minutes(rules.iter().map(|rule| rule.cool_down_minutes).max().unwrap_or(0))
}

/// Returns why nothing of a scope can be judged any more: everything in one of its lists was archived, or the owner sees none of it.
fn stopped_reason(scope: &AlertScope, active: &AlertScope, projects: &Projects) -> Option<&'static str> {
    let is_archived = |list: ScopeList| {
        let ids = scope.ids(list);
        !ids.is_empty() && !ids.iter().any(|id| active.ids(list).binary_search(id).is_ok())
    };
    if ScopeList::ALL.into_iter().any(is_archived) {
        return Some("scope_archived");
    }
    let Projects::Only(visible) = projects else { return None };
    let is_outside =
        |project: &ProjectId| !scope.project_ids.is_empty() && !scope.project_ids.contains(&project.0);
    visible.iter().all(is_outside).then_some("scope_empty")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_stops_when_nothing_of_a_list_is_left() {
        let active = AlertScope { machine_ids: vec![2, 3], worksite_ids: vec![1], ..AlertScope::default() };
        let of_machines = |ids: &[i64]| AlertScope { machine_ids: ids.to_vec(), ..AlertScope::default() };
        let all = Projects::All;
        assert_eq!(stopped_reason(&of_machines(&[1]), &active, &all), Some("scope_archived"));
        assert_eq!(stopped_reason(&of_machines(&[1, 3]), &active, &all), None);
        assert_eq!(stopped_reason(&AlertScope::default(), &active, &all), None);
        let of_site = AlertScope { worksite_ids: vec![1], machine_ids: vec![9], ..AlertScope::default() };
        assert_eq!(stopped_reason(&of_site, &active, &all), Some("scope_archived"));
    }

    #[test]
    fn a_rule_stops_when_its_owner_sees_nothing_of_it() {
        let active = AlertScope { project_ids: vec![1, 2], ..AlertScope::default() };
        let of_second = AlertScope { project_ids: vec![2], ..AlertScope::default() };
        let only = |ids: &[i64]| Projects::Only(ids.iter().copied().map(ProjectId).collect());
        assert_eq!(stopped_reason(&of_second, &active, &only(&[1])), Some("scope_empty"));
        assert_eq!(stopped_reason(&of_second, &active, &only(&[1, 2])), None);
        assert_eq!(stopped_reason(&AlertScope::default(), &active, &only(&[])), Some("scope_empty"));
        assert_eq!(stopped_reason(&of_second, &active, &Projects::All), None);
    }
}

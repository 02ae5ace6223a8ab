//! The clocks by which rules are judged, and of their firings.

use std::collections::HashMap;

use domain::{
    AlertRule, AlertRuleId, AlertScope, AlertSplit, BaseStationId, BrandId, FiringSubject, MachineId,
    PersonId, ProjectId, ScopeList, SortedMap, SortedSet, TimeZone, WorksiteId,
};
use store::Projects;

use super::LoadedRule;
use crate::{App, Error};

/// The clocks of the sites of a brand, where its machines are now, which sites the owners of rules see, and who was erased.
#[derive(Clone, Debug)]
pub(crate) struct SiteClocks {
    /// Of everything that has no worksite.
    brand: TimeZone,
    worksites: SortedMap<WorksiteId, (TimeZone, Option<ProjectId>)>,
    machines: SortedMap<MachineId, Option<WorksiteId>>,
    /// The clock that all worksites of a project share; none if they have several.
    projects: SortedMap<ProjectId, Option<TimeZone>>,
    /// The projects that rules may see; those that are missing see all.
    visible: HashMap<AlertRuleId, Projects>,
    /// The projects of the base stations that are installed.
    stations: SortedMap<BaseStationId, Option<ProjectId>>,
    erased: SortedSet<PersonId>,
    /// What rules name and is not archived, sorted; none if nobody has looked.
    active: Option<AlertScope>,
}

impl SiteClocks {
    pub fn new(
        brand: TimeZone,
        worksites: Vec<(WorksiteId, TimeZone, Option<ProjectId>)>,
        machines: Vec<(MachineId, Option<WorksiteId>)>,
    ) -> Self {
        let of_projects =
            worksites.iter().filter_map(|(_, zone, project)| Some(((*project)?, Some(zone.clone()))));
        let projects = SortedMap::merged(of_projects, |shared, zone| {
            if shared != zone {
                *shared = None;
            }
        });
        Self {
            brand,
            projects,
            worksites: worksites.into_iter().map(|(id, zone, project)| (id, (zone, project))).collect(),
            machines: machines.into_iter().collect(),
            visible: HashMap::new(),
            stations: SortedMap::default(),
            erased: SortedSet::default(),
            active: None,
        }
    }

    /// Notes what of the scopes of rules is not archived.
    pub fn set_active(&mut self, active: AlertScope) {
        self.active = Some(active);
    }

    /// Notes which projects a rule may see.
    pub fn set_visible(&mut self, rule: AlertRuleId, projects: Projects) {
        self.visible.insert(rule, projects);
    }

    /// Returns the clock of a firing, in which messages give times and by which active hours count: that of its worksite, or of its
    /// machine's, or the one that all worksites of its project share, or all of the rule, or the brand's.
    pub fn of(&self, rule: &AlertRule, subject: &FiringSubject) -> &TimeZone {
        let all = Projects::All;
        let projects = self.visible.get(&rule.id).unwrap_or(&all);
        self.of_scope(&rule.terms.scope, projects, subject)
    }

    /// The same for a rule that is not stored.
    pub fn of_scope(&self, scope: &AlertScope, projects: &Projects, subject: &FiringSubject) -> &TimeZone {
        let site = subject.worksite.or_else(|| subject.machine.and_then(|machine| self.site_of(machine)));
        match site {
            Some(site) => self.of_worksite(Some(site)),
            None => {
                let of_project = subject.project.and_then(|project| self.of_project(project));
                of_project.or_else(|| self.shared(scope, projects)).unwrap_or(&self.brand)
            }
        }
    }

    /// Returns the clock that all worksites of a project share.
    pub fn of_project(&self, project: ProjectId) -> Option<&TimeZone> {
        self.projects.get(&project)?.as_ref()
    }

    /// Returns the clock of a worksite, or the brand's.
    pub fn of_worksite(&self, worksite: Option<WorksiteId>) -> &TimeZone {
        worksite.and_then(|id| self.worksites.get(&id)).map_or(&self.brand, |(zone, _)| zone)
    }

    /// Returns the clocks of all worksites.
    pub fn worksites(&self) -> impl Iterator<Item = (WorksiteId, &TimeZone)> {
        self.worksites.iter().map(|(id, (zone, _))| (*id, zone))
    }

    /// Returns the worksite that a machine is at now.
    pub fn site_of(&self, machine: MachineId) -> Option<WorksiteId> {
        self.machines.get(&machine).copied().flatten()
    }

    /// Returns the project of a worksite now.
    pub fn project_of(&self, worksite: WorksiteId) -> Option<ProjectId> {
        self.worksites.get(&worksite).and_then(|(_, project)| *project)
    }

    /// Returns the machines that are at a worksite now. Archived ones are nowhere.
    pub fn machines_at_sites(&self) -> impl Iterator<Item = (MachineId, WorksiteId)> {
        self.machines.iter().filter_map(|(machine, site)| Some((*machine, (*site)?)))
    }

    /// Whether something that a rule names is there and in its owner's sight, so that nothing happening there means something.
    pub fn is_expected(&self, split_by: AlertSplit, id: i64, projects: &Projects) -> bool {
        let (list, is_seen) = match split_by {
            AlertSplit::None | AlertSplit::Pair => return false,
            AlertSplit::Project => (ScopeList::Projects, sees(projects, Some(ProjectId(id)))),
            AlertSplit::Worksite => (ScopeList::Worksites, sees(projects, self.project_of(WorksiteId(id)))),
            AlertSplit::Machine => {
                let project = self.site_of(MachineId(id)).and_then(|site| self.project_of(site));
                (ScopeList::Machines, sees(projects, project))
            }
            AlertSplit::BaseStation => {
                let project = self.stations.get(&BaseStationId(id));
                (ScopeList::BaseStations, project.is_some_and(|project| sees(projects, *project)))
            }
            // They have no project.
            AlertSplit::Person => (ScopeList::People, true),
            AlertSplit::Tag => (ScopeList::Tags, true),
        };
        is_seen && self.active.as_ref().is_none_or(|active| active.ids(list).binary_search(&id).is_ok())
    }

    /// Whether a split is about someone who was erased: their facts still count, but not as theirs.
    pub fn is_split_erased(&self, split_by: AlertSplit, ids: &[i64]) -> bool {
        match (split_by, ids) {
            (AlertSplit::Person, [person]) | (AlertSplit::Pair, [_, person]) => {
                self.erased.contains(&PersonId(*person))
            }
            _ => false,
        }
    }

    /// Returns the clock that all worksites of a scope share.
    fn shared(&self, scope: &AlertScope, projects: &Projects) -> Option<&TimeZone> {
        let machine_sites: Vec<i64> = scope
            .machine_ids
            .iter()
            .filter_map(|machine| self.site_of(MachineId(*machine)))
            .map(|site| site.0)
            .collect();
        let named = if scope.worksite_ids.is_empty() { &machine_sites } else { &scope.worksite_ids };
        let mut zones = self.worksites.iter().filter_map(|(id, (zone, project))| {
            let is_meant = match named.is_empty() {
                false => named.contains(&id.0),
                true => {
                    let is_of_scope = scope.project_ids.is_empty()
                        || project.is_some_and(|project| scope.project_ids.contains(&project.0));
                    is_of_scope && sees(projects, *project)
                }
            };
            is_meant.then_some(zone)
        });
        let first = zones.next()?;
        zones.all(|zone| zone == first).then_some(first)
    }
}

/// Whether projects include the project of a record.
pub(crate) fn sees(projects: &Projects, project: Option<ProjectId>) -> bool {
    match projects {
        Projects::All => true,
        Projects::Only(visible) => project.is_some_and(|project| visible.contains(&project)),
    }
}

impl App {
    /// Loads the clocks of a brand's sites as they are now.
    pub(crate) async fn load_site_clocks(&self, brand: BrandId) -> Result<SiteClocks, Error> {
        let scope = self.scope_of(brand);
        let mut tx = self.store.read().await?;
        let zone = tx.brand_settings(&scope).await?.values.time_zone;
        let worksites = tx.device_values(&scope).worksite_zones().await?;
        let machines = tx.device_values(&scope).machine_sites().await?;
        let mut clocks = SiteClocks::new(zone, worksites, machines);
        let stations = tx.device_values(&scope).stations().await?;
        clocks.stations = stations.into_iter().map(|one| (one.station, one.project)).collect();
        clocks.erased = tx.device_values(&scope).erased_people().await?.into_iter().collect();
        Ok(clocks)
    }

    /// Loads them for a single rule.
    pub(crate) async fn load_rule_clocks(
        &self,
        brand: BrandId,
        rule: &LoadedRule,
    ) -> Result<SiteClocks, Error> {
        let scope = self.scope_of(brand);
        let mut clocks = self.load_site_clocks(brand).await?;
        clocks.set_visible(rule.rule.id, rule.projects.clone());
        let mut tx = self.store.read().await?;
        clocks.set_active(tx.alert_rules(&scope).active_ids(&rule.rule.terms.scope).await?);
        Ok(clocks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(name: &str) -> TimeZone {
        TimeZone::parse(name).unwrap()
    }

    /// Two sites in Berlin and one in New York; the brand is in Rome.
    fn clocks() -> SiteClocks {
        SiteClocks::new(
            zone("Europe/Rome"),
            vec![
                (WorksiteId(1), zone("Europe/Berlin"), Some(ProjectId(1))),
                (WorksiteId(2), zone("Europe/Berlin"), Some(ProjectId(1))),
                (WorksiteId(3), zone("America/New_York"), Some(ProjectId(2))),
            ],
            vec![(MachineId(5), Some(WorksiteId(3))), (MachineId(6), None)],
        )
    }

    #[test]
    fn nothing_is_expected_of_what_is_archived_or_out_of_sight() {
        let mut clocks = clocks();
        let only = |id| Projects::Only(vec![ProjectId(id)]);
        let machine = |clocks: &SiteClocks, id, projects: &Projects| {
            clocks.is_expected(AlertSplit::Machine, id, projects)
        };
        assert!(machine(&clocks, 5, &Projects::All) && machine(&clocks, 6, &Projects::All));
        assert!(machine(&clocks, 5, &only(2)) && !machine(&clocks, 5, &only(1)));
        assert!(!machine(&clocks, 6, &only(1)), "it is at no site of the owner");
        clocks.set_active(AlertScope { machine_ids: vec![6], ..AlertScope::default() });
        assert!(!machine(&clocks, 5, &Projects::All) && machine(&clocks, 6, &Projects::All));
        assert!(!clocks.is_expected(AlertSplit::BaseStation, 9, &Projects::All), "it is not installed");
        clocks.erased = SortedSet::from_iter([PersonId(4)]);
        assert!(clocks.is_split_erased(AlertSplit::Person, &[4]));
        assert!(clocks.is_split_erased(AlertSplit::Pair, &[1, 4]));
        assert!(!clocks.is_split_erased(AlertSplit::Pair, &[4, 1]));
        assert!(!clocks.is_split_erased(AlertSplit::Machine, &[4]));
    }

    #[test]
    fn the_nearest_clock_counts() {
        let (clocks, all) = (clocks(), Projects::All);
        let nowhere = FiringSubject::default();
        let of = |scope: &AlertScope, projects: &Projects, subject: &FiringSubject| {
            clocks.of_scope(scope, projects, subject).as_str().to_owned()
        };
        let anything = AlertScope::default();
        let at_site = FiringSubject { worksite: Some(WorksiteId(3)), ..nowhere };
        assert_eq!(of(&anything, &all, &at_site), "America/New_York");
        let machine = FiringSubject { machine: Some(MachineId(5)), ..nowhere };
        assert_eq!(of(&anything, &all, &machine), "America/New_York");
        let unplaced = FiringSubject { machine: Some(MachineId(6)), ..nowhere };
        assert_eq!(of(&anything, &all, &unplaced), "Europe/Rome");
        assert_eq!(of(&anything, &all, &nowhere), "Europe/Rome");
        assert_eq!(of(&anything, &Projects::Only(vec![ProjectId(1)]), &nowhere), "Europe/Berlin");
        let of_project = AlertScope { project_ids: vec![1], ..AlertScope::default() };
        assert_eq!(of(&of_project, &all, &nowhere), "Europe/Berlin");
        let in_project = FiringSubject { project: Some(ProjectId(2)), ..nowhere };
        assert_eq!(of(&anything, &all, &in_project), "America/New_York");
        let of_sites = AlertScope { worksite_ids: vec![1, 3], ..AlertScope::default() };
        assert_eq!(of(&of_sites, &all, &nowhere), "Europe/Rome");
        let of_machine = AlertScope { machine_ids: vec![5, 6], ..AlertScope::default() };
        assert_eq!(of(&of_machine, &all, &nowhere), "America/New_York");
    }
}

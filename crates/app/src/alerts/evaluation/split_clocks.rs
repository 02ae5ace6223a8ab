//! By which clock the day or week of a split begins: a split has one window, so that its value can be checked with one question.

use domain::{AlertSplit, FiringSubject, MachineId, ProjectId, TimeZone, WorksiteId};

use super::LoadedRule;
use super::plan::WindowStart;
use super::zones::SiteClocks;

/// The clocks of the splits of a rule: that of the worksite of a split, or of the one that its machine is at now, or the one that all
/// worksites of its project share, or else one for all splits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SplitClocks<'a> {
    clocks: &'a SiteClocks,
    split_by: AlertSplit,
    /// The one that all worksites of the rule share, or the brand's.
    otherwise: &'a TimeZone,
}

impl<'a> SplitClocks<'a> {
    pub fn new(clocks: &'a SiteClocks, split_by: AlertSplit, otherwise: &'a TimeZone) -> Self {
        Self { clocks, split_by, otherwise }
    }

    pub fn of_rule(clocks: &'a SiteClocks, rule: &LoadedRule) -> Self {
        let terms = &rule.rule.terms;
        let otherwise = clocks.of_scope(&terms.scope, &rule.projects, &FiringSubject::default());
        Self::new(clocks, terms.split_by, otherwise)
    }

    /// Returns the clock of a split.
    pub fn of(&self, ids: &[i64]) -> &'a TimeZone {
        let clocks = self.clocks;
        let own = match (self.split_by, ids) {
            (AlertSplit::Worksite, [site]) => Some(clocks.of_worksite(Some(WorksiteId(*site)))),
            (AlertSplit::Machine, [machine]) | (AlertSplit::Pair, [machine, _]) => {
                clocks.site_of(MachineId(*machine)).map(|site| clocks.of_worksite(Some(site)))
            }
            (AlertSplit::Project, [project]) => clocks.of_project(ProjectId(*project)),
            _ => None,
        };
        own.unwrap_or(self.otherwise)
    }

    /// Returns where the windows of the splits can begin, each once.
    pub(super) fn starts(&self, start_by: impl Fn(&TimeZone) -> WindowStart) -> Vec<WindowStart> {
        let mut starts = vec![start_by(self.otherwise)];
        let has_own = match self.split_by {
            AlertSplit::Worksite | AlertSplit::Machine | AlertSplit::Pair | AlertSplit::Project => true,
            AlertSplit::None | AlertSplit::BaseStation | AlertSplit::Person | AlertSplit::Tag => false,
        };
        for (_, zone) in self.clocks.worksites().filter(|_| has_own) {
            let start = start_by(zone);
            if !starts.contains(&start) {
                starts.push(start);
            }
        }
        starts
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        AlertComparison, AlertLevel, AlertMetric, AlertScope, AlertTerms, AlertWindow, CalendarUnit,
        Timestamp,
    };

    use super::*;

    fn zone(name: &str) -> TimeZone {
        TimeZone::parse(name).unwrap()
    }

    #[test]
    fn a_split_has_the_clock_of_its_site_or_one_for_all() {
        let sites = vec![
            (WorksiteId(1), zone("Europe/Berlin"), Some(ProjectId(1))),
            (WorksiteId(2), zone("America/New_York"), Some(ProjectId(2))),
            (WorksiteId(3), zone("Europe/Paris"), Some(ProjectId(2))),
        ];
        let machines = vec![(MachineId(5), Some(WorksiteId(2))), (MachineId(6), None)];
        let clocks = SiteClocks::new(zone("Europe/Rome"), sites, machines);
        let shared = zone("Asia/Tokyo");
        let of = |split_by: AlertSplit, ids: &[i64]| {
            SplitClocks::new(&clocks, split_by, &shared).of(ids).as_str().to_owned()
        };
        assert_eq!(of(AlertSplit::Worksite, &[1]), "Europe/Berlin");
        assert_eq!(of(AlertSplit::Machine, &[5]), "America/New_York");
        assert_eq!(of(AlertSplit::Machine, &[6]), "Asia/Tokyo");
        assert_eq!(of(AlertSplit::Pair, &[5, 1]), "America/New_York");
        assert_eq!(of(AlertSplit::Project, &[1]), "Europe/Berlin");
        assert_eq!(of(AlertSplit::Project, &[2]), "Asia/Tokyo", "it has several");
        for split_by in [AlertSplit::Person, AlertSplit::Tag, AlertSplit::BaseStation] {
            assert_eq!(of(split_by, &[1]), "Asia/Tokyo");
        }
        assert_eq!(of(AlertSplit::None, &[]), "Asia/Tokyo");

        // It is Monday in Berlin and Paris, which share a window, and in Tokyo, but still Sunday in New York.
        let now = Timestamp::parse("2026-03-01T23:30:00Z").unwrap();
        let terms = AlertTerms {
            metric: AlertMetric::Incursions,
            comparison: AlertComparison::Above,
            threshold: AlertLevel::whole(3),
            window: Some(AlertWindow::Calendar(CalendarUnit::Day)),
            minimum_count: None,
            scope: AlertScope::default(),
            split_by: AlertSplit::None,
        };
        let starts = |split_by: AlertSplit| {
            let start_by = |zone: &TimeZone| WindowStart::of(&terms, zone, now);
            SplitClocks::new(&clocks, split_by, &shared).starts(start_by)
        };
        let at = |text: &str| WindowStart::At(Timestamp::parse(text).unwrap());
        let tokyo = at("2026-03-01T15:00:00Z");
        assert_eq!(starts(AlertSplit::None), [tokyo]);
        let (berlin, new_york) = (at("2026-03-01T23:00:00Z"), at("2026-03-01T05:00:00Z"));
        assert_eq!(starts(AlertSplit::Worksite), [tokyo, berlin, new_york]);
    }
}

//! The firings of a brand, as far as they matter for judging.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::{
    AlertFiring, AlertFiringId, AlertRuleId, FiringSubject, Measurement, ProjectId, Span, SplitKey, Timestamp,
};

/// In which the changes of a rule are counted.
pub(super) const CHANGES_PERIOD: Span = Span::minutes(60);
/// A split whose firing was closed by as many changes of its rule in that time rests until the first of them is out of it, so that nobody
/// can make the same alarm again and again.
const MAX_CHANGES: usize = 3;

/// An open firing of a split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OpenFiring {
    pub id: AlertFiringId,
    pub subject: FiringSubject,
    /// The value that was furthest beyond.
    pub peak: Measurement,
    pub no_data_since: Option<Timestamp>,
    pub held_until: Option<Timestamp>,
    /// The projects that went into it; none among them if all did, or records without a project.
    pub projects: BTreeSet<Option<ProjectId>>,
}

impl OpenFiring {
    fn new(firing: &AlertFiring, projects: BTreeSet<Option<ProjectId>>) -> Self {
        Self {
            id: firing.id,
            subject: firing.subject,
            peak: firing.peak(),
            no_data_since: firing.no_data_since,
            held_until: firing.held_until,
            projects: match firing.all_projects {
                true => BTreeSet::from([None]),
                false => projects,
            },
        }
    }

    /// Whether all these projects went into it, so that whoever sees it sees them.
    pub fn covers(&self, projects: &BTreeSet<Option<ProjectId>>) -> bool {
        self.projects.contains(&None) || projects.is_subset(&self.projects)
    }
}

/// What is read of the firings of a brand.
#[derive(Debug, Default)]
pub(super) struct StoredFirings {
    pub open: Vec<AlertFiring>,
    /// The projects of those that do not cover all.
    pub projects: Vec<(AlertFiringId, ProjectId)>,
    /// The last clearing of each split, as far as cool-downs go back.
    pub cleared: Vec<(AlertRuleId, SplitKey, Timestamp)>,
    /// What changes of rules closed lately, in order.
    pub changed: Vec<(AlertRuleId, SplitKey, Timestamp)>,
}

/// The firings of a brand, as far as they matter for judging: what is open, and what has cleared lately.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownFirings {
    open: HashMap<AlertRuleId, BTreeMap<SplitKey, OpenFiring>>,
    cleared: HashMap<AlertRuleId, BTreeMap<SplitKey, Timestamp>>,
    changed: HashMap<AlertRuleId, BTreeMap<SplitKey, Vec<Timestamp>>>,
}

impl KnownFirings {
    pub fn new(stored: StoredFirings) -> Self {
        let mut known = Self::default();
        let mut projects: HashMap<AlertFiringId, BTreeSet<Option<ProjectId>>> = HashMap::new();
        for (firing, project) in stored.projects {
            projects.entry(firing).or_default().insert(Some(project));
        }
        for firing in stored.open {
            let covered = projects.remove(&firing.id).unwrap_or_default();
            let open = OpenFiring::new(&firing, covered);
            known.add(firing.rule, firing.split_key, open);
        }
        for (rule, split, at) in stored.cleared {
            known.cleared.entry(rule).or_default().insert(split, at);
        }
        for (rule, split, at) in stored.changed {
            known.changed.entry(rule).or_default().entry(split).or_default().push(at);
        }
        known
    }

    pub fn add(&mut self, rule: AlertRuleId, split: SplitKey, firing: OpenFiring) {
        self.open.entry(rule).or_default().insert(split, firing);
    }

    pub fn clear(&mut self, rule: AlertRuleId, split: &SplitKey, now: Timestamp) {
        if let Some(splits) = self.open.get_mut(&rule) {
            splits.remove(split);
        }
        self.cleared.entry(rule).or_default().insert(split.clone(), now);
    }

    /// Returns an open firing to change what is known of it.
    pub fn open_mut(&mut self, rule: AlertRuleId, split: &SplitKey) -> Option<&mut OpenFiring> {
        self.open.get_mut(&rule)?.get_mut(split)
    }

    /// Returns the open firings of a rule.
    pub fn open_of(&self, rule: AlertRuleId) -> impl Iterator<Item = (&SplitKey, &OpenFiring)> {
        self.open.get(&rule).into_iter().flatten()
    }

    pub fn has_open(&self, rule: AlertRuleId) -> bool {
        self.open.get(&rule).is_some_and(|splits| !splits.is_empty())
    }

    /// Returns how many firings of all rules are open.
    pub fn open_count(&self) -> usize {
        self.open.values().map(BTreeMap::len).sum()
    }

    /// Returns the open firing of a split.
    pub fn open(&self, rule: AlertRuleId, split: &SplitKey) -> Option<&OpenFiring> {
        self.open.get(&rule)?.get(split)
    }

    /// Returns when the last firing of a split cleared, if that may still matter.
    pub fn cleared_at(&self, rule: AlertRuleId, split: &SplitKey) -> Option<Timestamp> {
        self.cleared.get(&rule)?.get(split).copied()
    }

    /// Returns until when a split rests because changes of its rule have closed its firing so often; none if it does not.
    pub fn rests_until(&self, rule: AlertRuleId, split: &SplitKey, now: Timestamp) -> Option<Timestamp> {
        let closed = self.changed.get(&rule)?.get(split)?;
        let recent = closed.iter().copied().filter(|at| now - *at < CHANGES_PERIOD);
        // As many of the newest ones as are too many; the first of them leaves first.
        let newest: Vec<Timestamp> = recent.rev().take(MAX_CHANGES).collect();
        newest.last().filter(|_| newest.len() == MAX_CHANGES).map(|first| *first + CHANGES_PERIOD)
    }

    /// Returns when notifications of the next of the held firings are sent.
    pub fn next_held_until(&self, now: Timestamp) -> Option<Timestamp> {
        let all = self.open.values().flat_map(BTreeMap::values);
        all.filter_map(|firing| firing.held_until).filter(|until| *until > now).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_cleared_is_remembered() {
        let (rule, split) = (AlertRuleId(1), SplitKey::new(vec![7]));
        let now = Timestamp::from_seconds(1_000);
        let firing = OpenFiring {
            id: AlertFiringId(3),
            subject: FiringSubject::default(),
            peak: Measurement::count(4),
            no_data_since: None,
            held_until: Some(now + Span::minutes(5)),
            projects: BTreeSet::from([Some(ProjectId(1)), Some(ProjectId(2))]),
        };
        let covers = |ids: &[i64]| firing.covers(&ids.iter().map(|id| Some(ProjectId(*id))).collect());
        assert!(covers(&[]) && covers(&[2]) && covers(&[1, 2]) && !covers(&[2, 3]));
        assert!(!firing.covers(&BTreeSet::from([None])));
        let mut known = KnownFirings::default();
        known.add(rule, split.clone(), firing);
        assert!(known.has_open(rule) && known.cleared_at(rule, &split).is_none());
        assert_eq!(known.next_held_until(now), Some(now + Span::minutes(5)));
        known.clear(rule, &split, now);
        assert!(!known.has_open(rule) && known.open(rule, &split).is_none());
        assert_eq!((known.cleared_at(rule, &split), known.next_held_until(now)), (Some(now), None));
    }

    #[test]
    fn a_split_rests_after_many_changes_of_its_rule() {
        let (rule, split) = (AlertRuleId(1), SplitKey::new(vec![7]));
        let minute = |number: i64| Timestamp::from_seconds(number * 60);
        let changed = |minutes: &[i64]| {
            let changed = minutes.iter().map(|number| (rule, split.clone(), minute(*number))).collect();
            KnownFirings::new(StoredFirings { changed, ..StoredFirings::default() })
        };
        assert_eq!(changed(&[1, 2]).rests_until(rule, &split, minute(3)), None);
        let often = changed(&[1, 2, 30]);
        for now in [30, 60] {
            assert_eq!(often.rests_until(rule, &split, minute(now)), Some(minute(61)));
        }
        assert_eq!(often.rests_until(rule, &split, minute(61)), None);
        assert_eq!(often.rests_until(rule, &SplitKey::new(vec![8]), minute(30)), None);
        assert_eq!(changed(&[1, 2, 30, 40]).rests_until(rule, &split, minute(45)), Some(minute(62)));
    }
}

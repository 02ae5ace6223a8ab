//! What a process knows of the brands that it evaluates, so that an evaluation reads only what has changed.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use domain::{AlertFiringId, AlertRuleId, AlertStatus, BrandId, Measurement, Span, SplitKey, Timestamp};
use store::DueBrand;

use super::LoadedRule;
use super::known_firings::KnownFirings;
use super::lease::BrandLease;
use super::zones::SiteClocks;

/// Rules are read again after this time even if no version has moved.
const LOADED_FOR: Span = Span::seconds(30);
/// If nothing crosses, what was evaluated is stored this often.
const STORED_EVERY: Span = Span::seconds(5);

/// The brands that this process evaluates. It evaluates each of them once at a time.
#[derive(Debug, Default)]
pub(crate) struct Engine {
    brands: Mutex<HashMap<BrandId, Arc<BrandSlot>>>,
}

/// What is known of a brand; none before its first evaluation, and after one that failed.
pub(super) type BrandSlot = tokio::sync::Mutex<Option<BrandProgress>>;

impl Engine {
    pub(super) fn brand(&self, id: BrandId) -> Arc<BrandSlot> {
        let mut brands = self.brands.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(brands.entry(id).or_default())
    }
}

/// What is read of a brand before its rules are judged.
#[derive(Debug)]
pub(super) struct LoadedBrand {
    /// Those that are enabled.
    pub rules: Vec<LoadedRule>,
    pub clocks: SiteClocks,
    pub firings: KnownFirings,
}

/// What is known of a brand between two evaluations.
#[derive(Debug)]
pub(super) struct BrandProgress {
    pub lease: BrandLease,
    /// Up to here facts were evaluated.
    pub seq: i64,
    pub evaluated_at: Timestamp,
    /// When all rules are looked at again.
    pub next_due_at: Timestamp,
    /// Rules whose crossings were left to the next evaluation, in part.
    pub unfinished: HashSet<AlertRuleId>,
    /// When that was last stored.
    pub stored_at: Option<Timestamp>,
    pub rules: Arc<Vec<LoadedRule>>,
    pub clocks: Arc<SiteClocks>,
    pub firings: KnownFirings,
    /// What is stored as the status of each rule.
    pub statuses: HashMap<AlertRuleId, (AlertStatus, Option<String>)>,
    /// The rules that were judged as they are.
    pub judged: HashSet<AlertRuleId>,
    /// Those of them that were beyond the threshold and cooled down, with when the first of their splits fires, if that lasts.
    pub cooling: HashMap<AlertRuleId, Timestamp>,
    /// When rules were judged, as far as that is stored: first, when their status changed, and rules of drift always.
    pub judged_at: HashMap<AlertRuleId, Timestamp>,
    /// How many splits rules had when they were last measured, if they were since the process began to evaluate the brand.
    pub splits: HashMap<AlertRuleId, usize>,
    /// Rules that are not measured because of the splits of older ones. They are looked at again each time.
    pub left_out: HashSet<AlertRuleId>,
    /// Values that went further beyond and are not stored yet.
    pub peaks: HashMap<AlertFiringId, Measurement>,
    pub rules_version: i64,
    pub registry_version: i64,
    pub loaded_at: Timestamp,
}

impl BrandProgress {
    /// Begins to evaluate a brand.
    pub fn new(lease: BrandLease, loaded: LoadedBrand, due: &DueBrand, now: Timestamp) -> Self {
        Self {
            lease,
            seq: due.cursor.evaluated_seq,
            evaluated_at: now,
            next_due_at: now,
            unfinished: HashSet::new(),
            stored_at: None,
            statuses: statuses_of(&loaded.rules),
            judged: HashSet::new(),
            cooling: HashMap::new(),
            judged_at: judged_at(&loaded.rules),
            splits: HashMap::new(),
            left_out: HashSet::new(),
            peaks: HashMap::new(),
            rules: Arc::new(loaded.rules),
            clocks: Arc::new(loaded.clocks),
            firings: loaded.firings,
            rules_version: due.cursor.rules_version,
            registry_version: due.registry_version,
            loaded_at: now,
        }
    }

    /// Takes over what was read again. Rules that stayed as they were need not be judged again for it.
    pub fn reload(&mut self, loaded: LoadedBrand, due: &DueBrand, now: Timestamp) {
        let before: HashMap<AlertRuleId, &LoadedRule> =
            self.rules.iter().map(|rule| (rule.rule.id, rule)).collect();
        let is_same = |rule: &&LoadedRule| {
            before.get(&rule.rule.id).is_some_and(|before| {
                before.rule.version == rule.rule.version
                    && before.projects == rule.projects
                    && before.stopped == rule.stopped
            })
        };
        let same: HashSet<AlertRuleId> =
            loaded.rules.iter().filter(is_same).map(|rule| rule.rule.id).collect();
        self.judged.retain(|rule| same.contains(rule));
        // A rule that has changed has about as many splits as before, until it is measured.
        let known: HashSet<AlertRuleId> = loaded.rules.iter().map(|rule| rule.rule.id).collect();
        self.splits.retain(|rule, _| known.contains(rule));
        self.left_out.retain(|rule| known.contains(rule));
        self.statuses = statuses_of(&loaded.rules);
        self.judged_at = judged_at(&loaded.rules);
        self.rules = Arc::new(loaded.rules);
        self.clocks = Arc::new(loaded.clocks);
        self.firings = loaded.firings;
        self.rules_version = due.cursor.rules_version;
        self.registry_version = due.registry_version;
        self.loaded_at = now;
    }

    /// Whether nothing has changed since the last evaluation and no time has come.
    pub fn is_current(&self, due: &DueBrand, now: Timestamp) -> bool {
        self.seq >= due.last_seq
            && self.unfinished.is_empty()
            && now < self.next_due_at
            && self.rules_version >= due.cursor.rules_version
            && self.evaluated_at <= now
    }

    /// Whether the rules must be read again. What users may see moves the version of the registry.
    pub fn is_outdated(&self, due: &DueBrand, now: Timestamp) -> bool {
        due.cursor.rules_version > self.rules_version
            || due.registry_version > self.registry_version
            || now - self.loaded_at >= LOADED_FOR
            || now < self.loaded_at
    }

    /// Whether what was evaluated should be stored although nothing crossed.
    pub fn should_store(&self, now: Timestamp) -> bool {
        self.stored_at.is_none_or(|stored_at| now - stored_at >= STORED_EVERY || now < stored_at)
    }

    /// Notes that a rule was judged as it is.
    pub fn note_judged(&mut self, rule: AlertRuleId, cools_until: Option<Timestamp>) {
        self.judged.insert(rule);
        match cools_until {
            Some(until) => self.cooling.insert(rule, until),
            None => self.cooling.remove(&rule),
        };
    }

    /// Notes that an open firing is further beyond the threshold than before. It is stored with what is written next.
    pub fn note_peak(&mut self, rule: AlertRuleId, split: &SplitKey, value: Measurement) {
        if let Some(open) = self.firings.open_mut(rule, split) {
            open.peak = value;
            self.peaks.insert(open.id, value);
        }
    }

    /// Returns when all rules are looked at again after an evaluation of all or some of them: with the next minute, as the dry run does,
    /// or earlier if a message was held until then or a cool-down ends.
    pub fn next_look(&self, is_full: bool, now: Timestamp) -> Timestamp {
        let usual = match is_full {
            true => now.truncate_to_minute() + Span::minutes(1),
            false => self.next_due_at,
        };
        let cooled = self.cooling.values().copied().filter(|until| *until > now).min();
        [self.firings.next_held_until(now), cooled].into_iter().flatten().fold(usual, Timestamp::min)
    }
}

fn statuses_of(rules: &[LoadedRule]) -> HashMap<AlertRuleId, (AlertStatus, Option<String>)> {
    rules.iter().map(|rule| (rule.rule.id, (rule.rule.status, rule.rule.status_reason.clone()))).collect()
}

fn judged_at(rules: &[LoadedRule]) -> HashMap<AlertRuleId, Timestamp> {
    rules.iter().filter_map(|rule| Some((rule.rule.id, rule.rule.judged_at?))).collect()
}

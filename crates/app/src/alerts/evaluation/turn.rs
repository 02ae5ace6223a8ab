//! How much of what an evaluation finds is written at once, so that no rule holds up others, and no brand another.

use std::collections::HashSet;

use domain::{AlertRuleId, Monotonic, Span, sorted};

use super::verdicts::{MAX_OPEN, Verdict};

/// Open firings of all rules of a brand. What crosses beyond that does not fire until others have cleared.
const MAX_OPEN_OF_BRAND: usize = 20_000;
/// Of each rule, so many are open however many others are.
const RESERVED_OPEN: usize = 10;
/// Crossings of a rule in one evaluation. The rest is judged again in the next one.
const MAX_OF_RULE: usize = 200;
/// Crossings of a brand in one evaluation.
const MAX_OF_BRAND: usize = 1_000;
/// After writing for this long, no further batch of crossings is begun.
const MAX_DURATION: Span = Span::seconds(3);

/// The crossings that an evaluation may write.
#[derive(Debug, Default)]
pub(super) struct Turn {
    of_rules: Vec<(AlertRuleId, Vec<Verdict>)>,
    /// How many crossings that are.
    count: usize,
    /// Rules whose crossings are not all among them.
    pub unfinished: HashSet<AlertRuleId>,
}

impl Turn {
    /// Adds the crossings of a rule, as many as fit into one evaluation.
    pub fn add(&mut self, rule: AlertRuleId, mut verdicts: Vec<Verdict>) {
        if verdicts.is_empty() {
            return;
        }
        if verdicts.len() > MAX_OF_RULE {
            verdicts.truncate(MAX_OF_RULE);
            self.unfinished.insert(rule);
        }
        verdicts.shrink_to_fit();
        self.count += verdicts.len();
        self.of_rules.push((rule, verdicts));
        // What does not come first among some will not among more, and many rules may have crossings.
        if self.count >= 2 * MAX_OF_BRAND {
            self.keep_first();
        }
    }

    /// Returns the crossings that are written, each with its rule.
    pub fn finish(&mut self) -> Vec<(AlertRuleId, Verdict)> {
        self.keep_first();
        self.count = 0;
        let of_rules = std::mem::take(&mut self.of_rules).into_iter();
        of_rules
            .flat_map(|(rule, verdicts)| verdicts.into_iter().map(move |verdict| (rule, verdict)))
            .collect()
    }

    /// Keeps as many crossings as one evaluation writes. Rules with few crossings come first: they need not wait for those with many.
    fn keep_first(&mut self) {
        sorted::sort_by_key(&mut self.of_rules, |(_, verdicts)| verdicts.len());
        let mut left = MAX_OF_BRAND;
        for (rule, verdicts) in &mut self.of_rules {
            if verdicts.len() > left {
                self.unfinished.insert(*rule);
                verdicts.truncate(left);
            }
            left -= verdicts.len();
        }
        self.of_rules.retain(|(_, verdicts)| !verdicts.is_empty());
        self.count = MAX_OF_BRAND - left;
    }
}

/// Whether an evaluation that began to write then may not begin another batch.
pub(super) fn is_over(began: Monotonic, now: Monotonic) -> bool {
    now - began >= MAX_DURATION
}

/// Takes away the firings that a rule may not have besides the open ones: its own, and those of the brand. Returns whether there were any.
pub(super) fn limit_open(verdicts: &mut Vec<Verdict>, (open, of_brand): (usize, usize)) -> bool {
    let of_brand = MAX_OPEN_OF_BRAND.saturating_sub(of_brand).max(RESERVED_OPEN.saturating_sub(open));
    let mut left = MAX_OPEN.saturating_sub(open).min(of_brand);
    let before = verdicts.len();
    verdicts.retain(|verdict| {
        if !matches!(verdict, Verdict::Fire { .. }) {
            return true;
        }
        let fits = left > 0;
        left = left.saturating_sub(1);
        fits
    });
    verdicts.len() < before
}

#[cfg(test)]
mod tests {
    use domain::{AlertFiringId, FiringSubject, Judgement, Measurement, SplitKey};

    use super::super::Measured;
    use super::*;

    fn fire(split: i64) -> Verdict {
        let value = Measurement::count(3);
        let measured = Measured {
            split: SplitKey::new(vec![split]),
            subject: FiringSubject::default(),
            judgement: Judgement::Value(value),
            projects: [None].into(),
            details: serde_json::json!({}),
        };
        Verdict::Fire { rule: 0, measured, value }
    }

    fn set_no_data() -> Verdict {
        Verdict::SetNoData { rule: 0, split: SplitKey::new(vec![1]), firing: AlertFiringId(1), since: None }
    }

    #[test]
    fn rules_with_few_crossings_come_first() {
        let mut turn = Turn::default();
        for rule in 1..=6 {
            turn.add(AlertRuleId(rule), vec![fire(1); MAX_OF_RULE + 1]);
        }
        turn.add(AlertRuleId(7), vec![fire(1)]);
        turn.add(AlertRuleId(8), Vec::new());
        let written = turn.finish();
        assert_eq!((written.len(), written[0].0), (MAX_OF_BRAND, AlertRuleId(7)));
        assert_eq!(turn.unfinished, (1..=6).map(AlertRuleId).collect::<HashSet<_>>());
    }

    #[test]
    fn what_fits_is_finished() {
        let mut turn = Turn::default();
        turn.add(AlertRuleId(1), vec![fire(1); MAX_OF_RULE]);
        assert_eq!((turn.finish().len(), turn.unfinished.len()), (MAX_OF_RULE, 0));
    }

    #[test]
    fn a_rule_has_so_many_open_firings() {
        let mut verdicts = vec![fire(1), set_no_data(), fire(2), fire(3)];
        assert!(!limit_open(&mut verdicts, (MAX_OPEN - 3, MAX_OPEN_OF_BRAND - 3)));
        assert!(limit_open(&mut verdicts, (MAX_OPEN - 2, 0)));
        assert_eq!(verdicts.len(), 3);
        assert!(!limit_open(&mut verdicts, (RESERVED_OPEN - 2, MAX_OPEN_OF_BRAND + 1)));
        assert!(limit_open(&mut verdicts, (RESERVED_OPEN - 1, MAX_OPEN_OF_BRAND)));
        assert_eq!(verdicts.len(), 2);
        assert!(limit_open(&mut verdicts, (MAX_OPEN, 0)));
        assert!(matches!(verdicts[..], [Verdict::SetNoData { .. }]));
    }

    #[test]
    fn the_crossings_of_many_rules_are_not_kept() {
        let mut turn = Turn::default();
        for rule in 1..=500 {
            turn.add(AlertRuleId(rule), vec![fire(1); MAX_OF_RULE]);
            let kept: usize = turn.of_rules.iter().map(|(_, verdicts)| verdicts.len()).sum();
            assert!(kept < 2 * MAX_OF_BRAND, "{kept}");
        }
        turn.add(AlertRuleId(501), vec![fire(1); 3]);
        let written = turn.finish();
        assert_eq!((written.len(), written[0].0), (MAX_OF_BRAND, AlertRuleId(501)));
        // Five rules are written, of which the last one in part.
        assert_eq!(turn.unfinished.len(), 500 - 4);
    }
}

//! How much of what an evaluation finds is written at once, so that no rule holds up others, and no brand another.

use std::collections::HashSet;

use domain::{AlertRuleId, Monotonic, Span, sorted};

use super::verdicts::Verdict;

/// Open firings of a rule. What crosses beyond that does not fire until others have cleared.
const MAX_OPEN: usize = 1_000;
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
        self.of_rules.push((rule, verdicts));
    }

    /// Returns the crossings that are written, each with its rule. Rules with few crossings come first: they need not wait for those with
    /// many.
    pub fn finish(&mut self) -> Vec<(AlertRuleId, Verdict)> {
        let mut of_rules = std::mem::take(&mut self.of_rules);
        sorted::sort_by_key(&mut of_rules, |(_, verdicts)| verdicts.len());
        let mut written = Vec::new();
        for (rule, verdicts) in of_rules {
            if written.len() + verdicts.len() > MAX_OF_BRAND {
                self.unfinished.insert(rule);
            }
            let left = MAX_OF_BRAND - written.len();
            written.extend(verdicts.into_iter().take(left).map(|verdict| (rule, verdict)));
        }
        written
    }
}

/// Whether an evaluation that began to write then may not begin another batch.
pub(super) fn is_over(began: Monotonic, now: Monotonic) -> bool {
    now - began >= MAX_DURATION
}

/// Takes away the firings that a rule may not have besides its open ones. Returns whether there were any.
pub(super) fn limit_open(verdicts: &mut Vec<Verdict>, open: usize) -> bool {
    let mut left = MAX_OPEN.saturating_sub(open);
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
        assert!(!limit_open(&mut verdicts, MAX_OPEN - 3));
        assert!(limit_open(&mut verdicts, MAX_OPEN - 1));
        assert_eq!(verdicts.len(), 2);
        assert!(limit_open(&mut verdicts, MAX_OPEN));
        assert!(matches!(verdicts[..], [Verdict::SetNoData { .. }]));
    }
}

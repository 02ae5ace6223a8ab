//! What a request gives of the terms of a rule.

use crate::{AlertComparison, AlertLevel, AlertMetric, AlertScope, AlertSplit, AlertTerms, AlertWindow};

/// What a request gives of the terms of a rule. What it leaves out has the default of the metric.
#[derive(Clone, Debug)]
pub struct GivenTerms {
    pub metric: AlertMetric,
    pub comparison: Option<AlertComparison>,
    pub threshold: AlertLevel,
    pub window: Option<AlertWindow>,
    pub minimum_count: Option<i64>,
    pub scope: AlertScope,
    pub split_by: Option<AlertSplit>,
}

impl GivenTerms {
    /// Adds the defaults. Whether the whole can be judged is for [`AlertTerms::check`] to say.
    pub fn complete(self) -> AlertTerms {
        let metric = self.metric;
        let usual_comparison = metric.comparisons().first().copied().unwrap_or(AlertComparison::Above);
        let usual_split = metric.splits().first().copied().unwrap_or(AlertSplit::None);
        let comparison = self.comparison.unwrap_or(usual_comparison);
        AlertTerms {
            metric,
            comparison,
            threshold: self.threshold,
            window: self.window.or(metric.usual_window(self.threshold)),
            minimum_count: self.minimum_count.or(metric.default_minimum_count(comparison)),
            scope: self.scope,
            split_by: self.split_by.unwrap_or(usual_split),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_has_the_default_of_the_metric() {
        let given = GivenTerms {
            metric: AlertMetric::AcknowledgementRate,
            comparison: None,
            threshold: AlertLevel::from_millionths(800_000),
            window: None,
            minimum_count: None,
            scope: AlertScope::default(),
            split_by: None,
        };
        let usual = AlertTerms::usual(AlertMetric::AcknowledgementRate, 0.8);
        assert_eq!(given.clone().complete(), usual);
        let window = Some(AlertWindow::Rolling { minutes: 30 });
        let above = GivenTerms { comparison: Some(AlertComparison::Above), window, ..given }.complete();
        assert_eq!((above.comparison, above.window), (AlertComparison::Above, window));
    }
}

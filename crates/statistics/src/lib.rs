//! Statistics: outliers among peers, trends of series, differences between counts that come in bursts, rates that climb back after a fall,
//! confidence intervals of shares and rates, and percentiles.
//!
//! Pure arithmetic without dependencies on other crates; it knows nothing of incursions, time or storage. No input makes it
//! panic or return NaN or infinity.

mod beta;
#[cfg(test)]
mod chance;
mod drift;
mod false_discovery;
mod gamma;
mod negative_binomial;
mod normal;
mod outliers;
mod overdispersion;
mod percentile;
mod rates;
mod student;
mod trend;
mod wilson;

pub use drift::{Drift, NoDrift, baseline_rate, measure_drift};
pub use false_discovery::{adjust_for_choice, benjamini_hochberg};
pub use outliers::{
    Assessment, Comparison, FORMULA, MIN_PEERS, Member, MemberAssessment, MemberSelection, OutlierTest,
    SelectedMembers, SkipReason, find_outliers,
};
pub use overdispersion::Overdispersion;
pub use percentile::{median, nearest_rank};
pub use rates::rate_interval;
pub use trend::{Trend, theil_sen};
pub use wilson::{ConfidenceInterval, wilson_interval};

//! Statistics: outliers among peers, trends of series, confidence intervals of shares and rates, and percentiles.
//!
//! Pure arithmetic without dependencies on other crates; it knows nothing of incursions, time or storage. No input makes it
//! panic or return NaN or infinity.

mod beta;
mod false_discovery;
mod gamma;
mod negative_binomial;
mod normal;
mod outliers;
mod percentile;
mod rate_ratio;
mod trend;
mod wilson;

pub use false_discovery::benjamini_hochberg;
pub use outliers::{
    Assessment, Comparison, FORMULA, MIN_PEERS, Member, MemberAssessment, OutlierTest, SkipReason,
    find_outliers,
};
pub use percentile::{median, nearest_rank};
pub use rate_ratio::{rate_interval, rate_ratio_interval};
pub use trend::{Trend, theil_sen};
pub use wilson::{ConfidenceInterval, wilson_interval};

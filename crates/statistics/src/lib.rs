//! What numbers say: who stands out among their peers, where a series is going, how sure a rate is.
//!
//! Pure arithmetic over plain numbers, without any dependency: it knows no incursions, no time and no store. Nothing here
//! panics or answers with something that is not a number, whatever it is given.

mod beta;
mod false_discovery;
mod gamma;
mod negative_binomial;
mod normal;
mod outliers;
mod percentile;
mod trend;
mod wilson;

pub use false_discovery::benjamini_hochberg;
pub use outliers::{
    Assessment, Comparison, FORMULA, MIN_PEERS, Member, MemberAssessment, OutlierTest, SkipReason,
    find_outliers,
};
pub use percentile::{median, nearest_rank};
pub use trend::{Trend, theil_sen};
pub use wilson::{ConfidenceInterval, wilson_interval};

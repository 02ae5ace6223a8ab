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

pub use false_discovery::adjusted;
pub use outliers::{
    Comparison, FORMULA, Judgement, MINIMUM_PEERS, Member, Outcome, Reason, Verdict, outliers,
};
pub use percentile::{median, nearest_rank};
pub use trend::{Trend, trend};
pub use wilson::{Interval, wilson};

//! Charts over categories: items, ranges of values, hours of the week.

pub(crate) mod histogram;
pub(crate) mod ranked_bars;
pub(crate) mod week_matrix;

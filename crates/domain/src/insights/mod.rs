//! Questions that are answered with numbers: what is counted, by what it is grouped, and what an answer is made of.
//!
//! The cube and SQL answer the same [`Question`] with the same [`Answer`]. Everything in an answer is a whole number, so that
//! the two can be compared exactly; what a number means to a reader ([`Figure::value`]) is computed here and nowhere else.

pub mod export;
pub mod saved_view;

mod calendar;
mod chart;
mod dimension;
mod facts;
mod figure;
mod filter;
mod interval;
mod measure;
mod question;

pub use calendar::{Month, Week};
pub use chart::ChartKind;
pub use dimension::{Dimension, DurationBucket, Resolution};
pub use facts::{IncursionFact, RuntimeFact};
pub use figure::{Figure, NoValueReason};
pub use filter::IncursionFilter;
pub use interval::Interval;
pub use measure::{Measure, Unit};
pub use question::{Answer, Group, GroupOrder, Grouping, Groups, Key, Question};

//! Questions and answers of insights: measures, dimensions, filters and figures.
//!
//! The cube and SQL answer the same [`Question`] with the same [`Answer`]. Answers hold only whole numbers, so that the two can
//! be compared exactly; the displayed value ([`Figure::value`]) is computed only here.

pub mod export;
pub mod saved_view;

mod calendar;
mod chart;
mod columns_format;
mod dimension;
mod facts;
mod figure;
mod filter;
mod hours_of_week;
mod interval;
mod local_hours;
mod measure;
mod question;

pub use calendar::{Month, Week};
pub use chart::ChartKind;
pub use columns_format::ColumnsFormat;
pub use dimension::{Dimension, DurationBucket, Resolution};
pub use facts::{IncursionFact, RuntimeFact};
pub use figure::{Figure, NoValueReason};
pub use filter::IncursionFilter;
pub use hours_of_week::HoursOfWeek;
pub use interval::{Interval, PartialBuckets};
pub use local_hours::LocalHours;
pub use measure::{Measure, Unit};
pub use question::{Answer, Group, GroupOrder, Grouping, Groups, Key, Question};

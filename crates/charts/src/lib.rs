//! SVG charts and site maps, with one renderer for web pages, PDF and mail.
//!
//! Pure functions: plain data in, a complete SVG document out; the same data gives the same bytes. Each kind of chart is a
//! struct with its data and a method `svg(&ChartOptions)`, where [`ChartOptions`] has the title, the size, the theme and the
//! translations. The charts are in `over_time`, `categories` and `maps`, the parts that they share in `layout`, and drawing is
//! in `svg`.
//!
//! | Chart | Type |
//! |---|---|
//! | machine_runtime | [`TimeBars`] with a [`Total`], with operators [`Gantt`] |
//! | acknowledged_incursions | [`TimeBars`] with a [`Rate`] |
//! | zone_time | [`RankedBars`] |
//! | trends | [`TimeLines`] |
//! | incursion_rate | [`TimeLines`] with a [`LineKind::Band`] for the members without a line |
//! | acknowledgement_score | [`TimeLines`] with ranges |
//! | durations | [`Histogram`] |
//! | hours_of_week | [`WeekMatrix`] |
//! | heatmap | [`HexagonMap`] |
//! | a site | [`SiteMap`] |
//!
//! All charts follow these rules:
//!
//! - `role="img"` with a title and a description that summarises the data; shortened texts have their full text as a title.
//! - They can be read in black and white: hatches, dashes, markers and numbers accompany the colours, which colour-blind
//!   readers can distinguish. Text has a contrast of at least 4.5:1.
//! - A missing value is marked as a gap and never drawn as zero. A chart without data says so, and why.
//! - Intervals that are not complete are hatched.
//! - No scripts, links, fonts or other external references. Light and dark themes use only presentation attributes, which
//!   renderers of PDF support; only [`Theme::Auto`] has a style block.
//! - No input causes a panic or malformed XML: invalid values are drawn as gaps, invalid positions are left out.
//!
//! # Why not an existing crate
//!
//! `charts-rs` 2.3 was evaluated. It draws gaps, time axes, Gantt rows and shaded maps, and escapes markup, but it lacks
//! features that are essential here:
//!
//! - Control characters are not removed: a name with U+0001 in it gives a document that no XML parser reads.
//! - There are no patterns, so filled shapes cannot be distinguished in black and white, and gaps cannot be marked.
//! - The dark theme is another set of fixed colours; nothing follows the reader's `prefers-color-scheme`.
//! - Maps are Mercator or plain degrees, without a scale bar, and labels of places may overlap.
//! - Values are `f32`, and text is measured with one compiled-in font (168 kB of Roboto).
//! - It has 38,000 lines and takes, with its dependencies, 64 s of CPU time in a release build; this crate takes 6 s.

mod calendar;
mod categories;
mod descriptions;
mod layout;
mod maps;
mod options;
mod over_time;
mod series;
mod svg;
#[cfg(test)]
mod tests;

pub use calendar::{Date, DateOrder, Interval, LocalTime, WeekStart};
pub use categories::histogram::{Bucket, Histogram};
pub use categories::ranked_bars::{Part, RankedBars, Row};
pub use categories::week_matrix::{Quantity, WeekMatrix};
pub use descriptions::{Counted, Descriptions, description_of};
pub use layout::scale::ValueScale;
pub use maps::hexagon_map::{Hexagon, HexagonMap, MapPanel, ShadeBy};
pub use maps::map_base::{Outline, Position};
pub use maps::site_map::{MapMarker, SiteMap, Track};
pub use options::{ChartOptions, LengthUnits, MIN_READABLE_SIDE, Theme, Translations};
pub use over_time::gantt::{Gantt, MachineRow, RunPeriod};
pub use over_time::slots::Arrangement;
pub use over_time::time_bars::{Rate, TimeBars, Total};
pub use over_time::time_lines::{Line, LineKind, TimeLines};
pub use series::{Point, Series, Threshold, Value};
pub use svg::number::NumberFormat;
pub use svg::style::Tone;

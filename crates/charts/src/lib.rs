//! Pictures: SVG charts and site maps, one renderer for pages, PDF and mail.
//!
//! Pure functions: plain data in, a complete SVG document out; the same data gives the same bytes. Each kind of picture is a
//! struct with its data and a method `svg(&Picture)`, where [`Picture`] has the title, the size, the theme and the words.
//!
//! | Chart | Picture |
//! |---|---|
//! | machine_runtime | [`TimeBars`], with operators [`Gantt`] |
//! | acknowledged_incursions | [`TimeBars`] with a [`Rate`] |
//! | zone_time | [`RankedBars`] |
//! | trends, incursion_rate, acknowledgement_score | [`TimeLines`] |
//! | durations | [`Histogram`] |
//! | hours_of_week | [`WeekMatrix`] |
//! | heatmap | [`HexagonMap`] |
//! | a site | [`SiteMap`] |
//!
//! What every picture keeps to:
//!
//! - `role="img"` with a title and a description that sums up the data; what is shortened has its whole text as a title.
//! - It can be read in black and white: hatches, dashes, markers and numbers go with the colours, which the colour-blind can
//!   tell apart. Text has a contrast of at least 4.5:1.
//! - A gap is a gap and is marked, never a zero. Nothing to show is a picture that says so, and why.
//! - No scripts, links, fonts or other references out of the document. Light and dark use presentation attributes alone,
//!   which Typst's renderer knows; only [`Theme::Auto`] has a style block.
//! - No input makes it panic or write broken XML: what is no measurement is a gap, what is no place on earth is left out.
//!
//! # Why own code
//!
//! The crate `charts-rs` 2.3 was read and tried for this. It draws gaps, time axes, Gantt rows and shaded maps, and escapes
//! markup. It lacks what these pictures stand on:
//!
//! - Control characters go through: a name with U+0001 in it gives a document that no XML parser reads.
//! - There are no patterns, so filled shapes cannot be told apart in black and white, and gaps cannot be marked.
//! - Dark is another set of fixed colours; nothing follows the reader's `prefers-color-scheme`.
//! - Maps are Mercator or plain degrees, without a scale bar, and labels of places are not kept apart.
//! - Values are `f32`, and text is measured by one font that is compiled in (168 kB of Roboto).
//! - 38,000 lines, which with what they depend on cost 64 s of processor time in a release build; this crate costs 6.

mod calendar;
mod canvas;
mod classes;
mod colour;
mod describe;
mod frame;
mod gantt;
mod gapped_line;
mod hexagon_map;
mod histogram;
mod label;
mod legend;
mod map_base;
mod number;
mod options;
mod plot;
mod ranked_bars;
mod scale;
mod series;
mod shape;
mod site_map;
mod slots;
mod style;
#[cfg(test)]
mod tests;
mod text;
mod time_axis;
mod time_bars;
mod time_lines;
mod week_matrix;

pub use calendar::{Date, DateOrder, Interval, LocalTime, WeekStart};
pub use gantt::{Gantt, MachineRow, RunPeriod};
pub use hexagon_map::{Hexagon, HexagonMap, ShadeBy};
pub use histogram::{Bucket, Histogram};
pub use map_base::{Outline, Position};
pub use options::{ChartOptions, LengthUnits, Theme, Translations};
pub use ranked_bars::{Part, RankedBars, Row};
pub use scale::ValueScale;
pub use series::{Point, Series, Threshold, Value};
pub use site_map::{MapMarker, SiteMap, Track};
pub use style::Tone;
pub use time_bars::{Arrangement, Rate, TimeBars};
pub use time_lines::{Line, LineKind, TimeLines};
pub use week_matrix::{Quantity, WeekMatrix};

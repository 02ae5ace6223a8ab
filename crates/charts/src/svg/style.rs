//! The style of marks: a colour and in addition a hatch, dash or marker, so that they can be distinguished in black and white.

use crate::svg::colour::{PALETTE_SIZE, Paint};

/// The meaning of a series, which decides its colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tone {
    /// The next free colour.
    #[default]
    Plain,
    Good,
    Warning,
    Danger,
    Neutral,
}

/// The pattern over a filled shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Hatch {
    Rising,
    Dots,
    Falling,
    Level,
    Crossed,
    Upright,
}

/// The symbol at a point of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
    Cross,
    Wedge,
    Ring,
}

/// The style that distinguishes a series from the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SeriesStyle {
    pub(crate) paint: Paint,
    pub(crate) hatch: Option<Hatch>,
    pub(crate) dash: Option<&'static str>,
    pub(crate) marker: Marker,
}

/// Opacity of bands, through which the grid and other bands can be seen.
pub(crate) const BAND_OPACITY: f64 = 0.26;
/// Opacity of the edges of bands.
pub(crate) const BAND_EDGE_OPACITY: f64 = 0.7;

/// Number of series that can be distinguished: colours are repeated with another hatch, dash and marker.
pub(crate) const MAX_STYLES: usize = 10;

const SERIES_STYLES: [(Option<Hatch>, Option<&str>, Marker); MAX_STYLES] = [
    (None, None, Marker::Circle),
    (Some(Hatch::Rising), Some("9 3"), Marker::Square),
    (Some(Hatch::Dots), Some("4 2.5"), Marker::Triangle),
    (Some(Hatch::Falling), Some("10 3 2 3"), Marker::Diamond),
    (Some(Hatch::Level), Some("14 3"), Marker::Cross),
    (Some(Hatch::Crossed), Some("6 2 2 2 2 2"), Marker::Wedge),
    (Some(Hatch::Upright), Some("2 2"), Marker::Ring),
    (Some(Hatch::Dots), Some("4 2.5"), Marker::Square),
    (Some(Hatch::Falling), Some("10 3 2 3"), Marker::Circle),
    (None, None, Marker::Diamond),
];

/// Returns the style of the nth series.
pub(crate) fn series_style(n: usize) -> SeriesStyle {
    let n = n % MAX_STYLES;
    let (hatch, dash, marker) = SERIES_STYLES[n];
    SeriesStyle { paint: Paint::Series((n % PALETTE_SIZE) as u8), hatch, dash, marker }
}

/// Assigns a style to each series: by its tone, or the next unused one.
pub(crate) fn series_styles(tones: impl IntoIterator<Item = Tone>) -> Vec<SeriesStyle> {
    let tones: Vec<Tone> = tones.into_iter().collect();
    let taken = |n: usize| tones.iter().any(|&tone| palette_index(tone) == Some(n));
    let mut next = 0;
    tones
        .iter()
        .map(|&tone| match tone {
            Tone::Danger => SeriesStyle { paint: Paint::Danger, ..series_style(3) },
            Tone::Neutral => SeriesStyle { paint: Paint::Neutral, ..series_style(2) },
            Tone::Good | Tone::Warning => series_style(palette_index(tone).unwrap_or_default()),
            Tone::Plain => {
                while taken(next % PALETTE_SIZE) && next < 2 * PALETTE_SIZE {
                    next += 1;
                }
                next += 1;
                series_style(next - 1)
            }
        })
        .collect()
}

/// Returns the colour of a tone as an index into the palette.
fn palette_index(tone: Tone) -> Option<usize> {
    match tone {
        Tone::Good => Some(0),
        Tone::Warning => Some(1),
        Tone::Plain | Tone::Danger | Tone::Neutral => None,
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fill {
    None,
    Solid(Paint),
    Hatched(Paint, Hatch),
    /// Thin lines on the background, for missing data.
    NoData,
    /// Lines of a colour over whatever is beneath, for intervals that are not complete.
    Partial(Paint),
}

impl SeriesStyle {
    pub(crate) fn fill(&self) -> Fill {
        match self.hatch {
            Some(hatch) => Fill::Hatched(self.paint, hatch),
            None => Fill::Solid(self.paint),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Style {
    pub(crate) fill: Fill,
    pub(crate) stroke: Option<(Paint, f64)>,
    pub(crate) dash: Option<&'static str>,
    pub(crate) opacity: f64,
    /// The radius of a rectangle's corners.
    pub(crate) rounding: f64,
}

impl Style {
    pub(crate) fn filled(fill: Fill) -> Self {
        Self { fill, stroke: None, dash: None, opacity: 1.0, rounding: 0.0 }
    }

    pub(crate) fn solid(paint: Paint) -> Self {
        Self::filled(Fill::Solid(paint))
    }

    pub(crate) fn line(paint: Paint, width: f64) -> Self {
        Self { stroke: Some((paint, width)), ..Self::filled(Fill::None) }
    }

    pub(crate) fn with_stroke(self, paint: Paint, width: f64) -> Self {
        Self { stroke: Some((paint, width)), ..self }
    }

    pub(crate) fn with_dash(self, dash: Option<&'static str>) -> Self {
        Self { dash, ..self }
    }

    pub(crate) fn with_opacity(self, opacity: f64) -> Self {
        Self { opacity, ..self }
    }

    pub(crate) fn with_rounding(self, rounding: f64) -> Self {
        Self { rounding, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_series_leave_the_colours_that_tones_take() {
        let found = series_styles([Tone::Plain, Tone::Good, Tone::Plain]);
        assert_eq!(found[1].paint, Paint::Series(0));
        assert_eq!(found[0].paint, Paint::Series(1));
        assert_eq!(found[2].paint, Paint::Series(2));
    }

    #[test]
    fn series_of_one_colour_differ_in_everything_else() {
        for one in PALETTE_SIZE..MAX_STYLES {
            let (one, other) = (series_style(one), series_style(one - PALETTE_SIZE));
            assert_eq!(one.paint, other.paint);
            assert!(one.hatch != other.hatch && one.dash != other.dash && one.marker != other.marker);
        }
    }

    #[test]
    fn no_two_series_share_hatch_or_marker() {
        for one in 0..PALETTE_SIZE {
            for other in 0..one {
                assert_ne!(series_style(one).hatch, series_style(other).hatch);
                assert_ne!(series_style(one).dash, series_style(other).dash);
                assert_ne!(series_style(one).marker, series_style(other).marker);
            }
        }
    }
}

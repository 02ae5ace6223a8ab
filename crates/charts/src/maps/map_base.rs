//! The base of maps: a local projection that preserves the aspect ratio, a scale bar and a north arrow.

use crate::layout::frame::Frame;
use crate::layout::scale::nice_below;
use crate::options::LengthUnits;
use crate::svg::colour::Paint;
use crate::svg::label::Label;
use crate::svg::number::NumberFormat;
use crate::svg::shape::{PathData, Rect};
use crate::svg::style::{Fill, Style};
use crate::svg::text::{Weight, clean, width};

/// A position on the earth, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Position {
    pub longitude: f64,
    pub latitude: f64,
}

impl Position {
    /// Takes longitude and latitude, in the order of GeoJSON.
    #[must_use]
    pub fn new(longitude: f64, latitude: f64) -> Self {
        Self { longitude, latitude }
    }

    pub(crate) fn is_on_earth(&self) -> bool {
        self.longitude.is_finite()
            && self.longitude.abs() <= 180.0
            && self.latitude.is_finite()
            && self.latitude.abs() <= 90.0
    }
}

/// The boundary of a worksite: the outer ring first, then its holes. A circle is given as a ring with many corners.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    /// Closed or open, in either direction.
    pub rings: Vec<Vec<Position>>,
}

const METRES_PER_DEGREE: f64 = 111_195.0;
/// The extent shown around a single position.
const MIN_EXTENT_M: f64 = 40.0;

/// Projects positions onto a rectangle of the chart.
#[derive(Clone, Debug)]
pub(crate) struct Projection {
    middle: Position,
    longitude_scale: f64,
    pixels_per_metre: f64,
    centre: (f64, f64),
}

impl Projection {
    /// Fits all positions into an area, with a margin; `None` if there are none.
    pub(crate) fn fit(places: impl Iterator<Item = Position>, area: Rect) -> Option<Self> {
        let mut reference: Option<f64> = None;
        let (mut west, mut east) = (f64::INFINITY, f64::NEG_INFINITY);
        let (mut south, mut north) = (f64::INFINITY, f64::NEG_INFINITY);
        for place in places.filter(Position::is_on_earth) {
            // Longitudes continue across the antimeridian, so that a site there is not as wide as the earth.
            let longitude = unwrap_longitude(place.longitude, *reference.get_or_insert(place.longitude));
            west = west.min(longitude);
            east = east.max(longitude);
            south = south.min(place.latitude);
            north = north.max(place.latitude);
        }
        reference?;
        let middle = Position::new((west + east) / 2.0, (south + north) / 2.0);
        let narrowing = middle.latitude.to_radians().cos().max(0.01);
        let across_m = ((east - west) * METRES_PER_DEGREE * narrowing).max(MIN_EXTENT_M);
        let up_m = ((north - south) * METRES_PER_DEGREE).max(MIN_EXTENT_M);
        let pixels_per_metre = (area.width / across_m).min(area.height / up_m).max(1e-9);
        let centre = (area.left + area.width / 2.0, area.top + area.height / 2.0);
        Some(Self { middle, longitude_scale: narrowing, pixels_per_metre, centre })
    }

    /// Fits the positions of the data into an area, and all around them as well, unless this leaves less than `min_px` for a length that
    /// needs that much. Then it is closer to the data: up to `wanted_px` for that length.
    pub(crate) fn focus(
        data: impl Iterator<Item = Position> + Clone,
        around: impl Iterator<Item = Position>,
        area: Rect,
        (length_m, min_px, wanted_px): (f64, f64, f64),
    ) -> Option<Self> {
        let whole = Self::fit(data.clone().chain(around), area)?;
        if length_m <= 0.0 || length_m * whole.pixels_per_metre >= min_px {
            return Some(whole);
        }
        let close = Self::fit(data, area)?;
        let scale = close.pixels_per_metre.min(wanted_px / length_m).max(whole.pixels_per_metre);
        Some(Self { pixels_per_metre: scale, ..close })
    }

    pub(crate) fn project(&self, position: Position) -> (f64, f64) {
        let east = (unwrap_longitude(position.longitude, self.middle.longitude) - self.middle.longitude)
            * self.longitude_scale;
        let north = position.latitude - self.middle.latitude;
        let scale = METRES_PER_DEGREE * self.pixels_per_metre;
        (self.centre.0 + east * scale, self.centre.1 - north * scale)
    }

    pub(crate) fn project_ring(&self, ring: &[Position]) -> Vec<(f64, f64)> {
        let placed: Vec<(f64, f64)> =
            ring.iter().filter(|position| position.is_on_earth()).map(|p| self.project(*p)).collect();
        drop_close_points(&placed)
    }
}

fn unwrap_longitude(longitude: f64, reference: f64) -> f64 {
    let turns = ((longitude - reference) / 360.0).round();
    longitude - turns * 360.0
}

/// Drops points less than a pixel away from the one before; keeps the last.
pub(crate) fn drop_close_points(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for (index, &point) in points.iter().enumerate() {
        let far = kept.last().is_none_or(|last| (last.0 - point.0).hypot(last.1 - point.1) >= 0.7);
        if far || index + 1 == points.len() {
            kept.push(point);
        }
    }
    kept
}

/// Returns the extent of positions from west to east, in metres.
pub(crate) fn width_m(positions: &[Position]) -> f64 {
    let mut on_earth = positions.iter().filter(|position| position.is_on_earth());
    let Some(first) = on_earth.next() else { return 0.0 };
    let degrees = |position: &Position| unwrap_longitude(position.longitude, first.longitude);
    let (mut west, mut east) = (first.longitude, first.longitude);
    for position in on_earth {
        (west, east) = (west.min(degrees(position)), east.max(degrees(position)));
    }
    (east - west) * METRES_PER_DEGREE * first.latitude.to_radians().cos().max(0.01)
}

/// Draws the panel of a map and returns the area of its content.
pub(crate) fn draw_panel(frame: &mut Frame<'_>, panel: Rect) -> Rect {
    frame.canvas.rect(
        panel,
        &Style::solid(Paint::Panel).with_stroke(Paint::Grid, 1.0).with_rounding(4.0),
        None,
    );
    let pad = (panel.width.min(panel.height) * 0.06).max(8.0);
    let foot = foot_height(frame);
    Rect::new(panel.left + pad, panel.top + pad, panel.width - 2.0 * pad, panel.height - 2.0 * pad - foot)
}

/// Returns the height of the foot of a panel, with the scale bar and the north arrow.
fn foot_height(frame: &Frame<'_>) -> f64 {
    frame.sizes.small * 2.4
}

/// Returns the area of a panel above its foot.
pub(crate) fn above_foot(frame: &Frame<'_>, panel: Rect) -> Rect {
    Rect::new(panel.left, panel.top, panel.width, panel.height - foot_height(frame))
}

/// Draws what of a boundary lies in an area.
pub(crate) fn draw_outline(
    frame: &mut Frame<'_>,
    projection: &Projection,
    outline: Option<&Outline>,
    fill: Fill,
    area: Rect,
) {
    let Some(outline) = outline else { return };
    let (mut ground, mut edge) = (PathData::default(), PathData::default());
    let mut is_whole = true;
    for ring in &outline.rings {
        let placed = projection.project_ring(ring);
        if placed.len() <= 2 {
            continue;
        }
        if placed.iter().all(|point| area.has_inside(*point)) {
            ground.ring(&placed);
            edge.ring(&placed);
            continue;
        }
        is_whole = false;
        ground.ring(&clip_ring(&placed, area));
        for run in clip_edges(&placed, area) {
            edge.polyline(&run);
        }
    }
    let line = Style::line(Paint::Muted, 1.6).with_dash(Some("7 4"));
    if is_whole {
        return frame.canvas.path(&ground, &Style { fill, ..line }, None);
    }
    // The edge of the area is no boundary.
    if fill != Fill::None {
        frame.canvas.path(&ground, &Style::filled(fill), None);
    }
    frame.canvas.path(&edge, &line, None);
}

/// Returns what of a closed ring lies in an area, as a ring (Sutherland–Hodgman).
fn clip_ring(ring: &[(f64, f64)], area: Rect) -> Vec<(f64, f64)> {
    // How far a point is inside of a side of the area.
    let depth = |side: usize, (x, y): (f64, f64)| match side {
        0 => x - area.left,
        1 => area.right() - x,
        2 => y - area.top,
        _ => area.bottom() - y,
    };
    let mut points = ring.to_vec();
    for side in 0..4 {
        let mut kept = Vec::with_capacity(points.len() + 4);
        let mut before = points.last().copied().unwrap_or_default();
        for &point in &points {
            let (from, to) = (depth(side, before), depth(side, point));
            if (from >= 0.0) != (to >= 0.0) {
                kept.push(between(before, point, from / (from - to)));
            }
            if to >= 0.0 {
                kept.push(point);
            }
            before = point;
        }
        points = kept;
    }
    points
}

/// Returns what of the edges of a closed ring lies in an area, as lines.
fn clip_edges(ring: &[(f64, f64)], area: Rect) -> Vec<Vec<(f64, f64)>> {
    let mut runs: Vec<Vec<(f64, f64)>> = Vec::new();
    let next = ring.iter().cycle().skip(1);
    for (&from, &to) in ring.iter().zip(next) {
        let Some((start, end)) = clip_segment(from, to, area) else { continue };
        match runs.last_mut() {
            Some(run) if run.last() == Some(&start) => run.push(end),
            _ => runs.push(vec![start, end]),
        }
    }
    runs
}

/// Returns the ends of what of a segment lies in an area (Liang–Barsky).
fn clip_segment(from: (f64, f64), to: (f64, f64), area: Rect) -> Option<((f64, f64), (f64, f64))> {
    let (across, down) = (to.0 - from.0, to.1 - from.1);
    let (mut start, mut end) = (0.0f64, 1.0f64);
    let sides = [
        (-across, from.0 - area.left),
        (across, area.right() - from.0),
        (-down, from.1 - area.top),
        (down, area.bottom() - from.1),
    ];
    for (towards, distance) in sides {
        if towards == 0.0 {
            if distance < 0.0 {
                return None;
            }
        } else if towards < 0.0 {
            start = start.max(distance / towards);
        } else {
            end = end.min(distance / towards);
        }
    }
    (start < end).then(|| (between(from, to, start), if end == 1.0 { to } else { between(from, to, end) }))
}

fn between(from: (f64, f64), to: (f64, f64), share: f64) -> (f64, f64) {
    (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share)
}

/// Draws the scale bar and the north arrow in the foot of a panel, where they cover nothing, and returns the areas they occupy.
pub(crate) fn draw_scale_bar_and_north(
    frame: &mut Frame<'_>,
    projection: &Projection,
    panel: Rect,
) -> [Rect; 2] {
    let small = frame.sizes.small;
    let max_px = (panel.width * 0.25).clamp(30.0, 220.0);
    let max_metres = max_px / projection.pixels_per_metre;
    let (metres, text) = scale_bar(frame.options.units, max_metres, frame.options.translations.numbers);
    let length = metres * projection.pixels_per_metre;
    let (left, y) = (panel.left + 12.0, panel.bottom() - 10.0);
    let wide = length + 10.0 + width(&text, small, Weight::Regular);
    let plate = Rect::new(left - 6.0, y - small - 5.0, (wide + 12.0).min(panel.width - 8.0), small + 11.0);
    frame.canvas.rect(plate, &Style::solid(Paint::Surface).with_opacity(0.85).with_rounding(3.0), None);
    let mut bar = PathData::default();
    bar.polyline(&[(left, y - 7.0), (left, y), (left + length, y), (left + length, y - 7.0)]);
    frame.canvas.path(&bar, &Style::line(Paint::Ink, 1.5), None);
    frame.canvas.text(&Label::new(left + length + 6.0, y, &text, small));

    let north = clean(&frame.options.translations.north);
    let letters = width(&north, small, Weight::Bold).min(24.0);
    let wide = 6.0 + 2.0 * ARROW_HALF_WIDTH + 4.0 + letters + 6.0;
    let plate_north = Rect::new(panel.right() - 6.0 - wide, plate.top, wide, plate.height);
    frame.canvas.rect(plate_north, &Style::solid(Paint::Surface).with_opacity(0.85).with_rounding(3.0), None);
    let x = plate_north.left + 6.0 + ARROW_HALF_WIDTH;
    let mut arrow = PathData::default();
    arrow.ring(&[
        (x, y - small - 1.0),
        (x + ARROW_HALF_WIDTH, y + 2.0),
        (x, y - 1.5),
        (x - ARROW_HALF_WIDTH, y + 2.0),
    ]);
    frame.canvas.path(&arrow, &Style::solid(Paint::Ink), None);
    let label = Label::new(x + ARROW_HALF_WIDTH + 4.0, y, &north, small).bold();
    frame.canvas.text(&label.with_max_width(letters + 0.01));
    [plate, plate_north]
}

const ARROW_HALF_WIDTH: f64 = 5.0;

/// Chooses a round length of at most `max_metres`; returns it in metres, with its label.
fn scale_bar(lengths: LengthUnits, max_metres: f64, numbers: NumberFormat) -> (f64, String) {
    const FOOT: f64 = 0.3048;
    const MILE: f64 = 5_280.0 * FOOT;
    let (small, large) = match lengths {
        LengthUnits::Metric => ((1.0, "m"), (1_000.0, "km")),
        LengthUnits::Imperial => ((FOOT, "ft"), (MILE, "mi")),
    };
    let (unit, name) = if max_metres >= large.0 { large } else { small };
    let round = nice_below(max_metres / unit);
    (round * unit, format!("{} {name}", numbers.number(round)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Rect = Rect { left: 0.0, top: 0.0, width: 400.0, height: 400.0 };

    #[test]
    fn a_square_on_the_ground_is_a_square_in_the_picture() {
        let (latitude, metres) = (60.0f64, 500.0);
        let up = metres / METRES_PER_DEGREE;
        let across = up / latitude.to_radians().cos();
        let corners = [Position::new(10.0, latitude), Position::new(10.0 + across, latitude + up)];
        let projection = Projection::fit(corners.into_iter(), AREA).unwrap();
        let (one, other) = (projection.project(corners[0]), projection.project(corners[1]));
        assert!(((other.0 - one.0) - (one.1 - other.1)).abs() < 0.5, "{one:?} {other:?}");
        assert!(other.1 < one.1, "north is up");
    }

    #[test]
    fn a_scale_is_a_round_length_in_the_units_that_are_wanted() {
        for (lengths, most, metres, text) in [
            (LengthUnits::Metric, 340.0, 200.0, "200 m"),
            (LengthUnits::Metric, 999.0, 500.0, "500 m"),
            (LengthUnits::Metric, 6_000.0, 5_000.0, "5 km"),
            (LengthUnits::Imperial, 340.0, 304.8, "1\u{2009}000 ft"),
            (LengthUnits::Imperial, 3_500.0, 3_218.688, "2 mi"),
        ] {
            let (found, written) = scale_bar(lengths, most, NumberFormat::default());
            assert!((found - metres).abs() < 1e-6, "{found}");
            assert_eq!(written, text);
        }
    }

    #[test]
    fn a_site_on_the_date_line_is_not_as_wide_as_the_earth() {
        let places = [Position::new(179.999, 0.0), Position::new(-179.999, 0.001)];
        let projection = Projection::fit(places.into_iter(), AREA).unwrap();
        assert!(projection.pixels_per_metre > 1.0);
        assert!(projection.project(places[0]).0 < projection.project(places[1]).0);
    }

    #[test]
    fn a_boundary_far_around_the_data_is_not_all_shown() {
        let data = [Position::new(10.0, 50.0), Position::new(10.001, 50.001)];
        let near = [Position::new(9.9995, 49.9995), Position::new(10.0015, 50.0015)];
        let far = [Position::new(9.9, 49.9), Position::new(10.1, 50.1)];
        let metres = 20.0;
        let scale = |around: [Position; 2]| {
            let projection =
                Projection::focus(data.into_iter(), around.into_iter(), AREA, (metres, 24.0, 36.0)).unwrap();
            for position in data {
                assert!(AREA.has_inside(projection.project(position)));
            }
            metres * projection.pixels_per_metre
        };
        assert!((scale(far) - 36.0).abs() < 1e-6);
        // All of it, if what matters can be seen.
        let whole = Projection::fit(data.into_iter().chain(near), AREA).unwrap();
        assert!((scale(near) - metres * whole.pixels_per_metre).abs() < 1e-9);
        let (south, north) = (Position::new(10.0, 60.0), Position::new(10.001, 60.0));
        assert!((width_m(&[south, north]) - 55.6).abs() < 0.1);
        assert_eq!(width_m(&[]), 0.0);
    }

    #[test]
    fn what_leaves_the_area_is_cut_off() {
        let area = Rect::new(0.0, 0.0, 10.0, 10.0);
        let ring = [(-5.0, 2.0), (5.0, 2.0), (5.0, 8.0), (-5.0, 8.0)];
        let clipped = clip_ring(&ring, area);
        assert_eq!(clipped.len(), 4);
        assert!(clipped.iter().all(|point| area.has_inside(*point)));
        // Three edges are left, in one line; the edge of the area is none.
        assert_eq!(clip_edges(&ring, area), [[(0.0, 2.0), (5.0, 2.0), (5.0, 8.0), (0.0, 8.0)]]);
        assert!(clip_edges(&[(20.0, 0.0), (30.0, 0.0), (30.0, 10.0)], area).is_empty());
        assert!(clip_ring(&[(20.0, 0.0), (30.0, 0.0), (30.0, 10.0)], area).is_empty());
    }

    #[test]
    fn places_that_are_none_are_left_out() {
        let nowhere =
            [Position::new(f64::NAN, 0.0), Position::new(0.0, 91.0), Position::new(f64::INFINITY, 1.0)];
        assert!(Projection::fit(nowhere.into_iter(), AREA).is_none());
    }
}

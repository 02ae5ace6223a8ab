//! A map of a worksite with its boundary, the positions of machines and their tracks.

use crate::descriptions::fill;
use crate::layout::describe;
use crate::layout::frame::Frame;
use crate::layout::legend::{LegendEntry, Mark};
use crate::maps::map_base::{self, Outline, Position, Projection};
use crate::options::ChartOptions;
use crate::svg::colour::{PALETTE_SIZE, Paint};
use crate::svg::label::{Anchor, Label};
use crate::svg::shape::{PathData, Rect};
use crate::svg::style::{Fill, Marker, SeriesStyle, Style, Tone, series_styles};
use crate::svg::text::{Weight, clean, fit, width};

/// A labelled position.
#[derive(Clone, Debug, PartialEq)]
pub struct MapMarker {
    pub label: String,
    pub at: Position,
    /// Warnings are drawn as squares, dangers as triangles, neutral ones hollow.
    pub tone: Tone,
}

/// A track as lines; a break between two lines is a time without a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    pub label: String,
    /// Ordered by time.
    pub lines: Vec<Vec<Position>>,
}

#[derive(Clone, Debug, Default)]
pub struct SiteMap {
    pub outline: Option<Outline>,
    /// Machines and other items with a position.
    pub markers: Vec<MapMarker>,
    /// Tracks beyond the seventh are thin and grey.
    pub tracks: Vec<Track>,
    /// Shown if there is no data.
    pub empty_reason: Option<String>,
}

impl SiteMap {
    #[must_use]
    pub fn svg(&self, picture: &ChartOptions) -> String {
        let mut frame = Frame::open(picture);
        let looks = series_styles(self.tracks.iter().take(PALETTE_SIZE).map(|_| Tone::Plain));
        frame.legend(&self.entries(picture, &looks));
        let all = || {
            let boundary = self.outline.iter().flat_map(|outline| outline.rings.iter().flatten().copied());
            let tracks = self.tracks.iter().flat_map(|track| track.lines.iter().flatten().copied());
            boundary.chain(tracks).chain(self.markers.iter().map(|place| place.at))
        };
        if !all().any(|position| position.is_on_earth()) {
            return frame.empty(self.empty_reason.as_deref());
        }
        // How many labels are left out is known only after they are placed, too late for a note; it is written on the panel.
        let panel = frame.content_area;
        let inner = map_base::draw_panel(&mut frame, panel);
        let Some(projection) = Projection::fit(all(), inner) else {
            return frame.empty(self.empty_reason.as_deref());
        };
        let ground = Fill::Solid(Paint::Surface);
        map_base::draw_outline(&mut frame, &projection, self.outline.as_ref(), ground, panel);
        for (index, track) in self.tracks.iter().enumerate().rev() {
            draw_track(&mut frame, &projection, track, looks.get(index));
        }
        let [scale, north] = map_base::draw_scale_bar_and_north(&mut frame, &projection, panel);
        let mut taken = vec![scale, north];
        let left_out = self.draw_markers(&mut frame, &projection, panel, &mut taken);
        if left_out > 0 {
            let small = frame.sizes.small;
            let words = &picture.translations;
            let text = format!("{}: {}", clean(&words.labels_left_out), words.numbers.count(left_out));
            let room = north.left - scale.right() - 12.0;
            let label =
                Label::new(north.left - 6.0, panel.bottom() - 10.0, &text, small).painted(Paint::Muted);
            frame.canvas.text(&label.anchored(Anchor::End).haloed(Paint::Panel).with_max_width(room));
        }
        let summary = self.summary(picture);
        frame.close(&summary)
    }

    fn entries(&self, picture: &ChartOptions, looks: &[SeriesStyle]) -> Vec<LegendEntry> {
        let mut entries: Vec<LegendEntry> = self
            .tracks
            .iter()
            .zip(looks)
            .map(|(track, look)| {
                let line = Style::line(look.paint, 2.0).with_dash(look.dash);
                LegendEntry::new(Mark::Line(line, Some((look.marker, look.paint))), track.label.clone())
            })
            .collect();
        if self.tracks.len() > PALETTE_SIZE {
            let words = &picture.translations;
            let others = words.numbers.count(self.tracks.len() - PALETTE_SIZE);
            let label = format!("{others} {}", clean(&words.others));
            entries.push(LegendEntry::new(Mark::Line(Style::line(Paint::Axis, 1.0), None), label));
        }
        entries
    }

    /// Draws the markers, then as many labels as fit, and returns the number of labels left out.
    fn draw_markers(
        &self,
        frame: &mut Frame<'_>,
        projection: &Projection,
        panel: Rect,
        taken: &mut Vec<Rect>,
    ) -> usize {
        let size = frame.sizes.small;
        let placed: Vec<(&MapMarker, (f64, f64))> = self
            .markers
            .iter()
            .filter(|place| place.at.is_on_earth())
            .map(|place| (place, projection.project(place.at)))
            .collect();
        for (place, (x, y)) in &placed {
            let (marker, paint) = marker_style(place.tone);
            frame.canvas.marker((*x, *y), marker, 6.0, paint, Some(&place.label));
            taken.push(Rect::new(x - 7.0, y - 7.0, 14.0, 14.0));
        }
        let mut left_out = 0;
        for (index, (place, (x, y))) in placed.iter().enumerate() {
            // After some hundreds there is no room for further labels.
            if index >= 400 {
                left_out += 1;
                continue;
            }
            let shown = fit(&place.label, size, Weight::Bold, (panel.width * 0.3).min(180.0));
            let wide = width(&shown.text, size, Weight::Bold);
            if shown.text.is_empty() {
                continue;
            }
            let tries = [
                (x + 10.0, y + size * 0.36),
                (x - 10.0 - wide, y + size * 0.36),
                (x - wide / 2.0, y - 11.0),
                (x - wide / 2.0, y + 11.0 + size * 0.76),
                (x + 9.0, y - 8.0),
                (x + 9.0, y + 8.0 + size * 0.76),
                (x - 9.0 - wide, y - 8.0),
                (x - 9.0 - wide, y + 8.0 + size * 0.76),
            ];
            let room = tries.into_iter().find(|&(left, baseline)| {
                let area = Rect::new(left, baseline - size * 0.8, wide, size * 1.05);
                panel.contains(&area) && !taken.iter().any(|other| other.intersects(&area))
            });
            let Some((left, baseline)) = room else {
                left_out += 1;
                continue;
            };
            taken.push(Rect::new(left - 2.0, baseline - size * 0.8, wide + 4.0, size * 1.05));
            let label = Label::new(left, baseline, &place.label, size).bold().haloed(Paint::Surface);
            frame.canvas.text(&label.with_max_width(wide + 0.01));
        }
        left_out
    }

    fn summary(&self, picture: &ChartOptions) -> String {
        let places = self.markers.iter().filter(|place| place.at.is_on_earth());
        let named: Vec<String> =
            places.clone().take(describe::MAX_DESCRIBED * 2).map(|place| clean(&place.label)).collect();
        let count = places.count();
        let translations = &picture.translations;
        let say = &translations.descriptions;
        let mut text = fill(
            if self.outline.is_some() { say.site_with_boundary } else { say.site },
            &[
                ("positions", &describe::count(picture, say.positions, count, &[])),
                ("tracks", &describe::count(picture, say.tracks, self.tracks.len(), &[])),
            ],
        );
        if !named.is_empty() {
            let template = if count > named.len() { say.some_positions } else { say.named_positions };
            let more = translations.numbers.count(count.saturating_sub(named.len()));
            let names = named.join(", ");
            text.push_str(&format!(" {}", fill(template, &[("names", &names), ("n", &more)])));
        }
        text
    }
}

fn marker_style(tone: Tone) -> (Marker, Paint) {
    match tone {
        Tone::Plain | Tone::Good => (Marker::Circle, Paint::Series(0)),
        Tone::Warning => (Marker::Square, Paint::Series(1)),
        Tone::Danger => (Marker::Triangle, Paint::Danger),
        Tone::Neutral => (Marker::Ring, Paint::Neutral),
    }
}

/// Draws a track with a ring at its start and a marker at its end.
fn draw_track(frame: &mut Frame<'_>, projection: &Projection, track: &Track, look: Option<&SeriesStyle>) {
    let mut trail = PathData::default();
    let mut ends: Option<((f64, f64), (f64, f64))> = None;
    for line in &track.lines {
        let placed = projection.project_ring(line);
        let (Some(first), Some(last)) = (placed.first(), placed.last()) else { continue };
        ends = Some((ends.map_or(*first, |ends| ends.0), *last));
        if placed.len() > 1 {
            trail.polyline(&placed);
        }
    }
    let Some(look) = look else {
        return frame.canvas.path(&trail, &Style::line(Paint::Axis, 1.0), Some(&track.label));
    };
    frame.canvas.path(&trail, &Style::line(Paint::Surface, 4.0).with_opacity(0.75), None);
    frame.canvas.path(&trail, &Style::line(look.paint, 2.0).with_dash(look.dash), Some(&track.label));
    if let Some((first, last)) = ends {
        frame.canvas.marker(first, Marker::Ring, 3.4, look.paint, None);
        frame.canvas.marker(last, look.marker, 4.6, look.paint, Some(&track.label));
    }
}

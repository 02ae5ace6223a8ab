//! Heat maps of incursions: hexagons shaded by value over the boundaries of worksites.

use crate::descriptions::fill;
use crate::layout::classes::Classes;
use crate::layout::describe;
use crate::layout::frame::Frame;
use crate::maps::map_base::{self, Outline, Position, Projection};
use crate::options::ChartOptions;
use crate::series::Value;
use crate::svg::colour::Paint;
use crate::svg::label::{Anchor, Label};
use crate::svg::shape::{PathData, Rect};
use crate::svg::style::{Fill, Style};
use crate::svg::text::{Weight, clean, width};

/// A hexagon with its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Hexagon {
    pub corners: Vec<Position>,
    /// Number of incursions that started there.
    pub count: f64,
    /// Share of acknowledged incursions, 0 to 100.
    pub rate: Option<f64>,
}

impl Hexagon {
    fn valid_rate(&self) -> Option<f64> {
        Value::Number(self.rate?).number().map(|rate| rate.clamp(0.0, 100.0))
    }
}

/// The value that the shades represent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ShadeBy {
    #[default]
    Count,
    Rate,
}

/// The map of one worksite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MapPanel {
    /// The name of the worksite, written above the map; may be empty.
    pub label: String,
    /// The hexagons with at least one incursion.
    pub hexagons: Vec<Hexagon>,
    /// The boundary of the worksite.
    pub outline: Option<Outline>,
}

impl MapPanel {
    /// Returns the hexagons that can be drawn, with their counts.
    fn drawable(&self) -> Vec<(&Hexagon, f64)> {
        self.hexagons
            .iter()
            .filter(|hexagon| hexagon.corners.iter().filter(|corner| corner.is_on_earth()).count() > 2)
            .filter_map(|hexagon| {
                Some((hexagon, Value::Number(hexagon.count).number().filter(|count| *count > 0.0)?))
            })
            .collect()
    }
}

#[derive(Clone, Debug)]
pub struct HexagonMap {
    /// The unit of the counts, such as "incursions".
    pub unit: String,
    /// The label of the rate, such as "acknowledged".
    pub rate_label: String,
    pub shade_by: ShadeBy,
    /// One map for each, side by side; the shades mean the same in all of them. Those that do not fit are left out from the end.
    pub panels: Vec<MapPanel>,
    /// Shown if there is no data.
    pub empty_reason: Option<String>,
}

/// A panel with the hexagons that are drawn.
struct ShownPanel<'a> {
    panel: &'a MapPanel,
    shown: Vec<(&'a Hexagon, f64)>,
}

/// Minimum size of one of several panels: smaller ones have no room for a scale bar.
const MIN_PANEL: (f64, f64) = (150.0, 110.0);
/// Minimum width of a hexagon, in pixels, if the whole boundary is shown, and its numbers need no more.
const MIN_HEXAGON: f64 = 24.0;
/// The share of the width of a hexagon that its number is given, if there is room.
const WANTED_LABEL: f64 = 0.72;
/// The share that a number may take: a hexagon is narrower above and below its middle.
const MAX_LABEL: f64 = 0.86;
/// The width up to which hexagons are enlarged otherwise, if there is room.
const WANTED_HEXAGON: f64 = 36.0;
/// Space between panels.
const PANEL_GAP: f64 = 12.0;

impl HexagonMap {
    #[must_use]
    pub fn svg(&self, picture: &ChartOptions) -> String {
        let mut frame = Frame::open(picture);
        let panels = self.panels.iter().map(|panel| ShownPanel { panel, shown: panel.drawable() });
        let mut panels: Vec<ShownPanel<'_>> = panels.filter(|panel| !panel.shown.is_empty()).collect();
        if panels.is_empty() {
            return frame.empty(self.empty_reason.as_deref());
        }
        let counts = panels.iter().flat_map(|panel| panel.shown.iter().map(|(_, count)| *count));
        let classes = match self.shade_by {
            ShadeBy::Count => Classes::quantiles(counts),
            ShadeBy::Rate => Classes::percent(),
        };
        let mut entries = classes.entries(false, picture.translations.numbers);
        let what = match self.shade_by {
            ShadeBy::Count => &self.unit,
            ShadeBy::Rate => &self.rate_label,
        };
        if let Some(last) = entries.last_mut() {
            last.label = format!("{} {}", last.label, clean(what));
        }
        frame.legend(&entries);
        let left_out = panels.len().saturating_sub(max_panels(frame.content_area));
        if left_out > 0 {
            let words = &picture.translations;
            frame.note(&format!("{} {}", words.numbers.count(left_out), clean(&words.more)));
            panels.truncate(panels.len() - left_out);
        }
        for (panel, area) in panels.iter().zip(grid(frame.content_area, panels.len())) {
            self.draw_panel(&mut frame, panel, area, &classes);
        }
        let summary = self.summary(picture, &panels);
        frame.close(&summary)
    }

    fn draw_panel(
        &self,
        frame: &mut Frame<'_>,
        ShownPanel { panel, shown }: &ShownPanel<'_>,
        mut area: Rect,
        classes: &Classes,
    ) {
        let label = clean(&panel.label);
        if !label.is_empty() {
            let size = frame.sizes.text;
            let label = Label::new(area.left, area.top + size, &label, size).bold();
            frame.canvas.text(&label.with_max_width(area.width));
            let used = (size * 1.5).min(area.height);
            area = Rect::new(area.left, area.top + used, area.width, area.height - used);
        }
        let inner = map_base::draw_panel(frame, area);
        let corners = shown.iter().flat_map(|(hexagon, _)| hexagon.corners.iter().copied());
        let boundary = panel.outline.iter().flat_map(|outline| outline.rings.iter().flatten().copied());
        let hexagon_m = shown.first().map_or(0.0, |(hexagon, _)| map_base::width_m(&hexagon.corners));
        let min_px = self.min_hexagon(frame, shown);
        let sizes = (hexagon_m, min_px, WANTED_HEXAGON.max(min_px));
        let Some(projection) = Projection::focus(corners, boundary, inner, sizes) else { return };
        let (outline, above_foot) = (panel.outline.as_ref(), map_base::above_foot(frame, area));
        map_base::draw_outline(frame, &projection, outline, Fill::Solid(Paint::Surface), above_foot);
        let written: Vec<CellLabel> = shown
            .iter()
            .map(|(hexagon, count)| self.draw_cell(frame, &projection, hexagon, *count, classes))
            .collect();
        map_base::draw_outline(frame, &projection, outline, Fill::None, above_foot);
        // All or none: the highest numbers are the widest, and a blank among numbers would look like the least.
        if written.iter().all(|number| number.fits(frame)) {
            for number in &written {
                number.draw(frame);
            }
        }
        map_base::draw_scale_bar_and_north(frame, &projection, area);
    }

    /// Returns the width that hexagons need for the widest of their numbers.
    fn min_hexagon(&self, frame: &Frame<'_>, shown: &[(&Hexagon, f64)]) -> f64 {
        let widths =
            shown.iter().map(|(hexagon, count)| label_width(frame, &self.label(frame, hexagon, *count)));
        (widths.fold(0.0, f64::max) / WANTED_LABEL).max(MIN_HEXAGON)
    }

    /// Returns the number that is written on a hexagon.
    fn label(&self, frame: &Frame<'_>, hexagon: &Hexagon, count: f64) -> String {
        let numbers = frame.options.translations.numbers;
        match (self.shade_by, hexagon.valid_rate()) {
            (ShadeBy::Count, _) => numbers.compact(count),
            (ShadeBy::Rate, Some(rate)) => numbers.compact(rate.round()),
            (ShadeBy::Rate, None) => "–".to_owned(),
        }
    }

    fn draw_cell(
        &self,
        frame: &mut Frame<'_>,
        projection: &Projection,
        hexagon: &Hexagon,
        count: f64,
        classes: &Classes,
    ) -> CellLabel {
        let placed = projection.project_ring(&hexagon.corners);
        let rate = hexagon.valid_rate();
        let numbers = frame.options.translations.numbers;
        let text = self.label(frame, hexagon, count);
        let paint = match self.shade_by {
            ShadeBy::Count => Some(classes.paint(count)),
            ShadeBy::Rate => rate.map(|rate| classes.paint(rate)),
        };
        let mut title = format!("{} {}", numbers.number(count), clean(&self.unit));
        if let Some(rate) = rate {
            title.push_str(&format!(", {} % {}", numbers.number(rate), clean(&self.rate_label)));
        }
        let mut trail = PathData::default();
        trail.ring(&placed);
        let fill = paint.map_or(Fill::NoData, Fill::Solid);
        let edge = if paint.is_some() { Paint::Surface } else { Paint::Axis };
        frame.canvas.path(&trail, &Style::filled(fill).with_stroke(edge, 0.8), Some(&title));
        CellLabel { bounds: bounds(&placed), text, beneath: paint }
    }

    fn summary(&self, picture: &ChartOptions, panels: &[ShownPanel<'_>]) -> String {
        let numbers = picture.translations.numbers;
        let shown = || panels.iter().flat_map(|panel| &panel.shown);
        let total: f64 = shown().map(|(_, count)| count).sum();
        let most = shown().map(|(_, count)| *count).fold(0.0, f64::max);
        let unit = clean(&self.unit);
        let values = [("total", numbers.number(total)), ("most", numbers.number(most)), ("unit", unit)];
        let values = values.each_ref().map(|(name, value)| (*name, value.as_str()));
        let say = &picture.translations.descriptions;
        let mut text = describe::count(picture, say.hexagons, shown().count(), &values);
        let percent = |rate: f64| format!("{} % {}", numbers.number(rate), clean(&self.rate_label));
        if let Some(mean) = mean_rate(shown()) {
            text.push_str(&format!(" {}.", percent(mean)));
        }
        let rates = shown().filter_map(|(hexagon, _)| hexagon.valid_rate());
        let range = rates.map(|rate| (rate, rate)).reduce(|all, one| (all.0.min(one.0), all.1.max(one.1)));
        if let (ShadeBy::Rate, Some((lowest, highest))) = (self.shade_by, range) {
            let (lowest, highest) = (numbers.number(lowest), numbers.number(highest));
            let sentence = fill(say.rates_by_hexagon, &[("lowest", &lowest), ("highest", &highest)]);
            text.push_str(&format!(" {sentence}"));
        }
        for ShownPanel { panel, shown } in panels.iter().filter(|panel| !panel.panel.label.is_empty()) {
            let value = match (self.shade_by, mean_rate(shown.iter())) {
                (ShadeBy::Rate, Some(mean)) => percent(mean),
                _ => numbers.number(shown.iter().map(|(_, count)| count).sum()),
            };
            text.push_str(&format!(" {}: {value}.", clean(&panel.label)));
        }
        text
    }
}

/// Returns the rate of all incursions in these hexagons, if one has a rate.
fn mean_rate<'a, 'b: 'a>(shown: impl Iterator<Item = &'a (&'b Hexagon, f64)>) -> Option<f64> {
    let (mut counted, mut sum) = (0.0f64, 0.0f64);
    for (hexagon, count) in shown {
        if let Some(rate) = hexagon.valid_rate() {
            counted += count;
            sum += count * rate;
        }
    }
    (counted > 0.0).then(|| sum / counted)
}

/// Returns how many panels fit into an area.
fn max_panels(area: Rect) -> usize {
    let fitting =
        |length: f64, min: f64| ((length + PANEL_GAP) / (min + PANEL_GAP)).floor().max(1.0) as usize;
    fitting(area.width, MIN_PANEL.0) * fitting(area.height, MIN_PANEL.1)
}

/// Divides an area into equal panels, in as many columns as make them the least narrow and low.
fn grid(area: Rect, count: usize) -> Vec<Rect> {
    let size = |columns: usize| {
        let rows = count.div_ceil(columns);
        let width = (area.width - PANEL_GAP * (columns - 1) as f64) / columns as f64;
        let height = (area.height - PANEL_GAP * (rows - 1) as f64) / rows as f64;
        (width, height)
    };
    let shortest_side = |columns: &usize| {
        let (width, height) = size(*columns);
        width.min(height * MIN_PANEL.0 / MIN_PANEL.1).max(0.0) as u64
    };
    let columns = (1..=count.max(1)).rev().max_by_key(shortest_side).unwrap_or(1);
    let (width, height) = size(columns);
    let place = |index: usize| {
        let (column, row) = ((index % columns) as f64, (index / columns) as f64);
        let (left, top) = (area.left + column * (width + PANEL_GAP), area.top + row * (height + PANEL_GAP));
        Rect::new(left, top, width, height)
    };
    (0..count).map(place).collect()
}

/// The label of a hexagon, written after all hexagons and the boundary are drawn.
struct CellLabel {
    bounds: Rect,
    text: String,
    /// The shade of the hexagon; `None` if it is hatched.
    beneath: Option<Paint>,
}

impl CellLabel {
    fn fits(&self, frame: &Frame<'_>) -> bool {
        label_width(frame, &self.text) <= self.bounds.width * MAX_LABEL
            && self.bounds.height >= frame.sizes.small * 1.3
    }

    fn draw(&self, frame: &mut Frame<'_>) {
        let (bounds, size) = (self.bounds, frame.sizes.small);
        let (x, y) = (bounds.left + bounds.width / 2.0, bounds.top + bounds.height / 2.0 + size * 0.36);
        let label = Label::new(x, y, &self.text, size).anchored(Anchor::Middle);
        frame.canvas.text(&match self.beneath {
            // The halo interrupts the boundary behind the number.
            Some(paint) => label.painted(paint.text_on()).haloed(paint),
            None => label.haloed(Paint::Panel),
        });
    }
}

fn label_width(frame: &Frame<'_>, text: &str) -> f64 {
    width(text, frame.sizes.small, Weight::Regular)
}

fn bounds(points: &[(f64, f64)]) -> Rect {
    let (mut left, mut right) = (f64::INFINITY, f64::NEG_INFINITY);
    let (mut top, mut bottom) = (f64::INFINITY, f64::NEG_INFINITY);
    for &(x, y) in points {
        left = left.min(x);
        right = right.max(x);
        top = top.min(y);
        bottom = bottom.max(y);
    }
    Rect::new(left, top, right - left, bottom - top)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_share_the_area() {
        let area = Rect::new(10.0, 20.0, 900.0, 500.0);
        assert_eq!(grid(area, 1), [area]);
        for count in 2..=9 {
            let panels = grid(area, count);
            assert_eq!(panels.len(), count);
            for (index, panel) in panels.iter().enumerate() {
                assert!(panel.left >= area.left && panel.top >= area.top);
                assert!(panel.right() <= area.right() + 1e-6 && panel.bottom() <= area.bottom() + 1e-6);
                assert!(panels[..index].iter().all(|other| !other.intersects(panel)));
                assert!(panel.width >= MIN_PANEL.0 && panel.height >= MIN_PANEL.1, "{count}");
            }
        }
        // Three side by side in a wide area, one below the other in a narrow one.
        let wide = Rect::new(0.0, 0.0, 900.0, 300.0);
        assert!(grid(wide, 3).iter().all(|panel| panel.top == wide.top));
        let narrow = Rect::new(0.0, 0.0, 200.0, 500.0);
        assert!(grid(narrow, 3).iter().all(|panel| panel.left == narrow.left));
        assert_eq!(max_panels(narrow), 4);
    }
}

//! A heat map of incursions: hexagons shaded by value over the worksite's boundary.

use crate::classes::Classes;
use crate::colour::Paint;
use crate::describe;
use crate::frame::Frame;
use crate::label::{Anchor, Label};
use crate::map_base::{self, Outline, Position, Projection};
use crate::number::{format_compact, format_number};
use crate::options::ChartOptions;
use crate::series::Value;
use crate::shape::{PathData, Rect};
use crate::style::{Fill, Style};
use crate::text::{Weight, clean, width};

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

#[derive(Clone, Debug)]
pub struct HexagonMap {
    /// The unit of the counts, such as "incursions".
    pub unit: String,
    /// The label of the rate, such as "acknowledged".
    pub rate_label: String,
    pub shade_by: ShadeBy,
    /// The hexagons with at least one incursion.
    pub hexagons: Vec<Hexagon>,
    /// The boundary of the worksite.
    pub outline: Option<Outline>,
    /// Shown if there is no data.
    pub empty_reason: Option<String>,
}

impl HexagonMap {
    #[must_use]
    pub fn svg(&self, picture: &ChartOptions) -> String {
        let mut frame = Frame::open(picture);
        let shown: Vec<(&Hexagon, f64)> = self
            .hexagons
            .iter()
            .filter(|hexagon| hexagon.corners.iter().filter(|corner| corner.is_on_earth()).count() > 2)
            .filter_map(|hexagon| {
                Some((hexagon, Value::Number(hexagon.count).number().filter(|count| *count > 0.0)?))
            })
            .collect();
        if shown.is_empty() {
            return frame.empty(self.empty_reason.as_deref());
        }
        let classes = match self.shade_by {
            ShadeBy::Count => Classes::quantiles(shown.iter().map(|(_, count)| *count)),
            ShadeBy::Rate => Classes::percent(),
        };
        let mut entries = classes.entries(false);
        let what = match self.shade_by {
            ShadeBy::Count => &self.unit,
            ShadeBy::Rate => &self.rate_label,
        };
        if let Some(last) = entries.last_mut() {
            last.label = format!("{} {}", last.label, clean(what));
        }
        frame.legend(&entries);
        let (panel, inner) = map_base::draw_panel(&mut frame);
        let corners = shown.iter().flat_map(|(hexagon, _)| hexagon.corners.iter().copied());
        let boundary = self.outline.iter().flat_map(|outline| outline.rings.iter().flatten().copied());
        let Some(projection) = Projection::fit(corners.chain(boundary), inner) else {
            return frame.empty(self.empty_reason.as_deref());
        };
        map_base::draw_outline(&mut frame, &projection, self.outline.as_ref(), Fill::Solid(Paint::Surface));
        let written: Vec<CellLabel> = shown
            .iter()
            .map(|(hexagon, count)| self.draw_cell(&mut frame, &projection, hexagon, *count, &classes))
            .collect();
        map_base::draw_outline(&mut frame, &projection, self.outline.as_ref(), Fill::None);
        for number in &written {
            number.draw(&mut frame);
        }
        map_base::draw_scale_bar_and_north(&mut frame, &projection, panel);
        let summary = self.summary(&shown);
        frame.close(&summary)
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
        let (paint, text) = match (self.shade_by, rate) {
            (ShadeBy::Count, _) => (Some(classes.paint(count)), format_compact(count)),
            (ShadeBy::Rate, Some(rate)) => (Some(classes.paint(rate)), format_compact(rate.round())),
            (ShadeBy::Rate, None) => (None, "–".to_owned()),
        };
        let mut title = format!("{} {}", format_number(count), clean(&self.unit));
        if let Some(rate) = rate {
            title.push_str(&format!(", {} % {}", format_number(rate), clean(&self.rate_label)));
        }
        let mut trail = PathData::default();
        trail.ring(&placed);
        let fill = paint.map_or(Fill::NoData, Fill::Solid);
        let edge = if paint.is_some() { Paint::Surface } else { Paint::Axis };
        frame.canvas.path(&trail, &Style::filled(fill).with_stroke(edge, 0.8), Some(&title));
        CellLabel { bounds: bounds(&placed), text, beneath: paint }
    }

    fn summary(&self, shown: &[(&Hexagon, f64)]) -> String {
        let total: f64 = shown.iter().map(|(_, count)| count).sum();
        let most = shown.iter().map(|(_, count)| *count).fold(0.0, f64::max);
        let unit = clean(&self.unit);
        let mut text = format!(
            "Map of {} with {} {unit} in all, at most {} in one.",
            describe::count(shown.len(), "cell"),
            format_number(total),
            format_number(most)
        );
        let rated: Vec<(f64, f64)> =
            shown.iter().filter_map(|(hexagon, count)| Some((*count, hexagon.valid_rate()?))).collect();
        let counted: f64 = rated.iter().map(|(count, _)| count).sum();
        if counted > 0.0 {
            let mean = rated.iter().map(|(count, rate)| count * rate).sum::<f64>() / counted;
            text.push_str(&format!(" {} % {}.", format_number(mean), clean(&self.rate_label)));
        }
        text
    }
}

/// The label of a hexagon, written after all hexagons and the boundary are drawn.
struct CellLabel {
    bounds: Rect,
    text: String,
    /// The shade of the hexagon; `None` if it is hatched.
    beneath: Option<Paint>,
}

impl CellLabel {
    fn draw(&self, frame: &mut Frame<'_>) {
        let bounds = self.bounds;
        let size = frame.sizes.small.min(bounds.width * 0.32);
        let wide = width(&self.text, size, Weight::Regular);
        if size >= 7.5 && wide <= bounds.width * 0.72 && bounds.height >= size * 1.3 {
            let (x, y) = (bounds.left + bounds.width / 2.0, bounds.top + bounds.height / 2.0 + size * 0.36);
            let label = Label::new(x, y, &self.text, size).anchored(Anchor::Middle);
            frame.canvas.text(&match self.beneath {
                Some(paint) => label.painted(paint.text_on()),
                None => label.haloed(Paint::Panel),
            });
        }
    }
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

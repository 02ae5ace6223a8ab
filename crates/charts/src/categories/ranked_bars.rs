//! Horizontal bars with parts, one row per item, such as the time in zones by site, machine or person.

use crate::layout::describe;
use crate::layout::frame::Frame;
use crate::layout::legend::LegendEntry;
use crate::layout::plot::max_label_share;
use crate::layout::scale::Scale;
use crate::options::ChartOptions;
use crate::series::Value;
use crate::svg::colour::{PALETTE_SIZE, Paint};
use crate::svg::label::{Anchor, Label};
use crate::svg::shape::Rect;
use crate::svg::style::{Style, Tone, series_styles};
use crate::svg::text::{Weight, clean, width};

/// A part of every row, such as a zone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    pub label: String,
    pub tone: Tone,
}

/// An item with its amount of each part.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub label: String,
    /// In the order of the parts.
    pub values: Vec<f64>,
}

#[derive(Clone, Debug)]
pub struct RankedBars {
    /// The unit of the amounts, such as "hours".
    pub unit: String,
    /// The parts of each row. If there are more than seven, the last ones are combined.
    pub parts: Vec<Part>,
    /// In display order; rows that do not fit are counted in a note.
    pub rows: Vec<Row>,
    /// Shown if there is no data.
    pub empty_reason: Option<String>,
}

impl RankedBars {
    #[must_use]
    pub fn svg(&self, picture: &ChartOptions) -> String {
        let mut frame = Frame::open(picture);
        let rows: Vec<(String, Vec<f64>)> =
            self.rows.iter().map(|row| (clean(&row.label), self.amounts(row))).collect();
        let most = rows.iter().map(|(_, values)| values.iter().sum::<f64>()).fold(0.0, f64::max);
        if most <= 0.0 {
            return frame.empty(self.empty_reason.as_deref());
        }
        let parts = self.shown_parts(picture);
        let looks = series_styles(parts.iter().map(|part| part.tone));
        let are_rows_parts = rows.iter().all(|row| is_one_part(row, &parts));
        if parts.len() > 1 && !are_rows_parts {
            let entries: Vec<LegendEntry> =
                parts.iter().zip(&looks).map(|(part, look)| LegendEntry::filled(look, &part.label)).collect();
            frame.legend(&entries);
        }
        let small = frame.sizes.small;
        let text = frame.sizes.text;
        let least = text * 1.45;
        let foot = small * 3.2;
        let mut fitting = ((frame.content_area.height - foot) / least).floor().max(1.0) as usize;
        if rows.len() > fitting {
            let words = &picture.translations;
            fitting = ((frame.content_area.height - foot - small * 1.7) / least).floor().max(1.0) as usize;
            let hidden = rows.len().saturating_sub(fitting);
            frame.note(&format!("{} {}", words.numbers.count(hidden), clean(&words.more)));
        }
        let shown = &rows[..rows.len().min(fitting)];
        let widest = shown.iter().map(|(label, _)| width(label, text, Weight::Regular)).fold(0.0, f64::max);
        let left = widest.min(frame.content_area.width * max_label_share(&frame)) + 10.0;
        let numbers = picture.translations.numbers;
        let total_width = width(&numbers.number(most.round() + 0.88), small, Weight::Regular).max(30.0) + 8.0;
        let each = ((frame.content_area.height - foot).max(10.0) / shown.len() as f64).min(64.0);
        let area = Rect::new(
            frame.content_area.left + left,
            frame.content_area.top,
            (frame.content_area.width - left - total_width).max(10.0),
            each * shown.len() as f64,
        );
        let scale = Scale::fit(
            shown.iter().map(|(_, values)| values.iter().sum()),
            (area.width / 90.0).clamp(1.0, 8.0),
        );
        self.draw_axis(&mut frame, area, &scale);
        for (index, (label, values)) in shown.iter().enumerate() {
            let middle = area.top + each * (index as f64 + 0.5);
            let baseline = middle + text * 0.36;
            let name = Label::new(area.left - 10.0, baseline, label, text).anchored(Anchor::End);
            frame.canvas.text(&name.with_max_width(left - 10.0));
            let broad = (each * 0.68).min(34.0);
            let mut sum = 0.0;
            for ((value, look), part) in values.iter().zip(&looks).zip(&parts) {
                let (from, to) = (scale.fraction(sum) * area.width, scale.fraction(sum + value) * area.width);
                sum += value;
                if to - from < 0.05 {
                    continue;
                }
                let title = format!(
                    "{label}, {}: {} {}",
                    clean(&part.label),
                    numbers.number(*value),
                    clean(&self.unit)
                );
                let bar = Rect::new(area.left + from, middle - broad / 2.0, to - from, broad);
                frame.canvas.rect(
                    bar,
                    &Style::filled(look.fill()).with_stroke(Paint::Surface, 0.8),
                    Some(&title),
                );
            }
            let end = area.left + scale.fraction(sum) * area.width + 6.0;
            let total = numbers.number(sum);
            let label = Label::new(end, middle + small * 0.36, &total, small).haloed(Paint::Surface);
            frame.canvas.text(&label.with_max_width(frame.content_area.right() - end));
        }
        frame.canvas.line((area.left, area.top), (area.left, area.bottom()), &Style::line(Paint::Axis, 1.2));
        let summary = self.summary(picture, &rows, &parts);
        frame.close(&summary)
    }

    /// Returns the amount of each displayed part; amounts cannot be negative.
    fn amounts(&self, row: &Row) -> Vec<f64> {
        let mut amounts = vec![0.0; self.parts.len().clamp(1, PALETTE_SIZE)];
        let last = amounts.len() - 1;
        for (index, &value) in row.values.iter().take(self.parts.len()).enumerate() {
            amounts[index.min(last)] += Value::Number(value).number().unwrap_or(0.0).max(0.0);
        }
        amounts
    }

    fn shown_parts(&self, picture: &ChartOptions) -> Vec<Part> {
        if self.parts.len() <= PALETTE_SIZE {
            return self.parts.clone();
        }
        let words = &picture.translations;
        let others = words.numbers.count(self.parts.len() - PALETTE_SIZE + 1);
        let label = format!("{others} {}", clean(&words.others));
        self.parts[..PALETTE_SIZE - 1].iter().cloned().chain([Part { label, tone: Tone::Neutral }]).collect()
    }

    fn draw_axis(&self, frame: &mut Frame<'_>, area: Rect, scale: &Scale) {
        let small = frame.sizes.small;
        let mut reach = f64::NEG_INFINITY;
        for (value, label) in scale.ticks(frame.options.translations.numbers) {
            let x = area.left + scale.fraction(value) * area.width;
            frame.canvas.line((x, area.top), (x, area.bottom()), &Style::line(Paint::Grid, 1.0));
            let half = width(&label, small, Weight::Regular) / 2.0;
            if x - half <= reach + 4.0 || x + half > frame.content_area.right() {
                continue;
            }
            reach = x + half;
            let label = Label::new(x, area.bottom() + small * 1.35, &label, small).painted(Paint::Muted);
            frame.canvas.text(&label.anchored(Anchor::Middle));
        }
        let unit = scale.unit(&self.unit);
        let y = area.bottom() + small * 2.7;
        let label = Label::new(area.left + area.width / 2.0, y, &unit, small).painted(Paint::Muted);
        frame.canvas.text(&label.anchored(Anchor::Middle).with_max_width(area.width));
    }

    fn summary(&self, picture: &ChartOptions, rows: &[(String, Vec<f64>)], parts: &[Part]) -> String {
        let numbers = picture.translations.numbers;
        let template = picture.translations.descriptions.ranked_bars;
        let unit = clean(&self.unit);
        let mut text = describe::count(picture, template, rows.len(), &[("unit", &unit)]);
        for row in rows.iter().take(describe::MAX_DESCRIBED) {
            let (label, values) = row;
            let total: f64 = values.iter().sum();
            text.push_str(&format!(" {label}: {}", numbers.number(total)));
            if parts.len() > 1 && !is_one_part(row, parts) {
                let each: Vec<String> = parts
                    .iter()
                    .zip(values)
                    .map(|(part, value)| format!("{} {}", clean(&part.label), numbers.number(*value)))
                    .collect();
                text.push_str(&format!(" ({})", each.join(", ")));
            }
            text.push('.');
        }
        text.push_str(&describe::more(picture, rows.len().saturating_sub(describe::MAX_DESCRIBED)));
        text
    }
}

/// Whether a row has nothing but the part of its name, as where time in zones is shown by zone.
fn is_one_part((label, values): &(String, Vec<f64>), parts: &[Part]) -> bool {
    values.iter().zip(parts).all(|(value, part)| *value == 0.0 || clean(&part.label) == *label)
}

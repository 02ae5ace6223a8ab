//! Level bars, one row per thing, in parts: time in zones by site, machine or person.

use crate::colour::{Paint, SERIES};
use crate::describe;
use crate::frame::Frame;
use crate::label::{Anchor, Label};
use crate::legend::Entry;
use crate::look::{Look, Tone, characters};
use crate::number::number;
use crate::picture::Picture;
use crate::scale::Scale;
use crate::series::Value;
use crate::shape::Area;
use crate::text::{Weight, clean, width};

/// A part that every row may have: a zone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// What it is called.
    pub label: String,
    /// What its colour should say.
    pub tone: Tone,
}

/// One thing and how much it has of each part.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What it is called.
    pub label: String,
    /// In the order of the parts.
    pub values: Vec<f64>,
}

/// Things beside one another by how much they have: time in zones.
#[derive(Clone, Debug)]
pub struct RankedBars {
    /// What the amounts are in: "hours".
    pub unit: String,
    /// The parts of each row. Beyond seven, the last are put together.
    pub parts: Vec<Part>,
    /// In the order in which they are shown; those without room at the end are counted.
    pub rows: Vec<Row>,
    /// Why there is nothing, if there is nothing.
    pub empty_reason: Option<String>,
}

impl RankedBars {
    /// Draws the rows.
    #[must_use]
    pub fn svg(&self, picture: &Picture) -> String {
        let mut frame = Frame::open(picture);
        let rows: Vec<(String, Vec<f64>)> =
            self.rows.iter().map(|row| (clean(&row.label), self.amounts(row))).collect();
        let most = rows.iter().map(|(_, values)| values.iter().sum::<f64>()).fold(0.0, f64::max);
        if most <= 0.0 {
            return frame.empty(self.empty_reason.as_deref());
        }
        let parts = self.shown_parts(picture);
        let looks = characters(parts.iter().map(|part| part.tone));
        if parts.len() > 1 {
            let entries: Vec<Entry> =
                parts.iter().zip(&looks).map(|(part, look)| Entry::filled(look, &part.label)).collect();
            frame.legend(&entries);
        }
        let small = frame.sizes.small;
        let text = frame.sizes.text;
        let least = text * 1.45;
        let foot = small * 3.2;
        let mut fitting = ((frame.room.height - foot) / least).floor().max(1.0) as usize;
        if rows.len() > fitting {
            let words = &picture.words;
            fitting = ((frame.room.height - foot - small * 1.7) / least).floor().max(1.0) as usize;
            let hidden = rows.len().saturating_sub(fitting);
            frame.note(&format!("{} {}", number(hidden as f64), clean(&words.more)));
        }
        let shown = &rows[..rows.len().min(fitting)];
        let widest = shown.iter().map(|(label, _)| width(label, text, Weight::Regular)).fold(0.0, f64::max);
        let left = widest.min(frame.room.width * 0.3) + 10.0;
        let total_width = width(&number(most.round() + 0.88), small, Weight::Regular).max(30.0) + 8.0;
        let each = ((frame.room.height - foot).max(10.0) / shown.len() as f64).min(64.0);
        let area = Area::new(
            frame.room.left + left,
            frame.room.top,
            (frame.room.width - left - total_width).max(10.0),
            each * shown.len() as f64,
        );
        let scale = Scale::fit(
            shown.iter().map(|(_, values)| values.iter().sum()),
            (area.width / 90.0).clamp(1.0, 8.0),
        );
        self.axis(&mut frame, area, &scale);
        for (index, (label, values)) in shown.iter().enumerate() {
            let middle = area.top + each * (index as f64 + 0.5);
            let baseline = middle + text * 0.36;
            let name = Label::new(area.left - 10.0, baseline, label, text).anchored(Anchor::End);
            frame.canvas.text(&name.within(left - 10.0));
            let broad = (each * 0.68).min(34.0);
            let mut sum = 0.0;
            for ((value, look), part) in values.iter().zip(&looks).zip(&parts) {
                let (from, to) = (scale.share(sum) * area.width, scale.share(sum + value) * area.width);
                sum += value;
                if to - from < 0.05 {
                    continue;
                }
                let title =
                    format!("{label}, {}: {} {}", clean(&part.label), number(*value), clean(&self.unit));
                let bar = Area::new(area.left + from, middle - broad / 2.0, to - from, broad);
                frame.canvas.rect(bar, &Look::filled(look.fill()).edged(Paint::Surface, 0.8), Some(&title));
            }
            let end = area.left + scale.share(sum) * area.width + 6.0;
            let total = number(sum);
            let label = Label::new(end, middle + small * 0.36, &total, small).haloed(Paint::Surface);
            frame.canvas.text(&label.within(frame.room.right() - end));
        }
        frame.canvas.line((area.left, area.top), (area.left, area.bottom()), &Look::line(Paint::Axis, 1.2));
        let summary = self.summary(&rows, &parts);
        frame.close(&summary)
    }

    /// What a row has of each part that is shown; amounts cannot be negative.
    fn amounts(&self, row: &Row) -> Vec<f64> {
        let mut amounts = vec![0.0; self.parts.len().clamp(1, SERIES)];
        let last = amounts.len() - 1;
        for (index, &value) in row.values.iter().take(self.parts.len()).enumerate() {
            amounts[index.min(last)] += Value::Number(value).number().unwrap_or(0.0).max(0.0);
        }
        amounts
    }

    fn shown_parts(&self, picture: &Picture) -> Vec<Part> {
        if self.parts.len() <= SERIES {
            return self.parts.clone();
        }
        let others = number((self.parts.len() - SERIES + 1) as f64);
        let label = format!("{others} {}", clean(&picture.words.others));
        self.parts[..SERIES - 1].iter().cloned().chain([Part { label, tone: Tone::Neutral }]).collect()
    }

    fn axis(&self, frame: &mut Frame<'_>, area: Area, scale: &Scale) {
        let small = frame.sizes.small;
        let mut reach = f64::NEG_INFINITY;
        for (value, label) in scale.ticks() {
            let x = area.left + scale.share(value) * area.width;
            frame.canvas.line((x, area.top), (x, area.bottom()), &Look::line(Paint::Grid, 1.0));
            let half = width(&label, small, Weight::Regular) / 2.0;
            if x - half <= reach + 4.0 || x + half > frame.room.right() {
                continue;
            }
            reach = x + half;
            let label = Label::new(x, area.bottom() + small * 1.35, &label, small).painted(Paint::Muted);
            frame.canvas.text(&label.anchored(Anchor::Middle));
        }
        let unit = scale.unit(&self.unit);
        let y = area.bottom() + small * 2.7;
        let label = Label::new(area.left + area.width / 2.0, y, &unit, small).painted(Paint::Muted);
        frame.canvas.text(&label.anchored(Anchor::Middle).within(area.width));
    }

    fn summary(&self, rows: &[(String, Vec<f64>)], parts: &[Part]) -> String {
        let unit = clean(&self.unit);
        let mut text = format!("Level bars of {unit} for {}.", describe::count(rows.len(), "row"));
        for (label, values) in rows.iter().take(describe::MOST) {
            let total: f64 = values.iter().sum();
            text.push_str(&format!(" {label}: {}", number(total)));
            if parts.len() > 1 {
                let each: Vec<String> = parts
                    .iter()
                    .zip(values)
                    .map(|(part, value)| format!("{} {}", clean(&part.label), number(*value)))
                    .collect();
                text.push_str(&format!(" ({})", each.join(", ")));
            }
            text.push('.');
        }
        if rows.len() > describe::MOST {
            text.push_str(&format!(" {} more.", number((rows.len() - describe::MOST) as f64)));
        }
        text
    }
}

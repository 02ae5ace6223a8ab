//! A matrix of seven days by 24 hours. Each cell shows its number, or a square of proportional size if there is no room.

use crate::layout::classes::Classes;
use crate::layout::describe::{self, no_value_label};
use crate::layout::frame::Frame;
use crate::layout::legend::{LegendEntry, Mark};
use crate::options::ChartOptions;
use crate::series::Value;
use crate::svg::colour::Paint;
use crate::svg::label::{Anchor, Label};
use crate::svg::number::{format_compact, format_number};
use crate::svg::shape::Rect;
use crate::svg::style::{Fill, Style};
use crate::svg::text::{Weight, clean, width};

/// The kind of values, which decides how they are summarised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// Values that add up, such as incursions or hours.
    #[default]
    Amount,
    /// Values that do not add up, such as rates or means.
    Level,
}

/// A measure by hour of the week.
#[derive(Clone, Debug)]
pub struct WeekMatrix {
    /// The unit of the values, such as "incursions".
    pub unit: String,
    pub quantity: Quantity,
    /// By weekday from Monday and hour from midnight; `None` for a missing value.
    pub values: [[Option<f64>; 24]; 7],
    /// The reason for missing values, if there are any.
    pub gap_reason: Option<String>,
    /// Shown if there is no data.
    pub empty_reason: Option<String>,
}

impl WeekMatrix {
    #[must_use]
    pub fn svg(&self, picture: &ChartOptions) -> String {
        let mut frame = Frame::open(picture);
        let values: Vec<Vec<Option<f64>>> = self
            .values
            .iter()
            .map(|day| {
                day.iter().map(|value| value.and_then(|value| Value::Number(value).number())).collect()
            })
            .collect();
        let all = || values.iter().flatten().flatten().copied();
        if all().all(|value| value == 0.0) {
            return frame.empty(self.empty_reason.as_deref());
        }
        let classes = Classes::quantiles(all());
        let (text, small) = (frame.sizes.text, frame.sizes.small);
        let names: Vec<String> = picture.translations.weekdays.iter().map(|name| clean(name)).collect();
        let widest = names.iter().map(|name| width(name, text, Weight::Regular)).fold(0.0, f64::max);
        let left = widest.min(frame.content_area.width * 0.2) + 8.0;
        let across = (frame.content_area.width - left) / 24.0;
        let most = all().fold(0.0, f64::max);
        let widest =
            all().map(|value| width(&format_compact(value), small, Weight::Regular)).fold(0.0, f64::max);
        let written = widest <= across - 3.0 && small * 14.0 <= frame.content_area.height - text * 5.0;
        let unit = clean(&self.unit);
        let mut entries = if written {
            classes.entries(all().any(|value| value <= 0.0))
        } else {
            vec![LegendEntry::new(Mark::Swatch(Fill::Solid(Paint::Series(0))), format_number(most))]
        };
        if let Some(first) = entries.first_mut() {
            first.label = format!("{} {unit}", first.label);
        }
        if values.iter().flatten().any(Option::is_none) {
            let why = no_value_label(picture, &clean(self.gap_reason.as_deref().unwrap_or_default()));
            entries.push(LegendEntry::new(Mark::Swatch(Fill::NoData), why));
        }
        frame.legend(&entries);

        let foot = small * 1.6;
        let height = (frame.content_area.height - foot).max(14.0);
        let area = Rect::new(
            frame.content_area.left + left,
            frame.content_area.top,
            frame.content_area.width - left,
            height,
        );
        let down = area.height / 7.0;
        for row in 0..7 {
            let day = (row + picture.week_start.weekday() as usize) % 7;
            let top = area.top + down * row as f64;
            let name = Label::new(area.left - 8.0, top + down / 2.0 + text * 0.36, &names[day], text);
            frame.canvas.text(&name.anchored(Anchor::End).with_max_width(left - 8.0));
            for (hour, value) in values[day].iter().enumerate() {
                let cell =
                    Rect::new(area.left + across * hour as f64 + 0.75, top + 0.75, across - 1.5, down - 1.5);
                let title = format!(
                    "{} {hour:02}:00–{:02}:00: {} {}",
                    names[day],
                    hour + 1,
                    value.map_or("–".to_owned(), format_number),
                    clean(&self.unit)
                );
                draw_cell(&mut frame, cell, *value, &title, &classes, written, most);
            }
        }
        draw_hours(&mut frame, area, across);
        let summary = self.summary(&values, &names);
        frame.close(&summary)
    }

    fn summary(&self, values: &[Vec<Option<f64>>], names: &[String]) -> String {
        let known: Vec<f64> = values.iter().flatten().flatten().copied().collect();
        let mut best = (0, 0, f64::NEG_INFINITY);
        for (day, hours) in values.iter().enumerate() {
            for (hour, value) in hours.iter().enumerate() {
                if let Some(value) = value.filter(|value| *value > best.2) {
                    best = (day, hour, value);
                }
            }
        }
        let unit = clean(&self.unit);
        let most = format!(
            "most on {} from {:02}:00 to {:02}:00 ({})",
            names[best.0],
            best.1,
            best.1 + 1,
            format_number(best.2)
        );
        let mut text = match self.quantity {
            Quantity::Amount => {
                let total: f64 = known.iter().sum();
                let of_day = |hours: &Vec<Option<f64>>| format_number(hours.iter().flatten().sum());
                let days: Vec<String> = names
                    .iter()
                    .zip(values)
                    .map(|(name, hours)| format!("{name} {}", of_day(hours)))
                    .collect();
                format!(
                    "Matrix of {unit} by weekday and hour, {} in all; {most}. By weekday: {}.",
                    format_number(total),
                    days.join(", ")
                )
            }
            Quantity::Level => {
                let least = known.iter().copied().fold(f64::INFINITY, f64::min);
                format!("Matrix of {unit} by weekday and hour; {most}, least {}.", format_number(least))
            }
        };
        let missing = 7 * 24 - known.len();
        if missing > 0 {
            let why = clean(self.gap_reason.as_deref().unwrap_or_default());
            let why = if why.is_empty() { why } else { format!(" ({why})") };
            text.push_str(&format!(" {} without a value{why}.", describe::count(missing, "hour")));
        }
        text
    }
}

fn draw_cell(
    frame: &mut Frame<'_>,
    cell: Rect,
    value: Option<f64>,
    title: &str,
    classes: &Classes,
    written: bool,
    max: f64,
) {
    let small = frame.sizes.small;
    let Some(value) = value else {
        let look = Style::filled(Fill::NoData).with_rounding(2.0);
        return frame.canvas.rect(cell, &look, Some(title));
    };
    let paint = classes.paint(value);
    if written {
        frame.canvas.rect(cell, &Style::solid(paint).with_rounding(2.0), Some(title));
        let (x, y) = (cell.left + cell.width / 2.0, cell.top + cell.height / 2.0 + small * 0.36);
        let text = format_compact(value);
        let label = Label::new(x, y, &text, small).painted(paint.text_on());
        frame.canvas.text(&label.anchored(Anchor::Middle));
        return;
    }
    // Where no number fits, the area of a square shows the value, also without colours.
    frame.canvas.rect(cell, &Style::solid(Paint::Step(0)), Some(title));
    let side =
        cell.width.min(cell.height) * (value.max(0.0) / max.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0).sqrt();
    if side > 0.2 {
        let square = Rect::new(
            cell.left + (cell.width - side) / 2.0,
            cell.top + (cell.height - side) / 2.0,
            side,
            side,
        );
        frame.canvas.rect(square, &Style::solid(Paint::Series(0)), None);
    }
}

fn draw_hours(frame: &mut Frame<'_>, area: Rect, across: f64) {
    let small = frame.sizes.small;
    let needed = width("00:00", small, Weight::Regular) + 8.0;
    let every =
        [1usize, 2, 3, 4, 6, 12].into_iter().find(|every| across * *every as f64 >= needed).unwrap_or(12);
    for hour in (0..24).step_by(every) {
        let x = area.left + across * hour as f64;
        let text = format!("{hour:02}:00");
        let half = width(&text, small, Weight::Regular) / 2.0;
        // The label is placed at the start of its hour.
        let middle = x.min(frame.content_area.right() - half);
        let label =
            Label::new(middle.max(frame.content_area.left + half), area.bottom() + small * 1.3, &text, small);
        frame.canvas.text(&label.painted(Paint::Muted).anchored(Anchor::Middle));
    }
}

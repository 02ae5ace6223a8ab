//! A matrix of seven days by 24 hours. Each cell shows its number, or a square of proportional size if there is no room.

use crate::descriptions::fill;
use crate::layout::classes::Classes;
use crate::layout::describe::{self, no_value_label};
use crate::layout::frame::Frame;
use crate::layout::legend::{LegendEntry, Mark};
use crate::options::ChartOptions;
use crate::over_time::partial;
use crate::series::Value;
use crate::svg::colour::Paint;
use crate::svg::label::{Anchor, Label};
use crate::svg::number::round_compact;
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
    /// Whether a value is not complete, because the period begins or ends on such a day, or the day has not ended; it is hatched.
    pub partial: [[bool; 24]; 7],
    /// The reason for missing values, if there are any.
    pub gap_reason: Option<String>,
    /// Shown if there is no data.
    pub empty_reason: Option<String>,
}

/// The least height of a picture without a title in which every hour has room for its number.
const HEIGHT_FOR_NUMBERS: u32 = 250;
/// The height of a name that touches no other, in proportion to its size.
const NAME_HEIGHT: f64 = 0.96;

impl WeekMatrix {
    /// Returns the width and the least height of a picture without a title in which every hour has room for its number, if the largest is
    /// this one. Such pictures of different periods look alike.
    #[must_use]
    pub fn size_for_numbers(largest: f64) -> (u32, u32) {
        // The widest numbers are 999, 1.2k and 999k.
        let width = match largest {
            n if n < 999.5 => 720,
            n if n < 99_500.0 => 800,
            _ => 860,
        };
        (width, HEIGHT_FOR_NUMBERS)
    }

    #[must_use]
    pub fn svg(&self, picture: &ChartOptions) -> String {
        let mut frame = Frame::open(picture);
        let numbers = picture.translations.numbers;
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
        // By the numbers that are written, so that equal ones have the same shade.
        let classes = Classes::quantiles(all().map(round_compact));
        let (text, small) = (frame.sizes.text, frame.sizes.small);
        let names: Vec<String> = picture.translations.weekdays.iter().map(|name| clean(name)).collect();
        let widest = names.iter().map(|name| width(name, text, Weight::Regular)).fold(0.0, f64::max);
        let left = widest.min(frame.content_area.width * 0.2) + 8.0;
        let across = (frame.content_area.width - left) / 24.0;
        let most = all().fold(0.0, f64::max);
        let widest =
            all().map(|value| width(&numbers.compact(value), small, Weight::Regular)).fold(0.0, f64::max);
        let written = widest <= across - 3.0 && small * 14.0 <= frame.content_area.height - text * 5.0;
        let unit = clean(&self.unit);
        let mut entries = if written {
            classes.entries(all().any(|value| value <= 0.0), numbers)
        } else {
            vec![LegendEntry::new(Mark::Swatch(Fill::Solid(Paint::Series(0))), numbers.number(most))]
        };
        if let Some(first) = entries.first_mut() {
            first.label = format!("{} {unit}", first.label);
        }
        if values.iter().flatten().any(Option::is_none) {
            let why = no_value_label(picture, &clean(self.gap_reason.as_deref().unwrap_or_default()));
            entries.push(LegendEntry::new(Mark::Swatch(Fill::NoData), why).essential());
        }
        let is_partial = |day: usize, hour: usize| self.partial[day][hour] && values[day][hour].is_some();
        if (0..7).any(|day| (0..24).any(|hour| is_partial(day, hour))) {
            entries.push(partial::legend_entry(picture));
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
        // In low charts names would overlap. Some are left out; each cell tells its day.
        let named_every = (text * NAME_HEIGHT / down).ceil().max(1.0) as usize;
        for row in 0..7 {
            let day = (row + picture.week_start.weekday() as usize) % 7;
            let top = area.top + down * row as f64;
            if row % named_every == 0 {
                let name = Label::new(area.left - 8.0, top + down / 2.0 + text * 0.36, &names[day], text);
                frame.canvas.text(&name.anchored(Anchor::End).with_max_width(left - 8.0));
            }
            for (hour, value) in values[day].iter().enumerate() {
                let cell =
                    Rect::new(area.left + across * hour as f64 + 0.75, top + 0.75, across - 1.5, down - 1.5);
                let title = format!(
                    "{} {hour:02}:00–{:02}:00: {} {}",
                    names[day],
                    hour + 1,
                    value.map_or("–".to_owned(), |value| numbers.number(value)),
                    clean(&self.unit)
                );
                let look = CellLook { classes: &classes, written, max: most };
                draw_cell(&mut frame, cell, *value, is_partial(day, hour), &title, &look);
            }
        }
        draw_hours(&mut frame, area, across);
        let mut summary = self.summary(picture, &values, &names);
        summary.push_str(&self.partial_sentence(picture, &names));
        frame.close(&summary)
    }

    /// Describes which hours are not complete.
    fn partial_sentence(&self, picture: &ChartOptions, names: &[String]) -> String {
        let mut spans: Vec<String> = Vec::new();
        for (hours, name) in self.partial.iter().zip(names) {
            let mut hour = 0;
            while hour < 24 {
                let length = hours[hour..].iter().take_while(|partial| **partial).count();
                if length > 0 {
                    spans.push(format!("{name} {hour:02}:00–{:02}:00", hour + length));
                }
                hour += length.max(1);
            }
        }
        match spans.is_empty() {
            true => String::new(),
            false => format!(" {}: {}.", clean(&picture.translations.partial), spans.join(", ")),
        }
    }

    fn summary(&self, picture: &ChartOptions, values: &[Vec<Option<f64>>], names: &[String]) -> String {
        let (say, numbers) = (&picture.translations.descriptions, picture.translations.numbers);
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
        let most = fill(
            say.busiest,
            &[
                ("day", &names[best.0]),
                ("from", &format!("{:02}:00", best.1)),
                ("to", &format!("{:02}:00", best.1 + 1)),
                ("value", &numbers.number(best.2)),
            ],
        );
        let mut text = match self.quantity {
            Quantity::Amount => {
                let total: f64 = known.iter().sum();
                let of_day = |hours: &Vec<Option<f64>>| numbers.number(hours.iter().flatten().sum());
                let days: Vec<String> = names
                    .iter()
                    .zip(values)
                    .map(|(name, hours)| format!("{name} {}", of_day(hours)))
                    .collect();
                let (total, days) = (numbers.number(total), days.join(", "));
                fill(
                    say.matrix_of_amounts,
                    &[("unit", &unit), ("total", &total), ("most", &most), ("days", &days)],
                )
            }
            Quantity::Level => {
                let least = numbers.number(known.iter().copied().fold(f64::INFINITY, f64::min));
                fill(say.matrix_of_levels, &[("unit", &unit), ("most", &most), ("least", &least)])
            }
        };
        let missing = 7 * 24 - known.len();
        if missing > 0 {
            let why = describe::in_parentheses(&clean(self.gap_reason.as_deref().unwrap_or_default()));
            let sentence = describe::count(picture, say.hours_without_value, missing, &[("why", &why)]);
            text.push_str(&format!(" {sentence}"));
        }
        text
    }
}

/// How cells show their values.
struct CellLook<'a> {
    classes: &'a Classes,
    /// As numbers, and otherwise as squares.
    written: bool,
    /// The value of the largest square.
    max: f64,
}

fn draw_cell(
    frame: &mut Frame<'_>,
    cell: Rect,
    value: Option<f64>,
    is_partial: bool,
    title: &str,
    look: &CellLook<'_>,
) {
    let small = frame.sizes.small;
    let Some(value) = value else {
        let look = Style::filled(Fill::NoData).with_rounding(2.0);
        return frame.canvas.rect(cell, &look, Some(title));
    };
    let paint = if look.written { look.classes.paint(round_compact(value)) } else { Paint::Step(0) };
    let rounding = if look.written { 2.0 } else { 0.0 };
    frame.canvas.rect(cell, &Style::solid(paint).with_rounding(rounding), Some(title));
    if is_partial {
        let hatched = Style::filled(Fill::Partial(Paint::Axis)).with_rounding(rounding);
        frame.canvas.rect(cell, &hatched, Some(title));
    }
    if look.written {
        let (x, y) = (cell.left + cell.width / 2.0, cell.top + cell.height / 2.0 + small * 0.36);
        let text = frame.options.translations.numbers.compact(value);
        let label = Label::new(x, y, &text, small).painted(paint.text_on()).anchored(Anchor::Middle);
        frame.canvas.text(&if is_partial { label.haloed(paint) } else { label });
        return;
    }
    // Where no number fits, the area of a square shows the value, also without colours.
    let share = (value.max(0.0) / look.max.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    let side = cell.width.min(cell.height) * share.sqrt();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(values: [[Option<f64>; 24]; 7]) -> WeekMatrix {
        WeekMatrix {
            unit: "% acknowledged".into(),
            quantity: Quantity::Level,
            values,
            partial: [[false; 24]; 7],
            gap_reason: Some("not in period".into()),
            empty_reason: None,
        }
    }

    #[test]
    fn names_of_days_do_not_overlap_in_low_charts() {
        let mut values = [[Some(38.0); 24]; 7];
        values[0] = [None; 24];
        let chart = WeekMatrix { partial: [[true; 24]; 7], ..matrix(values) };
        for height in 200..260 {
            let options = ChartOptions {
                subtitle: Some("A subtitle that takes two lines here".into()),
                note: Some("A note".into()),
                width: 200,
                height,
                ..ChartOptions::titled("A title")
            };
            crate::tests::read::check(&chart.svg(&options));
        }
    }

    /// Returns the shade below each number that is written.
    fn shades(svg: &str) -> Vec<(String, String)> {
        let document = roxmltree::Document::parse(svg).unwrap();
        let elements: Vec<_> =
            document.root_element().children().filter(roxmltree::Node::is_element).collect();
        let mut found = Vec::new();
        for pair in elements.windows(2) {
            // The legend has a name beside each swatch, the matrix a number in the middle of each cell.
            let is_cell = pair[0].has_tag_name("rect") && pair[1].attribute("text-anchor") == Some("middle");
            let fill = pair[0].attribute("fill").unwrap_or_default();
            if is_cell && fill.starts_with('#') {
                found.push((pair[1].text().unwrap().to_owned(), fill.to_owned()));
            }
        }
        found
    }

    #[test]
    fn equal_numbers_have_the_same_shade() {
        let mut values = [[None; 24]; 7];
        for (hour, value) in values[0].iter_mut().enumerate() {
            *value = Some(50.0 + hour as f64 * 0.3);
        }
        let svg = matrix(values).svg(&ChartOptions::titled("Hours of the week"));
        let shades = shades(&svg);
        assert_eq!(shades.len(), 24, "{svg}");
        for (number, shade) in &shades {
            assert!(shades.iter().all(|other| other.0 != *number || other.1 == *shade), "{number}: {svg}");
        }
        // The classes are those of the numbers.
        assert!(svg.contains(">50–51 % acknowledged</text>"), "{svg}");
    }

    #[test]
    fn numbers_of_any_size_are_written_where_they_have_room() {
        for largest in [9.0, 998.0, 999.4, 999.5, 1_218.0, 9_949.0, 41_262.0, 999_499.0] {
            let mut values = [[Some(0.0); 24]; 7];
            values[0] = [Some(largest); 24];
            let (width, height) = WeekMatrix::size_for_numbers(largest);
            let options = ChartOptions { width, height, ..ChartOptions::titled("") };
            let svg = matrix(values).svg(&options);
            assert_eq!(shades(&svg).len(), 7 * 24, "{largest}: {svg}");
        }
    }

    #[test]
    fn hours_that_are_not_complete_are_hatched_and_described() {
        let mut chart = matrix([[Some(1.0); 24]; 7]);
        chart.values[0][20] = None;
        chart.partial[0][17..].fill(true);
        for (width, height) in [(960, 480), (360, 260)] {
            let svg = chart.svg(&ChartOptions { width, height, ..ChartOptions::titled("Hours of the week") });
            assert!(svg.contains(">Incomplete</text>"), "{svg}");
            assert!(svg.contains("Incomplete: Mon 17:00–24:00."), "{svg}");
            // The legend, and the hours with a value.
            assert_eq!(svg.matches("-p-axis-partial)").count(), 7, "{svg}");
        }
        chart.partial = [[false; 24]; 7];
        assert!(!chart.svg(&ChartOptions::titled("Hours of the week")).contains("Incomplete"));
    }
}

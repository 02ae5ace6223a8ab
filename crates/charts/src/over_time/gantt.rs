//! A Gantt chart of machines: one row per machine and one bar per run, labelled with the operator.
//!
//! Operators have a number besides their colour. A bar shows the name if it fits, otherwise the number if that fits, so that
//! the chart can be read without colours. Operators for whom the legend has no room, or who could be confused with others because
//! their bars have no room for a number, share one colour.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::calendar::LocalTime;
use crate::descriptions::fill;
use crate::layout::describe;
use crate::layout::frame::Frame;
use crate::layout::legend::{LegendEntry, Mark};
use crate::layout::plot::{label_rows_height, max_label_share};
use crate::layout::time_axis::{Tick, TimeAxis};
use crate::options::ChartOptions;
use crate::svg::colour::{PALETTE_SIZE, Paint};
use crate::svg::label::{Anchor, Label};
use crate::svg::shape::Rect;
use crate::svg::style::{Fill, Hatch, Style};
use crate::svg::text::{Weight, clean, fit, width};

/// A period in which a machine ran.
#[derive(Clone, Debug, PartialEq)]
pub struct RunPeriod {
    /// In local time.
    pub from: LocalTime,
    pub to: LocalTime,
    /// `None` if unknown.
    pub operator: Option<String>,
    /// The seconds in which the machine ran: less than the length of the period, if it contains breaks that are too short to be drawn.
    pub run_s: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct MachineRow {
    pub label: String,
    /// In any order; overlapping runs are drawn below one another.
    pub runs: Vec<RunPeriod>,
}

/// The operators of machines over time.
#[derive(Clone, Debug)]
pub struct Gantt {
    /// One row per machine; rows that do not fit are counted in a note.
    pub rows: Vec<MachineRow>,
    /// The period shown; by default from the first to the last run.
    pub period: Option<(LocalTime, LocalTime)>,
    /// Shown if there is no data.
    pub empty_reason: Option<String>,
}

/// The operators that have a number and a look of their own.
struct Operators {
    numbers: BTreeMap<String, usize>,
    /// In the order in which they first appear.
    names: Vec<String>,
    /// How many have none.
    others: usize,
}

/// Number of looks: each colour solid and hatched.
const MAX_LOOKS: usize = 2 * PALETTE_SIZE;
/// Number of operators above which a legend is not tried.
const MAX_NUMBERED: usize = 200;

impl Operators {
    /// Gives a number to at most `count` operators, those who drove longest.
    fn numbered(known: &[(String, i64)], count: usize) -> Self {
        let mut by_time: Vec<usize> = (0..known.len()).collect();
        by_time.sort_by_key(|&place| Reverse(known[place].1));
        by_time.truncate(count);
        by_time.sort_unstable();
        let names: Vec<String> = by_time.iter().map(|&place| known[place].0.clone()).collect();
        let numbers = names.iter().cloned().zip(0..).collect();
        Self { numbers, others: known.len() - names.len(), names }
    }

    /// Returns the colour and the fill of the bars of an operator.
    fn look(place: usize) -> (Paint, Fill) {
        let paint = Paint::Series((place % PALETTE_SIZE) as u8);
        let is_solid = place % MAX_LOOKS < PALETTE_SIZE;
        (paint, if is_solid { Fill::Solid(paint) } else { Fill::Hatched(paint, Hatch::Level) })
    }
}

/// Returns the operators in the order in which they first appear, with the seconds that each drove.
fn driving_times<'a>(runs: impl Iterator<Item = &'a RunPeriod>) -> Vec<(String, i64)> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut known: Vec<(String, i64)> = Vec::new();
    for stretch in runs {
        let Some(name) = name(stretch) else { continue };
        let place = *places.entry(name.clone()).or_insert(known.len());
        if place == known.len() {
            known.push((name, 0));
        }
        known[place].1 = known[place].1.saturating_add(stretch.run_s.max(0));
    }
    known
}

fn name(stretch: &RunPeriod) -> Option<String> {
    stretch.operator.as_deref().map(clean).filter(|name| !name.is_empty())
}

impl Gantt {
    #[must_use]
    pub fn svg(&self, picture: &ChartOptions) -> String {
        let mut frame = Frame::open(picture);
        let inside = |stretch: &&RunPeriod| {
            stretch.to > stretch.from
                && self.period.is_none_or(|(from, to)| stretch.to > from && stretch.from < to)
        };
        let all = || self.rows.iter().flat_map(|row| &row.runs).filter(inside);
        let (Some(first), Some(last)) = (all().map(|s| s.from).min(), all().map(|s| s.to).max()) else {
            return frame.empty(self.empty_reason.as_deref());
        };
        let (start, end) = self.period.unwrap_or((first, last));
        let (text, small) = (frame.sizes.text, frame.sizes.small);
        let widest =
            self.rows.iter().map(|row| width(&clean(&row.label), text, Weight::Regular)).fold(0.0, f64::max);
        let left = widest.min(frame.content_area.width * max_label_share(&frame)) + 10.0;
        let bars_left = frame.content_area.left + left;
        let bars_width = (frame.content_area.width - left - small).max(10.0);
        let axis = TimeAxis::new(start, end, bars_left, bars_width, None);

        let known = driving_times(all());
        let number_width = width(&known.len().to_string(), small, Weight::Regular);
        let has_room_for_number =
            |stretch: &RunPeriod| axis.x(stretch.to) - axis.x(stretch.from) - 1.0 >= number_width;
        let can_number = all().all(has_room_for_number)
            && self.rows.iter().all(|row| assign_lanes(row.runs.iter().filter(inside).collect()).1 == 1);
        let unknown = all().any(|stretch| name(stretch).is_none());
        let operators = choose_numbered(&frame, &known, can_number, unknown);
        frame.legend(&entries(picture, &operators, unknown));

        let least = text * 1.7;
        let rows_in = |frame: &Frame<'_>| {
            ((frame.content_area.height - label_rows_height(frame, 2.0)) / least).floor().max(1.0) as usize
        };
        if self.rows.len() > rows_in(&frame) {
            // The note itself takes room.
            let shown = ((frame.content_area.height - label_rows_height(&frame, 2.0) - small * 1.7) / least)
                .floor()
                .max(1.0) as usize;
            let hidden = self.rows.len().saturating_sub(shown);
            let words = &picture.translations;
            frame.note(&format!("{} {}", words.numbers.count(hidden), clean(&words.more)));
        }
        let shown = &self.rows[..self.rows.len().min(rows_in(&frame))];
        let each =
            ((frame.content_area.height - label_rows_height(&frame, 2.0)) / shown.len() as f64).min(72.0);
        let area = Rect::new(bars_left, frame.content_area.top, bars_width, each * shown.len() as f64);
        let ticks = axis.ticks(picture, small, (frame.content_area.left, frame.content_area.right()));
        for tick in &ticks {
            frame.canvas.line((tick.x, area.top), (tick.x, area.bottom()), &Style::line(Paint::Grid, 1.0));
        }
        for (index, row) in shown.iter().enumerate() {
            let top = area.top + each * index as f64;
            if index > 0 {
                frame.canvas.line(
                    (frame.content_area.left, top),
                    (area.right(), top),
                    &Style::line(Paint::Grid, 1.0),
                );
            }
            let label = Label::new(area.left - 10.0, top + each / 2.0 + text * 0.36, &row.label, text);
            frame.canvas.text(&label.anchored(Anchor::End).with_max_width(left - 10.0));
            let stretches: Vec<&RunPeriod> = row.runs.iter().filter(inside).collect();
            draw_row(
                &mut frame,
                &axis,
                Rect::new(area.left, top, area.width, each),
                &row.label,
                stretches,
                &operators,
            );
        }
        let plane_bottom = area.bottom();
        frame.canvas.line(
            (area.left, plane_bottom),
            (area.right(), plane_bottom),
            &Style::line(Paint::Axis, 1.2),
        );
        draw_ticks(&mut frame, plane_bottom, &ticks);
        let summary = self.summary(picture, start, end, known.len());
        frame.close(&summary)
    }

    fn summary(&self, picture: &ChartOptions, start: LocalTime, end: LocalTime, operators: usize) -> String {
        let translations = &picture.translations;
        let (say, numbers) = (&translations.descriptions, translations.numbers);
        let (from, to) = (picture.format_time(start), picture.format_time(end));
        let machines = describe::count(picture, say.machines, self.rows.len(), &[]);
        let drivers = describe::count(picture, say.operators, operators, &[]);
        let values = [("from", &*from), ("to", &*to), ("machines", &*machines), ("operators", &*drivers)];
        let mut text = fill(say.operators_over_time, &values);
        for row in self.rows.iter().take(describe::MAX_DESCRIBED) {
            let mut hours: BTreeMap<String, f64> = BTreeMap::new();
            for stretch in row.runs.iter().filter(|stretch| stretch.to > stretch.from) {
                let who = name(stretch).unwrap_or_else(|| clean(&picture.translations.unknown));
                *hours.entry(who).or_default() += stretch.run_s.max(0) as f64 / 3600.0;
            }
            let each: Vec<String> = hours
                .iter()
                .take(describe::MAX_DESCRIBED)
                .map(|(who, hours)| format!("{who} {} h", numbers.number(*hours)))
                .collect();
            text.push_str(&format!(
                " {}: {}.",
                clean(&row.label),
                if each.is_empty() { "–".to_owned() } else { each.join(", ") }
            ));
        }
        text
    }
}

/// Chooses the operators that have a number: as many as the legend has room for. Not every bar may have room for its number, and then
/// there are only as many as can be distinguished without.
fn choose_numbered(frame: &Frame<'_>, known: &[(String, i64)], can_number: bool, unknown: bool) -> Operators {
    let most = known.len().min(if can_number { MAX_NUMBERED } else { MAX_LOOKS });
    let mut tried = (1..=most).rev().map(|count| Operators::numbered(known, count));
    let fitting =
        tried.find(|operators| frame.has_room_for_legend(&entries(frame.options, operators, unknown)));
    fitting.unwrap_or_else(|| Operators::numbered(known, most.min(1)))
}

fn entries(picture: &ChartOptions, operators: &Operators, unknown: bool) -> Vec<LegendEntry> {
    let words = &picture.translations;
    let mut entries: Vec<LegendEntry> = operators
        .names
        .iter()
        .enumerate()
        .map(|(place, name)| {
            let (paint, fill) = Operators::look(place);
            LegendEntry::new(Mark::Numbered(fill, paint, (place + 1).to_string()), name.clone())
        })
        .collect();
    if operators.others > 0 {
        let label = format!("{} {}", words.numbers.count(operators.others), clean(&words.others));
        let mark = Mark::Swatch(Fill::Solid(Paint::Neutral));
        entries.push(LegendEntry::new(mark, label).essential());
    }
    if unknown {
        entries.push(LegendEntry::new(Mark::Hollow(Paint::Muted), clean(&words.unknown)).essential());
    }
    entries
}

/// Puts each run into the first lane that is free; returns the lane of each and the number of lanes.
fn assign_lanes(mut stretches: Vec<&RunPeriod>) -> (Vec<(usize, &RunPeriod)>, usize) {
    stretches.sort_by_key(|stretch| (stretch.from, stretch.to));
    let mut lanes: Vec<LocalTime> = Vec::new();
    let mut placed: Vec<(usize, &RunPeriod)> = Vec::new();
    for stretch in stretches {
        let free = lanes.iter().position(|&until| until <= stretch.from);
        let lane = match free {
            Some(lane) => lane,
            None if lanes.len() < 4 => {
                lanes.push(stretch.to);
                lanes.len() - 1
            }
            None => 3,
        };
        lanes[lane] = lanes[lane].max(stretch.to);
        placed.push((lane, stretch));
    }
    (placed, lanes.len().max(1))
}

fn draw_row(
    frame: &mut Frame<'_>,
    axis: &TimeAxis,
    area: Rect,
    machine: &str,
    stretches: Vec<&RunPeriod>,
    operators: &Operators,
) {
    let (placed, lanes) = assign_lanes(stretches);
    let each = area.height * 0.72 / lanes as f64;
    for (lane, stretch) in placed {
        let (from, to) = (axis.x(stretch.from), axis.x(stretch.to));
        let bar = Rect::new(
            from,
            area.top + area.height * 0.14 + each * lane as f64,
            (to - from).max(0.8),
            each - 0.6,
        );
        draw_run(frame, bar, machine, stretch, operators);
    }
}

fn draw_run(frame: &mut Frame<'_>, bar: Rect, machine: &str, stretch: &RunPeriod, operators: &Operators) {
    let picture = frame.options;
    let name = name(stretch);
    let unknown = clean(&picture.translations.unknown);
    let title = format!(
        "{}, {}, {} – {}",
        name.as_ref().unwrap_or(&unknown),
        clean(machine),
        picture.format_time(stretch.from),
        picture.format_time(stretch.to)
    );
    let size = frame.sizes.small;
    let Some(name) = name else {
        let inner = Rect::new(bar.left + 0.7, bar.top + 0.7, bar.width - 1.4, bar.height - 1.4);
        let look = Style::solid(Paint::Panel)
            .with_stroke(Paint::Muted, 1.2)
            .with_dash(Some("3 2"))
            .with_rounding(3.0);
        frame.canvas.rect(inner, &look, Some(&title));
        return;
    };
    let place = operators.numbers.get(&name).copied();
    let (paint, fill) = place.map_or((Paint::Neutral, Fill::Solid(Paint::Neutral)), Operators::look);
    let look = Style::filled(fill).with_stroke(Paint::Surface, 0.8).with_rounding(3.0);
    frame.canvas.rect(bar, &look, Some(&title));
    if bar.height < size * 1.1 {
        return;
    }
    let room = bar.width - 8.0;
    let long = fit(&name, size, Weight::Regular, room);
    let enough = long.full_text.is_none() || long.text.chars().count() > 5;
    let baseline = bar.top + bar.height / 2.0 + size * 0.36;
    if enough && !long.text.is_empty() {
        let label = Label::new(bar.left + 5.0, baseline, &name, size).with_max_width(room);
        frame.canvas.text(&on_bar(label, paint, fill));
        return;
    }
    let Some(number) = place.map(|place| (place + 1).to_string()) else { return };
    if width(&number, size, Weight::Regular) <= bar.width - 1.0 {
        let label = Label::new(bar.left + bar.width / 2.0, baseline, &number, size);
        frame.canvas.text(&on_bar(label.anchored(Anchor::Middle), paint, fill));
    }
}

/// Colours text on a bar. Between the lines of a hatch it needs a ground of its own.
fn on_bar(label: Label<'_>, paint: Paint, fill: Fill) -> Label<'_> {
    let label = label.painted(paint.text_on());
    if fill == Fill::Solid(paint) { label } else { label.haloed(paint) }
}

fn draw_ticks(frame: &mut Frame<'_>, bottom: f64, ticks: &[Tick]) {
    let small = frame.sizes.small;
    for tick in ticks {
        let label = Label::new(tick.label_x, bottom + 5.0 + small, &tick.label, small).painted(Paint::Muted);
        frame.canvas.text(&label.anchored(Anchor::Middle));
        if let Some(under) = &tick.sublabel {
            let label =
                Label::new(tick.sublabel_x, bottom + 5.0 + small * 2.35, under, small).painted(Paint::Muted);
            frame.canvas.text(&label.anchored(Anchor::Middle));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::Date;

    fn run(day: u8, hours: u32, operator: &str) -> RunPeriod {
        let date = Date::new(2026, 3, day).unwrap();
        RunPeriod {
            from: LocalTime::new(date, 7 * 3600),
            to: LocalTime::new(date, (7 + hours) * 3600),
            operator: Some(operator.to_owned()),
            run_s: i64::from(hours) * 3600,
        }
    }

    /// Returns a chart of this many operators, one a day on each of two machines.
    fn chart(operators: u8) -> Gantt {
        let name = |day: u8| format!("Operator {}", char::from(b'A' + day));
        let row = |machine: &str| MachineRow {
            label: machine.to_owned(),
            runs: (0..operators).map(|day| run(day + 1, 8, &name(day))).collect(),
        };
        Gantt { rows: vec![row("Excavator 29"), row("Dump truck 01")], period: None, empty_reason: None }
    }

    #[test]
    fn operators_who_drove_longest_have_a_number() {
        let known = [("Ada", 30), ("Bo", 10), ("Chidi", 20)].map(|(name, time)| (name.to_owned(), time));
        let found = Operators::numbered(&known, 2);
        assert_eq!((found.names, found.others), (vec!["Ada".to_owned(), "Chidi".to_owned()], 1));
        assert_eq!(driving_times([run(1, 2, "Bo"), run(2, 1, "Ada"), run(3, 1, "Bo")].iter()).len(), 2);
    }

    #[test]
    fn no_two_operators_look_alike_without_a_number() {
        for one in 0..MAX_LOOKS {
            for other in 0..one {
                assert_ne!(Operators::look(one).1, Operators::look(other).1);
            }
        }
        // Bars of a few pixels have no room for numbers of two digits.
        let svg = chart(24).svg(&ChartOptions { width: 360, ..ChartOptions::titled("Operators") });
        assert!(svg.contains(" others</text>"), "{svg}");
        assert!(!svg.contains(">+"), "{svg}");
        for number in 1..=24 {
            let is_explained = svg.contains(&format!(">{number}</text>"));
            assert!(number <= MAX_LOOKS || !is_explained, "{number}: {svg}");
        }
        // Where every bar has room for its number, more have one.
        let svg = chart(24).svg(&ChartOptions { width: 2400, ..ChartOptions::titled("Operators") });
        assert!(!svg.contains(" others</text>") && svg.contains(">24</text>"), "{svg}");
    }

    #[test]
    fn hours_are_those_in_which_a_machine_ran_whatever_the_width() {
        let mut chart = chart(2);
        // A bar of eight hours with two hours of breaks.
        chart.rows[0].runs[0].run_s = 6 * 3600;
        for width in [360, 960, 1900] {
            let svg = chart.svg(&ChartOptions { width, ..ChartOptions::titled("Operators") });
            assert!(svg.contains("Excavator 29: Operator A 6 h, Operator B 8 h."), "{svg}");
        }
    }
}

//! A Gantt chart of machines: one row per machine and one bar per run, labelled with the operator.
//!
//! Operators have a number besides their colour. A bar shows the name if it fits, otherwise the number if that fits, so that
//! the chart can be read without colours.

use std::collections::BTreeMap;

use crate::calendar::LocalTime;
use crate::layout::describe;
use crate::layout::frame::Frame;
use crate::layout::legend::{LegendEntry, Mark};
use crate::layout::plot::label_rows_height;
use crate::layout::time_axis::{Tick, TimeAxis};
use crate::options::ChartOptions;
use crate::svg::colour::{PALETTE_SIZE, Paint};
use crate::svg::label::{Anchor, Label};
use crate::svg::number::format_number;
use crate::svg::shape::Rect;
use crate::svg::style::Style;
use crate::svg::text::{Weight, clean, fit, width};

/// A period in which a machine ran.
#[derive(Clone, Debug, PartialEq)]
pub struct RunPeriod {
    /// In local time.
    pub from: LocalTime,
    pub to: LocalTime,
    /// `None` if unknown.
    pub operator: Option<String>,
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

/// Operators in the order in which they first appear.
struct Operators {
    indices: BTreeMap<String, usize>,
    names: Vec<String>,
}

impl Operators {
    fn of(rows: &[MachineRow]) -> Self {
        let mut found = Self { indices: BTreeMap::new(), names: Vec::new() };
        for name in rows.iter().flat_map(|row| &row.runs).filter_map(name) {
            if !found.indices.contains_key(&name) {
                found.indices.insert(name.clone(), found.names.len());
                found.names.push(name);
            }
        }
        found
    }

    fn paint(place: usize) -> Paint {
        Paint::Series((place % PALETTE_SIZE) as u8)
    }
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
        let operators = Operators::of(&self.rows);
        let unknown = all().any(|stretch| name(stretch).is_none());
        frame.legend(&entries(picture, &operators, unknown));

        let (text, small) = (frame.sizes.text, frame.sizes.small);
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
            frame.note(&format!("{} {}", format_number(hidden as f64), clean(&picture.translations.more)));
        }
        let shown = &self.rows[..self.rows.len().min(rows_in(&frame))];
        let widest =
            shown.iter().map(|row| width(&clean(&row.label), text, Weight::Regular)).fold(0.0, f64::max);
        let left = widest.min(frame.content_area.width * 0.28) + 10.0;
        let each =
            ((frame.content_area.height - label_rows_height(&frame, 2.0)) / shown.len() as f64).min(72.0);
        let area = Rect::new(
            frame.content_area.left + left,
            frame.content_area.top,
            (frame.content_area.width - left - small).max(10.0),
            each * shown.len() as f64,
        );
        let axis = TimeAxis::new(start, end, area.left, area.width, None);
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
        let summary = self.summary(picture, start, end, &operators);
        frame.close(&summary)
    }

    fn summary(
        &self,
        picture: &ChartOptions,
        start: LocalTime,
        end: LocalTime,
        operators: &Operators,
    ) -> String {
        let mut text = format!(
            "Machines and their operators from {} to {}: {}, {}.",
            picture.format_time(start),
            picture.format_time(end),
            describe::count(self.rows.len(), "machine"),
            describe::count(operators.names.len(), "operator")
        );
        for row in self.rows.iter().take(describe::MAX_DESCRIBED) {
            let mut hours: BTreeMap<String, f64> = BTreeMap::new();
            for stretch in row.runs.iter().filter(|stretch| stretch.to > stretch.from) {
                let who = name(stretch).unwrap_or_else(|| clean(&picture.translations.unknown));
                let length = (stretch.to.seconds() - stretch.from.seconds()) as f64 / 3600.0;
                *hours.entry(who).or_default() += length;
            }
            let each: Vec<String> = hours
                .iter()
                .take(describe::MAX_DESCRIBED)
                .map(|(who, hours)| format!("{who} {} h", format_number(*hours)))
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

fn entries(picture: &ChartOptions, operators: &Operators, unknown: bool) -> Vec<LegendEntry> {
    let mut entries: Vec<LegendEntry> = operators
        .names
        .iter()
        .enumerate()
        .map(|(place, name)| {
            LegendEntry::new(Mark::Numbered(Operators::paint(place), (place + 1).to_string()), name.clone())
        })
        .collect();
    if unknown {
        entries.push(LegendEntry::new(Mark::Hollow(Paint::Muted), clean(&picture.translations.unknown)));
    }
    entries
}

fn draw_row(
    frame: &mut Frame<'_>,
    axis: &TimeAxis,
    area: Rect,
    machine: &str,
    mut stretches: Vec<&RunPeriod>,
    operators: &Operators,
) {
    stretches.sort_by_key(|stretch| (stretch.from, stretch.to));
    // Each run goes into the first lane that is free.
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
    let each = area.height * 0.72 / lanes.len().max(1) as f64;
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
    let place = name.as_ref().and_then(|name| operators.indices.get(name)).copied();
    let Some((place, name)) = place.zip(name) else {
        let inner = Rect::new(bar.left + 0.7, bar.top + 0.7, bar.width - 1.4, bar.height - 1.4);
        let look = Style::solid(Paint::Panel)
            .with_stroke(Paint::Muted, 1.2)
            .with_dash(Some("3 2"))
            .with_rounding(3.0);
        frame.canvas.rect(inner, &look, Some(&title));
        return;
    };
    let paint = Operators::paint(place);
    let look = Style::solid(paint).with_stroke(Paint::Surface, 0.8).with_rounding(3.0);
    frame.canvas.rect(bar, &look, Some(&title));
    if bar.height < size * 1.1 {
        return;
    }
    let room = bar.width - 8.0;
    let number = (place + 1).to_string();
    let long = fit(&name, size, Weight::Regular, room);
    let enough = long.full_text.is_none() || long.text.chars().count() > 5;
    let baseline = bar.top + bar.height / 2.0 + size * 0.36;
    if enough && !long.text.is_empty() {
        let label = Label::new(bar.left + 5.0, baseline, &name, size).painted(paint.text_on());
        frame.canvas.text(&label.with_max_width(room));
    } else if width(&number, size, Weight::Regular) <= bar.width - 2.0 {
        let label = Label::new(bar.left + bar.width / 2.0, baseline, &number, size).painted(paint.text_on());
        frame.canvas.text(&label.anchored(Anchor::Middle));
    }
}

fn draw_ticks(frame: &mut Frame<'_>, bottom: f64, ticks: &[Tick]) {
    let small = frame.sizes.small;
    for tick in ticks {
        let label = Label::new(tick.label_x, bottom + 5.0 + small, &tick.label, small).painted(Paint::Muted);
        frame.canvas.text(&label.anchored(Anchor::Middle));
        if let Some(under) = &tick.sublabel {
            let label =
                Label::new(tick.label_x, bottom + 5.0 + small * 2.35, under, small).painted(Paint::Muted);
            frame.canvas.text(&label.anchored(Anchor::Middle));
        }
    }
}

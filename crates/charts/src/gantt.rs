//! Who drove what, and when: a row per machine, a bar per stretch, with the operator's name on it.
//!
//! Operators have a number beside their colour. A bar carries the name where it fits, the number where that does, so that
//! the picture can be read without colours.

use std::collections::BTreeMap;

use crate::calendar::LocalTime;
use crate::colour::{Paint, SERIES};
use crate::describe;
use crate::frame::Frame;
use crate::label::{Anchor, Label};
use crate::legend::{Entry, Mark};
use crate::look::Look;
use crate::number::number;
use crate::picture::Picture;
use crate::plot::foot;
use crate::shape::Area;
use crate::text::{Weight, clean, fit, width};
use crate::time_axis::TimeAxis;

/// A stretch of time in which a machine ran.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// When it began, on the site's own clock.
    pub from: LocalTime,
    /// When it ended.
    pub to: LocalTime,
    /// Who drove, if it is known.
    pub operator: Option<String>,
}

/// A machine and when it ran.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineRow {
    /// What the machine is called.
    pub label: String,
    /// In any order; those that overlap are drawn beneath one another.
    pub stretches: Vec<Stretch>,
}

/// Who drove which machine when.
#[derive(Clone, Debug)]
pub struct Gantt {
    /// One per machine; those without room at the end are counted.
    pub rows: Vec<MachineRow>,
    /// From when to when it is shown; from the first to the last stretch otherwise.
    pub period: Option<(LocalTime, LocalTime)>,
    /// Why there is nothing, if there is nothing.
    pub empty_reason: Option<String>,
}

/// Operators in the order in which they first appear.
struct Operators {
    places: BTreeMap<String, usize>,
    names: Vec<String>,
}

impl Operators {
    fn of(rows: &[MachineRow]) -> Self {
        let mut found = Self { places: BTreeMap::new(), names: Vec::new() };
        for name in rows.iter().flat_map(|row| &row.stretches).filter_map(name) {
            if !found.places.contains_key(&name) {
                found.places.insert(name.clone(), found.names.len());
                found.names.push(name);
            }
        }
        found
    }

    fn paint(place: usize) -> Paint {
        Paint::Series((place % SERIES) as u8)
    }
}

fn name(stretch: &Stretch) -> Option<String> {
    stretch.operator.as_deref().map(clean).filter(|name| !name.is_empty())
}

impl Gantt {
    /// Draws the rows.
    #[must_use]
    pub fn svg(&self, picture: &Picture) -> String {
        let mut frame = Frame::open(picture);
        let inside = |stretch: &&Stretch| {
            stretch.to > stretch.from
                && self.period.is_none_or(|(from, to)| stretch.to > from && stretch.from < to)
        };
        let all = || self.rows.iter().flat_map(|row| &row.stretches).filter(inside);
        let (Some(first), Some(last)) = (all().map(|s| s.from).min(), all().map(|s| s.to).max()) else {
            return frame.empty(self.empty_reason.as_deref());
        };
        let (start, end) = self.period.unwrap_or((first, last));
        let operators = Operators::of(&self.rows);
        let unknown = all().any(|stretch| name(stretch).is_none());
        frame.legend(&entries(picture, &operators, unknown));

        let (text, small) = (frame.sizes.text, frame.sizes.small);
        let least = text * 1.7;
        let rows_in =
            |frame: &Frame<'_>| ((frame.room.height - foot(frame, 2.0)) / least).floor().max(1.0) as usize;
        if self.rows.len() > rows_in(&frame) {
            // The note itself takes room.
            let shown =
                ((frame.room.height - foot(&frame, 2.0) - small * 1.7) / least).floor().max(1.0) as usize;
            let hidden = self.rows.len().saturating_sub(shown);
            frame.note(&format!("{} {}", number(hidden as f64), clean(&picture.words.more)));
        }
        let shown = &self.rows[..self.rows.len().min(rows_in(&frame))];
        let widest =
            shown.iter().map(|row| width(&clean(&row.label), text, Weight::Regular)).fold(0.0, f64::max);
        let left = widest.min(frame.room.width * 0.28) + 10.0;
        let each = ((frame.room.height - foot(&frame, 2.0)) / shown.len() as f64).min(72.0);
        let area = Area::new(
            frame.room.left + left,
            frame.room.top,
            (frame.room.width - left - small).max(10.0),
            each * shown.len() as f64,
        );
        let axis = TimeAxis::new(start, end, area.left, area.width, None);
        let ticks = axis.ticks(picture, small, (frame.room.left, frame.room.right()));
        for tick in &ticks {
            frame.canvas.line((tick.x, area.top), (tick.x, area.bottom()), &Look::line(Paint::Grid, 1.0));
        }
        for (index, row) in shown.iter().enumerate() {
            let top = area.top + each * index as f64;
            if index > 0 {
                frame.canvas.line((frame.room.left, top), (area.right(), top), &Look::line(Paint::Grid, 1.0));
            }
            let label = Label::new(area.left - 10.0, top + each / 2.0 + text * 0.36, &row.label, text);
            frame.canvas.text(&label.anchored(Anchor::End).within(left - 10.0));
            let stretches: Vec<&Stretch> = row.stretches.iter().filter(inside).collect();
            draw_row(
                &mut frame,
                &axis,
                Area::new(area.left, top, area.width, each),
                &row.label,
                stretches,
                &operators,
            );
        }
        let plane_bottom = area.bottom();
        frame.canvas.line(
            (area.left, plane_bottom),
            (area.right(), plane_bottom),
            &Look::line(Paint::Axis, 1.2),
        );
        draw_ticks(&mut frame, plane_bottom, &ticks);
        let summary = self.summary(picture, start, end, &operators);
        frame.close(&summary)
    }

    fn summary(&self, picture: &Picture, start: LocalTime, end: LocalTime, operators: &Operators) -> String {
        let mut text = format!(
            "Who drove which machine from {} to {}: {}, {}.",
            picture.time(start),
            picture.time(end),
            describe::count(self.rows.len(), "machine"),
            describe::count(operators.names.len(), "operator")
        );
        for row in self.rows.iter().take(describe::MOST) {
            let mut hours: BTreeMap<String, f64> = BTreeMap::new();
            for stretch in row.stretches.iter().filter(|stretch| stretch.to > stretch.from) {
                let who = name(stretch).unwrap_or_else(|| clean(&picture.words.unknown));
                let length = (stretch.to.seconds() - stretch.from.seconds()) as f64 / 3600.0;
                *hours.entry(who).or_default() += length;
            }
            let each: Vec<String> = hours
                .iter()
                .take(describe::MOST)
                .map(|(who, hours)| format!("{who} {} h", number(*hours)))
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

fn entries(picture: &Picture, operators: &Operators, unknown: bool) -> Vec<Entry> {
    let mut entries: Vec<Entry> = operators
        .names
        .iter()
        .enumerate()
        .map(|(place, name)| {
            Entry::new(Mark::Numbered(Operators::paint(place), (place + 1).to_string()), name.clone())
        })
        .collect();
    if unknown {
        entries.push(Entry::new(Mark::Hollow(Paint::Muted), clean(&picture.words.unknown)));
    }
    entries
}

fn draw_row(
    frame: &mut Frame<'_>,
    axis: &TimeAxis,
    area: Area,
    machine: &str,
    mut stretches: Vec<&Stretch>,
    operators: &Operators,
) {
    stretches.sort_by_key(|stretch| (stretch.from, stretch.to));
    // Each goes into the first lane that is free again.
    let mut lanes: Vec<LocalTime> = Vec::new();
    let mut placed: Vec<(usize, &Stretch)> = Vec::new();
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
        let bar = Area::new(
            from,
            area.top + area.height * 0.14 + each * lane as f64,
            (to - from).max(0.8),
            each - 0.6,
        );
        draw_stretch(frame, bar, machine, stretch, operators);
    }
}

fn draw_stretch(frame: &mut Frame<'_>, bar: Area, machine: &str, stretch: &Stretch, operators: &Operators) {
    let picture = frame.picture;
    let name = name(stretch);
    let unknown = clean(&picture.words.unknown);
    let title = format!(
        "{}, {}, {} – {}",
        name.as_ref().unwrap_or(&unknown),
        clean(machine),
        picture.time(stretch.from),
        picture.time(stretch.to)
    );
    let size = frame.sizes.small;
    let place = name.as_ref().and_then(|name| operators.places.get(name)).copied();
    let Some((place, name)) = place.zip(name) else {
        let inner = Area::new(bar.left + 0.7, bar.top + 0.7, bar.width - 1.4, bar.height - 1.4);
        let look = Look::solid(Paint::Panel).edged(Paint::Muted, 1.2).dashed(Some("3 2")).rounded(3.0);
        frame.canvas.rect(inner, &look, Some(&title));
        return;
    };
    let paint = Operators::paint(place);
    let look = Look::solid(paint).edged(Paint::Surface, 0.8).rounded(3.0);
    frame.canvas.rect(bar, &look, Some(&title));
    if bar.height < size * 1.1 {
        return;
    }
    let room = bar.width - 8.0;
    let number = (place + 1).to_string();
    let long = fit(&name, size, Weight::Regular, room);
    let enough = long.whole.is_none() || long.shown.chars().count() > 5;
    let baseline = bar.top + bar.height / 2.0 + size * 0.36;
    if enough && !long.shown.is_empty() {
        let label = Label::new(bar.left + 5.0, baseline, &name, size).painted(paint.text_on());
        frame.canvas.text(&label.within(room));
    } else if width(&number, size, Weight::Regular) <= bar.width - 2.0 {
        let label = Label::new(bar.left + bar.width / 2.0, baseline, &number, size).painted(paint.text_on());
        frame.canvas.text(&label.anchored(Anchor::Middle));
    }
}

fn draw_ticks(frame: &mut Frame<'_>, bottom: f64, ticks: &[crate::time_axis::Tick]) {
    let small = frame.sizes.small;
    for tick in ticks {
        let label = Label::new(tick.middle, bottom + 5.0 + small, &tick.label, small).painted(Paint::Muted);
        frame.canvas.text(&label.anchored(Anchor::Middle));
        if let Some(under) = &tick.under {
            let label =
                Label::new(tick.middle, bottom + 5.0 + small * 2.35, under, small).painted(Paint::Muted);
            frame.canvas.text(&label.anchored(Anchor::Middle));
        }
    }
}

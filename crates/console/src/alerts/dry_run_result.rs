//! What came out of a dry run: numbers, a picture, and the alarms of each split.

use app::{DryRun, DryRunFiring, DryRunSplit, NewAlert};
use domain::{AlertMetric, Day, Measurement};
use texts::console::alert_words as words;
use texts::console::alerts as t;

use super::fields::TERM_KINDS;
use super::terms;
use crate::address::Address;
use crate::frame::Frame;
use crate::parts::{Cell, ChartImage, Column, Empty, Row, Slot, Table};

/// The most alarms that are listed.
const MAX_FIRINGS: usize = 200;
const CHART_HEIGHT: u32 = 300;

/// What came out of a dry run.
pub struct Outcome {
    /// What was tried, such as "Incursions: at least 10 in 60 minutes".
    pub sentence: String,
    pub firings: String,
    pub messages: String,
    pub period: String,
    /// What must be known about the numbers.
    pub notes: Vec<String>,
    pub chart: ChartImage,
    pub numbers: Table,
    pub splits: Table,
    pub alarms: Table,
}

impl Outcome {
    /// Describes a dry run of a form with these fields.
    pub fn new(frame: &Frame, new: &NewAlert, run: &DryRun, sent: &[(String, String)]) -> Self {
        let formats = frame.formats();
        let (from, to) = (formats.minute(run.from, &run.clock), formats.instant(run.to, &run.clock));
        let metric = new.terms.metric;
        let mut notes = Vec::new();
        if run.approximate {
            notes.push(frame.text(t::APPROXIMATE).to_owned());
        }
        notes.extend(run.no_data.map(|reason| words::status_reason(frame.language, reason).to_owned()));
        if run.more_splits > 0 {
            notes.push(frame.count(t::MORE_SPLITS, counted(run.more_splits)));
        }
        let alt = frame.fill(t::CHART_ALT, &[("name", new.name.as_str())]);
        Self {
            sentence: terms::sentence(frame, &new.terms),
            firings: frame.count(t::WOULD_FIRE, counted(run.firings)),
            messages: frame.count(t::WOULD_SEND, counted(run.messages)),
            period: frame.fill(t::FROM_TO, &[("from", &from), ("to", &to)]),
            chart: ChartImage::at(&chart_address(sent), Slot::Full, CHART_HEIGHT, alt),
            numbers: numbers(frame, metric, run),
            splits: splits(frame, metric, run),
            alarms: alarms(frame, metric, run),
            notes,
        }
    }
}

fn counted(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The address of the picture, with the fields that say what is judged.
fn chart_address(sent: &[(String, String)]) -> Address {
    let is_term = |name: &str| TERM_KINDS.iter().any(|(known, _)| *known == name);
    let terms = sent.iter().filter(|(name, value)| is_term(name) && !value.is_empty());
    terms.fold(Address::new("/alerts/dry-run/chart"), |address, (name, value)| address.and(name, value))
}

/// The numbers of the picture.
fn numbers(frame: &Frame, metric: AlertMetric, run: &DryRun) -> Table {
    let columns = vec![Column::text(frame.text(t::DAY)), Column::number(frame.text(t::WORST_VALUE))];
    let rows = run.series.iter().map(|(at, worst)| {
        let day = Day::from_number(run.clock.local(*at).day);
        let worst = worst.map_or_else(|| "–".to_owned(), |worst| terms::value(frame, metric, worst));
        Row::new(vec![Cell::text(frame.formats().day(day)), Cell::text(worst)])
    });
    Table::new(frame.text(t::WORST_VALUE), columns, rows.collect(), nothing(frame))
}

fn splits(frame: &Frame, metric: AlertMetric, run: &DryRun) -> Table {
    let formats = frame.formats();
    let columns = vec![
        Column::text(frame.text(t::WHERE)),
        Column::number(frame.text(t::ALARMS)),
        Column::number(frame.text(t::PEAK)),
        Column::text(frame.text(t::LAST_ALARM)),
    ];
    let row = |split: &DryRunSplit| {
        let listed = u64::try_from(split.firings.len()).unwrap_or(u64::MAX);
        let last = split.firings.last().map(|firing| formats.instant(firing.fired_at, &run.clock));
        let peak = split.peak.map_or_else(|| "–".to_owned(), |peak| terms::value(frame, metric, peak));
        Row::new(vec![
            Cell::text(split.label.as_str()),
            Cell::text(formats.integer(counted(listed.saturating_add(split.more_firings)))),
            Cell::text(peak),
            Cell::text(last.unwrap_or_default()),
        ])
    };
    Table::new(frame.text(t::BY_SPLIT), columns, run.splits.iter().map(row).collect(), nothing(frame))
}

/// The last alarms of all splits, the newest first.
fn alarms(frame: &Frame, metric: AlertMetric, run: &DryRun) -> Table {
    let formats = frame.formats();
    let columns = vec![
        Column::text(frame.text(t::FIRED_AT)),
        Column::text(frame.text(t::WHERE)),
        Column::number(frame.text(t::VALUE)),
        Column::text(frame.text(t::CLEARED_AT)),
    ];
    let all = run.splits.iter().flat_map(|split| split.firings.iter().map(move |firing| (split, firing)));
    let mut all: Vec<(&DryRunSplit, &DryRunFiring)> = all.collect();
    all.sort_by_key(|(_, firing)| std::cmp::Reverse(firing.fired_at));
    let row = |(split, firing): (&DryRunSplit, &DryRunFiring)| {
        let (numerator, denominator) = (firing.numerator, firing.denominator);
        let measured = Measurement { numerator, denominator, scale: metric.scale() };
        let cleared = firing.cleared_at.map(|at| formats.instant(at, &run.clock));
        Row::new(vec![
            Cell::text(formats.instant(firing.fired_at, &run.clock)),
            Cell::text(split.label.as_str()),
            Cell::text(terms::value_with_parts(frame, metric, measured)),
            Cell::text(cleared.unwrap_or_else(|| frame.text(t::STILL_OPEN).to_owned())),
        ])
    };
    let rows = all.into_iter().take(MAX_FIRINGS).map(row).collect();
    Table::new(frame.text(t::ALARMS), columns, rows, nothing(frame))
}

fn nothing(frame: &Frame) -> Empty {
    Empty {
        title: frame.text(t::WOULD_NOT_FIRE).to_owned(),
        reason: frame.text(t::WOULD_NOT_FIRE_REASON).to_owned(),
        action: None,
    }
}

//! The conditions of a question on the rows of a table.

use std::fmt::Write as _;

use domain::insights::{Dimension, Question};
use domain::{MachineKind, PeriodBound, Span, Timestamp, WorksiteKind};

use super::Kinds;
use super::keys::{self, LocalDays};
use crate::copy::FactTable;

/// An upper bound of the length of a runtime piece, which ends with its local hour.
const MAX_PIECE_LENGTH: Span = Span::minutes(24 * 60);

/// Conditions that are all met. Whatever is put into one is a number, or a name of a column.
struct Conditions(String);

impl Conditions {
    fn and(&mut self, condition: &str) {
        let joint = if self.0.is_empty() { "" } else { " and " };
        let _ = write!(self.0, "{joint}{condition}");
    }

    /// Requires that a column with ids, of which 0 is none, has one of these. None of those that do not fit into it matches.
    fn and_in(&mut self, column: &str, ids: impl Iterator<Item = i64>) {
        self.and(&is_in(column, ids));
    }

    /// The same, unless there are no ids.
    fn and_if_any(&mut self, column: &str, ids: impl ExactSizeIterator<Item = i64>) {
        if ids.len() > 0 {
            self.and_in(column, ids);
        }
    }
}

fn is_in(column: &str, ids: impl Iterator<Item = i64>) -> String {
    let ids: Vec<String> =
        ids.filter(|id| u32::try_from(*id).is_ok_and(|id| id > 0)).map(|id| id.to_string()).collect();
    if ids.is_empty() { "0".to_owned() } else { format!("{column} in ({})", ids.join(", ")) }
}

/// Returns the conditions of a question on incursions that started at `kept_from` or later.
pub(super) fn of_incursions(question: &Question, kept_from: Option<Timestamp>, kinds: &Kinds) -> String {
    let filter = &question.filter;
    let mut all = Conditions(String::new());
    all.and(&kept(kept_from));
    if let Some(from) = question.from {
        all.and(&match from {
            PeriodBound::Instant(at) => format!("started_at >= {}", at.micros()),
            // Whole months are skipped by the instant.
            PeriodBound::Day(day) => {
                format!("started_at >= {} and local_day >= {}", from.earliest().micros(), day.number())
            }
        });
    }
    and_before(&mut all, question.to);
    and_links(&mut all, question, kinds);
    all.and_if_any("pedestrian", filter.pedestrians.iter().map(|id| id.0));
    all.and_if_any("tag", filter.tags.iter().map(|id| id.0));
    if !filter.people.is_empty() {
        let people = || filter.people.iter().map(|id| id.0);
        all.and(&format!("({} or {})", is_in("pedestrian", people()), is_in("operator", people())));
    }
    and_codes(&mut all, "zone", filter.zones.iter().map(|zone| zone.code()));
    and_codes(&mut all, "review", filter.reviews.iter().map(|review| review.code()));
    match filter.acknowledged {
        Some(true) => all.and("acknowledged"),
        Some(false) => all.and("not acknowledged"),
        None => {}
    }
    if let Some(min) = filter.min_duration {
        all.and(&format!("ended and duration_ms >= {}", min.micros() / 1_000));
    }
    if let Some(max) = filter.max_duration {
        all.and(&format!("ended and duration_ms <= {}", max.micros() / 1_000));
    }
    all.0
}

/// Returns the conditions of a question on runtime pieces that started at `kept_from` or later. Filters on fields that only incursions have
/// are ignored. Pieces of no length are deleted and do not count.
pub(super) fn of_runtime(question: &Question, kept_from: Option<Timestamp>, kinds: &Kinds) -> String {
    let mut all = Conditions(String::new());
    all.and(&kept(kept_from));
    all.and("length_us > 0");
    if let (Some(PeriodBound::Instant(from)), Some(PeriodBound::Instant(to))) = (question.from, question.to)
        && from >= to
    {
        all.and("0");
    }
    if let Some(from) = question.from {
        all.and(&match from {
            // The order of the rows is by start.
            PeriodBound::Instant(at) => format!(
                "started_at >= {} and started_at + length_us > {}",
                (at - MAX_PIECE_LENGTH).micros(),
                at.micros()
            ),
            PeriodBound::Day(day) => {
                format!("started_at >= {} and local_day >= {}", from.earliest().micros(), day.number())
            }
        });
    }
    and_before(&mut all, question.to);
    and_links(&mut all, question, kinds);
    all.0
}

/// Returns the milliseconds of a runtime piece that lie in the period of a question.
pub(super) fn runtime_ms(question: &Question) -> String {
    let instant = |bound| match bound {
        Some(PeriodBound::Instant(at)) => Some(at.micros()),
        Some(PeriodBound::Day(_)) | None => None,
    };
    let start = match instant(question.from) {
        Some(from) => format!("greatest(started_at, toInt64({from}))"),
        None => "started_at".to_owned(),
    };
    let end = match instant(question.to) {
        Some(to) => format!("least(started_at + length_us, toInt64({to}))"),
        None => "(started_at + length_us)".to_owned(),
    };
    format!("intDiv({end} - {start}, 1000)")
}

/// Facts that retention has deleted may still be in the tables, because only whole months are dropped there.
fn kept(from: Option<Timestamp>) -> String {
    format!("started_at >= {}", from.map_or(i64::MIN, Timestamp::micros))
}

fn and_before(all: &mut Conditions, to: Option<PeriodBound>) {
    let Some(to) = to else { return };
    all.and(&match to {
        PeriodBound::Instant(at) => format!("started_at < {}", at.micros()),
        PeriodBound::Day(day) => {
            format!("started_at < {} and local_day < {}", to.latest().micros(), day.number())
        }
    });
}

/// Requires the records that incursions and runtime are both linked to.
fn and_links(all: &mut Conditions, question: &Question, kinds: &Kinds) {
    let filter = &question.filter;
    if let Some(projects) = &question.visible_projects {
        all.and_in("project", projects.iter().map(|id| id.0));
    }
    all.and_if_any("project", filter.projects.iter().map(|id| id.0));
    all.and_if_any("worksite", filter.worksites.iter().map(|id| id.0));
    all.and_if_any("machine", filter.machines.iter().map(|id| id.0));
    all.and_if_any("station", filter.base_stations.iter().map(|id| id.0));
    all.and_if_any("operator", filter.operators.iter().map(|id| id.0));
    let kind_of = |dimension| keys::expression(dimension, FactTable::Incursions, LocalDays::Any, kinds);
    if !filter.worksite_kinds.is_empty() {
        let codes = filter.worksite_kinds.iter().map(|kind| keys::place(&WorksiteKind::ALL, *kind).into());
        and_codes(all, &kind_of(Dimension::WorksiteKind), codes);
    }
    if !filter.machine_kinds.is_empty() {
        let codes = filter.machine_kinds.iter().map(|kind| keys::place(&MachineKind::ALL, *kind).into());
        and_codes(all, &kind_of(Dimension::MachineKind), codes);
    }
}

fn and_codes(all: &mut Conditions, column: &str, codes: impl Iterator<Item = i64>) {
    let codes: Vec<String> = codes.map(|code| code.to_string()).collect();
    if !codes.is_empty() {
        all.and(&format!("{column} in ({})", codes.join(", ")));
    }
}

/// Returns the conditions on a table.
pub(super) fn of(
    table: FactTable,
    question: &Question,
    kept_from: Option<Timestamp>,
    kinds: &Kinds,
) -> String {
    match table {
        FactTable::Incursions => of_incursions(question, kept_from, kinds),
        FactTable::Runtime => of_runtime(question, kept_from, kinds),
    }
}

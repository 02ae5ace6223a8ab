//! What is said of a schedule: when it runs, how it stands, and what became of its last run.

use app::ScheduleView;
use domain::{Cadence, ReportSchedule, RunState, ScheduleRule};
use texts::console::report_schedules as t;
use texts::values;

use crate::frame::Frame;
use crate::parts::{Badge, Cell, Plain, Tone};

/// Says when a schedule runs, by which clock.
pub fn rule(frame: &Frame, view: &ScheduleView) -> String {
    let time = ScheduleRule::format_time(view.schedule.rule.minute_of_day);
    let zone = view.time_zone.to_string();
    let (text, day) = match view.schedule.rule.cadence {
        Cadence::Daily => (t::EVERY_DAY, String::new()),
        Cadence::Weekly { weekday } => {
            (t::EVERY_WEEK, values::weekday(frame.language, weekday - 1).to_owned())
        }
        Cadence::Monthly { day_of_month } => (t::EVERY_MONTH, day_of_month.to_string()),
    };
    frame.fill(text, &[("day", &day), ("time", &time), ("zone", &zone)])
}

/// Whether it runs, and otherwise why not.
pub fn state_cell(frame: &Frame, schedule: &ReportSchedule) -> Cell {
    match schedule.paused_reason {
        None => Cell::badge(Badge { word: frame.text(t::ACTIVE).to_owned(), sign: "✓", tone: Tone::Good }),
        Some(reason) => {
            let badge = Badge { word: frame.text(t::PAUSED).to_owned(), sign: "‖", tone: Tone::Warning };
            Cell::badge(badge).note(t::pause_reason(frame.language, reason.as_str()))
        }
    }
}

/// When it runs next, by its own clock.
pub fn next_run(frame: &Frame, view: &ScheduleView) -> Cell {
    match view.schedule.next_run_at {
        Some(at) => Cell::text(frame.formats().instant(at, &view.time_zone)).plain(Plain::time(at)),
        None => Cell::text(frame.text(t::NOT_PLANNED)).plain(Plain::nothing()),
    }
}

/// When it last ran, and what became of that, with its report.
pub fn last_run(frame: &Frame, view: &ScheduleView) -> Cell {
    let schedule = &view.schedule;
    let Some(at) = schedule.last_run_at else {
        return Cell::text(frame.text(t::NEVER_RAN)).plain(Plain::nothing());
    };
    let time = frame.formats().instant(at, &view.time_zone);
    let mut cell = match schedule.last_report {
        Some(report) => Cell::link(time, frame.link(&format!("/reports/{report}"))),
        None => Cell::text(time),
    }
    .plain(Plain::time(at));
    cell.badge = schedule.last_run_state.map(|state| {
        let (text, sign, tone) = match state {
            RunState::Running => (t::RUN_RUNNING, "○", Tone::Neutral),
            RunState::Done => (t::RUN_DONE, "✓", Tone::Good),
            RunState::Failed => (t::RUN_FAILED, "✕", Tone::Bad),
        };
        Badge { word: frame.text(text).to_owned(), sign, tone }
    });
    let reason =
        schedule.last_run_reason.as_deref().filter(|_| schedule.last_run_state == Some(RunState::Failed));
    match reason {
        Some(reason) => cell.note(values::reason(frame.language, reason)),
        None => cell,
    }
}

//! What is said of an export: in the list, and on its page.

use domain::{Day, Export, ExportKind, ExportState, PeriodBound};
use texts::console::explore as t;

use crate::frame::Frame;
use crate::parts::{Action, Badge, Cell, Details, Row, Shown, Tone};

/// The row of an export in the list.
pub fn row(frame: &Frame, export: &Export) -> Row {
    let formats = frame.formats();
    let state = match export.state {
        ExportState::Running => {
            let percent = export.percent();
            let shown = Shown::plain(state_text(frame, export));
            Cell::bar(&shown, f64::from(u8::try_from(percent).unwrap_or(0)), 100.0, None)
        }
        _ => Cell::badge(badge(frame, export)),
    };
    let size = export.content.as_ref().map_or_else(|| "–".to_owned(), |file| size(frame, file.size_bytes));
    let row = Row::new(vec![
        Cell::head(export.file_name.as_str(), frame.link(&path_of(export))),
        Cell::text(kind(frame, export)),
        Cell::text(period(frame, export)),
        state,
        Cell::text(size),
        Cell::text(formats.own(export.created_at)),
        delete_action(frame, export).map_or_else(|| Cell::text(""), Cell::action),
    ]);
    row.muted(matches!(export.state, ExportState::Failed | ExportState::Expired))
}

pub fn path_of(export: &Export) -> String {
    format!("/explore/exports/{}", export.id)
}

fn kind(frame: &Frame, export: &Export) -> &'static str {
    frame.text(match export.kind {
        ExportKind::Pivot => t::OF_TABLE,
        ExportKind::Incursions => t::OF_INCURSIONS,
    })
}

pub fn state_text(frame: &Frame, export: &Export) -> String {
    match export.state {
        ExportState::Queued => frame.text(t::STATE_QUEUED).to_owned(),
        ExportState::Running => {
            frame.fill(t::STATE_RUNNING, &[("percent", &frame.formats().integer(export.percent()))])
        }
        ExportState::Done => frame.text(t::STATE_DONE).to_owned(),
        ExportState::Failed => frame.text(t::STATE_FAILED).to_owned(),
        ExportState::Expired => frame.text(t::STATE_EXPIRED).to_owned(),
    }
}

fn badge(frame: &Frame, export: &Export) -> Badge {
    let (sign, tone) = match export.state {
        ExportState::Queued | ExportState::Running => ("○", Tone::Neutral),
        ExportState::Done => ("✓", Tone::Good),
        ExportState::Failed => ("✕", Tone::Bad),
        ExportState::Expired => ("–", Tone::Neutral),
    };
    Badge { word: state_text(frame, export), sign, tone }
}

/// Writes the period of an export, whose end is exclusive.
fn period(frame: &Frame, export: &Export) -> String {
    let bound = |text: &str, days_before: i64| match PeriodBound::parse(text) {
        Ok(PeriodBound::Day(day)) => frame.formats().day(Day::from_number(day.number() - days_before)),
        Ok(PeriodBound::Instant(at)) => frame.formats().own(at),
        Err(_) => text.to_owned(),
    };
    frame.fill(t::DAYS, &[("from", &bound(&export.from, 0)), ("to", &bound(&export.to, 1))])
}

/// Writes the size of a file.
fn size(frame: &Frame, bytes: i64) -> String {
    let kilobytes = u32::try_from(bytes / 100).map_or(f64::from(u32::MAX), f64::from) / 10.0;
    let (number, unit) = if kilobytes < 1_000.0 { (kilobytes, "kB") } else { (kilobytes / 1_000.0, "MB") };
    format!("{}\u{a0}{unit}", frame.formats().decimal(number, 1))
}

/// Cancels an export that is not finished, or deletes its file.
pub fn delete_action(frame: &Frame, export: &Export) -> Option<Action> {
    let text = match export.state {
        ExportState::Queued | ExportState::Running => t::CANCEL_EXPORT,
        ExportState::Done => t::DELETE_EXPORT,
        ExportState::Failed | ExportState::Expired => return None,
    };
    let to = format!("{}/delete", path_of(export));
    Some(Action { to, text: frame.text(text).to_owned(), is_danger: true, hidden: Vec::new() })
}

/// What is known of an export.
pub fn details(frame: &Frame, export: &Export) -> Details {
    let formats = frame.formats();
    let format = texts::console::explore::format(frame.language, &export.format);
    let mut rows = vec![
        (t::STATE, Cell::badge(badge(frame, export))),
        (t::CONTENT, Cell::text(kind(frame, export))),
        (t::FORMAT, Cell::text(format)),
        (t::PERIOD, Cell::text(period(frame, export))),
        (t::ORDERED, Cell::text(formats.own(export.created_at))),
    ];
    if let Some(file) = &export.content {
        rows.push((t::SIZE, Cell::text(size(frame, file.size_bytes))));
        rows.push((t::ROW_COUNT, Cell::text(formats.integer(export.rows_done))));
    }
    if let (ExportState::Done, Some(until)) = (export.state, export.expires_at) {
        rows.push((t::KEPT_UNTIL, Cell::text(formats.own(until))));
    }
    let reason = match (export.state, &export.reason) {
        (ExportState::Failed | ExportState::Expired, Some(word)) => {
            Some(t::export_reason(frame.language, word))
        }
        (ExportState::Expired, None) => Some(frame.text(t::WHY_EXPIRED)),
        (ExportState::Failed, None) => Some(frame.text(t::WHY_GIVEN_UP)),
        _ => None,
    };
    rows.extend(reason.map(|reason| (t::REASON, Cell::text(reason))));
    Details { rows: rows.into_iter().map(|(label, cell)| (frame.text(label).to_owned(), cell)).collect() }
}

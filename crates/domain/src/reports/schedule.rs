//! Schedules: reports that are made and mailed by themselves.

use crate::{
    Actor, Invalid, ReportFormat, ReportId, ReportKind, ReportRecipientId, ReportScheduleId, Timestamp,
    WorksiteId,
};

/// How often a schedule runs, and on which days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cadence {
    Daily,
    /// 1 is Monday, 7 is Sunday.
    Weekly {
        weekday: i64,
    },
    /// 1 to 28, so that every month has it.
    Monthly {
        day_of_month: i64,
    },
}

impl Cadence {
    pub const fn kind(self) -> CadenceKind {
        match self {
            Self::Daily => CadenceKind::Daily,
            Self::Weekly { .. } => CadenceKind::Weekly,
            Self::Monthly { .. } => CadenceKind::Monthly,
        }
    }
}

/// The word of a cadence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CadenceKind {
    Daily,
    Weekly,
    Monthly,
}

impl CadenceKind {
    pub const ALL: [Self; 3] = [Self::Daily, Self::Weekly, Self::Monthly];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Daily => "daily",
            Self::Weekly => "weekly",
            Self::Monthly => "monthly",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_cadence", "must be one of daily, weekly, monthly"))
    }
}

/// When a schedule runs, by a local clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduleRule {
    pub cadence: Cadence,
    /// 0 to 1439.
    pub minute_of_day: i64,
}

impl ScheduleRule {
    /// Parses a time of day such as `07:30` and returns its minute of the day.
    pub fn parse_time(text: &str) -> Result<i64, Invalid> {
        let invalid =
            || Invalid::new("invalid_time_of_day", "must be a time from 00:00 to 23:59, such as 07:30");
        let part = |text: &str, limit: i64| -> Option<i64> {
            let has_two_digits = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|value| has_two_digits && *value < limit)
        };
        let (hours, minutes) = text.split_once(':').ok_or_else(invalid)?;
        let time = part(hours, 24).zip(part(minutes, 60));
        time.map(|(hours, minutes)| hours * 60 + minutes).ok_or_else(invalid)
    }

    /// Writes the time of day that [`ScheduleRule::parse_time`] reads.
    pub fn format_time(minute_of_day: i64) -> String {
        format!("{:02}:{:02}", minute_of_day / 60, minute_of_day % 60)
    }
}

/// The period that a run covers, in whole local days before the day of its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportPeriod {
    PreviousDay,
    PreviousWeek,
    PreviousMonth,
    Last7Days,
    Last28Days,
}

impl ReportPeriod {
    pub const ALL: [Self; 5] =
        [Self::PreviousDay, Self::PreviousWeek, Self::PreviousMonth, Self::Last7Days, Self::Last28Days];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PreviousDay => "previous_day",
            Self::PreviousWeek => "previous_week",
            Self::PreviousMonth => "previous_month",
            Self::Last7Days => "last_7_days",
            Self::Last28Days => "last_28_days",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|period| period.as_str() == text);
        found.ok_or_else(|| {
            let words = Self::ALL.map(Self::as_str).join(", ");
            Invalid::new("invalid_period", format!("must be one of {words}"))
        })
    }

    /// Returns the period of a schedule that names none: the one between two of its runs.
    pub const fn usual(cadence: CadenceKind) -> Self {
        match cadence {
            CadenceKind::Daily => Self::PreviousDay,
            CadenceKind::Weekly => Self::PreviousWeek,
            CadenceKind::Monthly => Self::PreviousMonth,
        }
    }
}

/// The reason why a schedule does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PauseReason {
    ByUser,
    AuthorDeactivated,
    /// The author may no longer schedule reports.
    PermissionMissing,
    /// The last recipient was erased.
    NoRecipients,
}

impl PauseReason {
    pub const ALL: [Self; 4] =
        [Self::ByUser, Self::AuthorDeactivated, Self::PermissionMissing, Self::NoRecipients];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ByUser => "by_user",
            Self::AuthorDeactivated => "author_deactivated",
            Self::PermissionMissing => "permission_missing",
            Self::NoRecipients => "no_recipients",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|reason| reason.as_str() == text);
        found.ok_or_else(|| {
            let words = Self::ALL.map(Self::as_str).join(", ");
            Invalid::new("invalid_reason", format!("must be one of {words}"))
        })
    }
}

/// How far the last run of a schedule has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// Its report is being made, or is about to be.
    Running,
    /// The report is there, and its mails are being sent.
    Done,
    /// There is no report.
    Failed,
}

impl RunState {
    pub const ALL: [Self; 3] = [Self::Running, Self::Done, Self::Failed];

    /// Returns the value stored in tables and sent in API responses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|state| state.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_state", "must be one of running, done, failed"))
    }
}

#[derive(Clone, Debug, macros::FromRow)]
pub struct ReportSchedule {
    pub id: ReportScheduleId,
    #[row(columns("author_kind", "author_id", "author_name"))]
    pub author: Actor,
    pub name: String,
    pub kind: ReportKind,
    pub format: ReportFormat,
    /// The request as JSON, without a period.
    pub request: String,
    pub period: ReportPeriod,
    #[row(flatten)]
    pub rule: ScheduleRule,
    /// The worksite by whose clock it runs; none for the brand's.
    #[row(column = "zone_worksite_id")]
    pub zone_worksite: Option<WorksiteId>,
    pub paused_reason: Option<PauseReason>,
    /// The next slot, and when it is run; none while it is paused.
    pub next_slot_at: Option<Timestamp>,
    pub next_run_at: Option<Timestamp>,
    /// The last slot that was run.
    pub last_slot_at: Option<Timestamp>,
    pub last_run_at: Option<Timestamp>,
    /// None before the first run, and if the last one has no report.
    #[row(column = "last_report_id")]
    pub last_report: Option<ReportId>,
    /// None before the first run.
    pub last_run_state: Option<RunState>,
    /// Why the last run failed.
    pub last_run_reason: Option<String>,
    /// Rises with every change; the `ETag`.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// The folded name, by which lists are sorted.
    pub name_key: String,
}

impl ReportSchedule {
    /// Returns the next run; none while the schedule is paused.
    pub fn next_run(&self) -> Option<NextRun> {
        let run_at = self.next_run_at?;
        Some(NextRun { slot_at: self.next_slot_at.unwrap_or(run_at), run_at })
    }
}

/// The next run of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextRun {
    pub slot_at: Timestamp,
    /// The slot, or later: when the days of its report are over everywhere.
    pub run_at: Timestamp,
}

/// An address that a schedule mails to.
#[derive(Clone, Debug, PartialEq, Eq, macros::FromRow)]
pub struct ReportRecipient {
    pub id: ReportRecipientId,
    pub email: String,
}

impl ReportRecipient {
    /// The maximum number of recipients of a schedule.
    pub const MAX: usize = 50;
}

#[derive(Clone, Debug, Default)]
pub struct ReportScheduleFilter {
    /// Only schedules that are paused, or only those that are not.
    pub paused: Option<bool>,
    /// Only schedules whose name contains this, ignoring case and accents.
    pub q: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_both_ways() {
        for kind in CadenceKind::ALL {
            assert_eq!(CadenceKind::parse(kind.as_str()), Ok(kind));
        }
        for period in ReportPeriod::ALL {
            assert_eq!(ReportPeriod::parse(period.as_str()), Ok(period));
        }
        for reason in PauseReason::ALL {
            assert_eq!(PauseReason::parse(reason.as_str()), Ok(reason));
        }
        for state in RunState::ALL {
            assert_eq!(RunState::parse(state.as_str()), Ok(state));
        }
        assert!(CadenceKind::parse("yearly").is_err() && ReportPeriod::parse("today").is_err());
        assert!(PauseReason::parse("").is_err() && RunState::parse("ready").is_err());
    }

    #[test]
    fn times_of_day_go_both_ways_and_impossible_ones_are_refused() {
        for (text, minute) in [("00:00", 0), ("07:30", 450), ("23:59", 1439)] {
            assert_eq!(ScheduleRule::parse_time(text), Ok(minute));
            assert_eq!(ScheduleRule::format_time(minute), text);
        }
        for text in ["", "7:30", "07:3", "24:00", "23:60", "-1:00", "+7:30", "07:30:00", "07.30", "07:30 "] {
            assert!(ScheduleRule::parse_time(text).is_err(), "{text:?}");
        }
    }
}

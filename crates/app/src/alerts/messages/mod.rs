//! Messages: how people are notified when alerts fire and clear.
//!
//! `routing` decides whether an event is sent now, later or not at all, and `release` sends what has waited. Each recipient gets a mail
//! of a job of its own: `readers` says what a recipient may see, `content` writes it (`headline` what happened, `restriction` to what the
//! rule is restricted, `explanation` what the value was computed from, `formats` values and times), and `mail` puts it together when the
//! job runs, so that nothing but ids is stored; `mail_outcomes` records what came of it. `links` lets recipients leave.

mod charts;
mod content;
mod explanation;
pub(super) mod formats;
mod headline;
mod links;
mod mail;
mod mail_outcomes;
mod readers;
mod release;
mod restriction;
mod routing;

use domain::{
    AlertDeliveryId, AlertEvent, AlertFiringId, AlertMessageKind, AlertRule, AlertRuleId, AlertSeverity,
    EmailAddress, Name, OutsideHours, Span, TimeZone, Timestamp,
};
use texts::Language;

pub(crate) use charts::ChartCache;
#[cfg(test)]
pub(super) use content::tests::rule as test_rule;
pub use explanation::{FiringFact, explain_firing};

/// The time in which messages of a rule are counted, and after which a digest is sent.
pub(crate) const DIGEST_PERIOD: Span = Span::minutes(60);
/// Events of one message that has waited, so that its transaction is short. What is beyond follows in the next one.
pub(crate) const MAX_EVENTS: usize = 500;

/// What one mail says, as its recipient may see it.
#[derive(Clone, Debug)]
pub struct AlertEmail {
    pub recipient: EmailAddress,
    /// None for a plain address.
    pub recipient_name: Option<Name>,
    pub brand_name: String,
    /// The recipient's, or that of the brand.
    pub language: Language,
    pub rule_name: String,
    pub rule: AlertRuleId,
    pub kind: AlertMessageKind,
    /// What happened, alarms before clearings.
    pub rows: Vec<AlertEmailRow>,
    /// The number of events that are not among the rows.
    pub more: usize,
    /// A PNG about the first row.
    pub chart: Option<Vec<u8>>,
    /// For readers who cannot see the chart.
    pub chart_description: String,
    /// The delivery of the mail that notified this recipient of the alarm which this mail says has cleared.
    pub replies_to: Option<AlertDeliveryId>,
    /// The end of the link at which the recipient unsubscribes.
    pub unsubscribe_token: String,
}

/// One event of a mail.
#[derive(Clone, Debug)]
pub struct AlertEmailRow {
    pub event: AlertEvent,
    pub severity: AlertSeverity,
    /// None in tests.
    pub firing: Option<AlertFiringId>,
    /// What, where and how much.
    pub headline: String,
    /// Labels and values.
    pub facts: Vec<(String, String)>,
    /// Texts, and paths below the public address of the service.
    pub links: Vec<(String, String)>,
}

/// How people are notified of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessagePlan {
    Now,
    /// When active hours begin.
    Hold {
        until: Timestamp,
    },
    /// Not at all.
    Drop,
}

/// What became of the messages that waited.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReleasedMessages {
    /// How many were sent.
    pub count: u64,
    /// When the next one is due.
    pub next_at: Option<Timestamp>,
}

impl MessagePlan {
    /// Plans by when active hours begin; none if they have begun, or if there are none.
    pub fn of(hours_begin_at: Option<Timestamp>, outside_hours: OutsideHours) -> Self {
        match (hours_begin_at, outside_hours) {
            (None, _) => Self::Now,
            (Some(until), OutsideHours::Hold) => Self::Hold { until },
            (Some(_), OutsideHours::Drop) => Self::Drop,
        }
    }
}

/// Returns when the active hours of a rule begin by the clock of a site; none if they have begun, or if there are none.
pub(crate) fn hours_begin_at(rule: &AlertRule, zone: &TimeZone, now: Timestamp) -> Option<Timestamp> {
    let hours = rule.active_hours.as_ref().filter(|hours| !hours.contains(now, zone))?;
    Some(hours.next_start(now, zone))
}

/// What someone leaves who opens the link of a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsubscription {
    pub rule_name: String,
    pub brand_name: String,
    pub language: Language,
    /// Whether they have left already.
    pub is_done: bool,
}

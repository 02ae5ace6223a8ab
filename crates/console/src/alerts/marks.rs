//! Badges of alerts, alarms and what was sent about them.

use domain::{AlertFiring, AlertRule, AlertSeverity, AlertStatus, DeliveryState, FiringState};
use texts::console::alert_words as words;

use crate::frame::Frame;
use crate::parts::{Badge, Tone};

pub fn severity_badge(frame: &Frame, severity: AlertSeverity) -> Badge {
    let (sign, tone) = match severity {
        AlertSeverity::Critical => ("▲", Tone::Bad),
        AlertSeverity::Warning => ("◆", Tone::Warning),
        AlertSeverity::Info => ("•", Tone::Neutral),
    };
    Badge { word: texts::alerts::severity(frame.language, severity.as_str()).to_owned(), sign, tone }
}

pub fn status_badge(frame: &Frame, rule: &AlertRule) -> Badge {
    let (sign, tone) = match rule.status {
        AlertStatus::Ok => ("✓", Tone::Good),
        AlertStatus::Firing => ("▲", Tone::Bad),
        AlertStatus::NoData => ("○", Tone::Neutral),
        AlertStatus::Stopped => ("■", Tone::Warning),
        AlertStatus::Disabled => ("–", Tone::Neutral),
    };
    Badge { word: words::status(frame.language, rule.status.as_str()).to_owned(), sign, tone }
}

/// Why an alert has its status, if that needs a reason.
pub fn status_reason(frame: &Frame, rule: &AlertRule) -> Option<&'static str> {
    rule.status_reason.as_deref().map(|reason| words::status_reason(frame.language, reason))
}

pub fn firing_badge(frame: &Frame, firing: &AlertFiring) -> Badge {
    let state = firing.state();
    let (sign, tone) = match state {
        FiringState::Held => ("◆", Tone::Warning),
        FiringState::Fired => ("▲", Tone::Bad),
        FiringState::Cleared => ("✓", Tone::Good),
    };
    Badge { word: words::firing_state(frame.language, state.as_str()).to_owned(), sign, tone }
}

pub fn delivery_badge(frame: &Frame, state: DeliveryState) -> Badge {
    let (sign, tone) = match state {
        DeliveryState::Queued => ("○", Tone::Neutral),
        DeliveryState::Sent => ("✓", Tone::Good),
        DeliveryState::Failed => ("▲", Tone::Bad),
        DeliveryState::Suppressed => ("–", Tone::Neutral),
    };
    Badge { word: words::delivery_state(frame.language, state.as_str()).to_owned(), sign, tone }
}

//! Parts of the pages of machines and people: activity, alarms, links and who did something.

use app::EntityDetails;
use domain::{Activity, Actor, ActorKind, AlertSeverity, LinkKind, TimeZone, Timestamp};
use texts::console::machines as t;

use crate::frame::Frame;
use crate::parts::{Attention, AttentionItem, Badge, Cell, Column, Empty, Row, Table, Tone};

pub fn activity_badge(frame: &Frame, activity: Activity) -> Badge {
    let (sign, tone) = match activity {
        Activity::Active => ("●", Tone::Good),
        Activity::Idle => ("○", Tone::Neutral),
        Activity::Silent => ("▲", Tone::Warning),
        Activity::Archived => ("■", Tone::Neutral),
    };
    Badge { word: t::activity(frame.language, activity.as_str()).to_owned(), sign, tone }
}

/// Writes how long ago a time was, or what is said without one.
pub fn option_of(frame: &Frame, at: Option<Timestamp>, none: texts::Text) -> String {
    at.map_or_else(|| frame.text(none).to_owned(), |at| frame.formats().ago(at))
}

/// Writes who did something. The name of a user is hidden from those who may not see names.
pub fn actor_name(frame: &Frame, actor: &Actor) -> String {
    match (&actor.name, actor.kind) {
        (Some(name), _) => name.clone(),
        (None, ActorKind::Service) => frame.text(t::BY_SERVICE).to_owned(),
        (None, ActorKind::CommandLine) => frame.text(t::BY_COMMAND_LINE).to_owned(),
        (None, _) => frame.text(t::SOMEONE).to_owned(),
    }
}

/// The open alarms about a person or machine, and about the site of a machine.
pub fn open_alarms(frame: &Frame, details: &EntityDetails) -> Attention {
    let own = details.alerts.own.iter().map(|alert| AttentionItem {
        tone: match alert.severity {
            AlertSeverity::Critical => Tone::Bad,
            AlertSeverity::Warning => Tone::Warning,
            AlertSeverity::Info => Tone::Neutral,
        },
        title: alert.rule_name.clone(),
        text: frame.formats().ago(alert.fired_at),
        kind: texts::alerts::severity(frame.language, alert.severity.as_str()).to_owned(),
        href: frame.link(&format!("/alerts/{}/firings/{}", alert.rule, alert.id)),
    });
    let mut items: Vec<AttentionItem> = own.collect();
    let of_site = details.alerts.of_worksite.filter(|number| *number > 0);
    if let (Some(number), Some((site, name, _))) = (of_site, &details.entity.worksite) {
        items.push(AttentionItem {
            tone: Tone::Warning,
            title: name.clone(),
            text: frame.count(t::ALARMS_OF_SITE, i64::try_from(number).unwrap_or(i64::MAX)),
            kind: frame.text(t::SITE_ALARMS_KIND).to_owned(),
            href: frame.link(&format!("/sites/{site}")),
        });
    }
    Attention { items }
}

/// The devices and sites that were linked to a person or machine, the latest first.
pub fn link_table(frame: &Frame, details: &EntityDetails, caption: texts::Text, zone: &TimeZone) -> Table {
    let formats = frame.formats();
    let columns = vec![
        Column::text(frame.text(t::LINK)),
        Column::text(frame.text(t::FROM)),
        Column::text(frame.text(t::TO)),
    ];
    let row = |link: &domain::EntityLink| {
        let (text, href) = match link.kind {
            LinkKind::Tag => (t::LINK_TAG, None),
            LinkKind::BaseStation => (t::LINK_STATION, None),
            LinkKind::Worksite => (t::LINK_SITE, Some(frame.link(&format!("/sites/{}", link.id)))),
        };
        let what = frame.fill(text, &[("label", &link.label)]);
        let until = link.to.map_or_else(|| frame.text(t::STILL).to_owned(), |to| formats.instant(to, zone));
        Row::new(vec![
            href.map_or_else(|| Cell::text(what.as_str()), |href| Cell::link(what.as_str(), href)),
            Cell::text(formats.instant(link.from, zone)),
            Cell::text(until),
        ])
        .muted(link.to.is_some())
    };
    let empty = Empty {
        title: frame.text(t::NO_LINKS).to_owned(),
        reason: frame.text(t::NO_LINKS_REASON).to_owned(),
        action: None,
    };
    Table::new(frame.text(caption), columns, details.links.iter().map(row).collect(), empty)
}

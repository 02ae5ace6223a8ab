//! Messages to the cab of a machine: those that were sent, and the form of a new one.

use app::{App, Error};
use domain::access::{ReadRegistry, WriteRegistry};
use domain::{BaseStationId, Message, MessageState, MessageText, PageRequest, Span, Timestamp};
use texts::console::machines as t;
use web::{BodyField, Fields};

use super::MachineAtSite;
use crate::entities::parts::actor_name;
use crate::form::{FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Badge, Cell, Column, Empty, Field, FormPart, Input, Row, Table, Tone};

/// The number of messages that are listed.
const MAX_MESSAGES: u16 = 20;
/// The longest time to wait for delivery, in minutes.
const MAX_LIFETIME_MIN: i64 = 7 * 24 * 60;

pub const KINDS: &[(&str, Kind)] = &[("text", Kind::Text), ("expires_in_minutes", Kind::Number)];

pub struct MessagePanel {
    pub table: Table,
    /// None for those who may not send any.
    pub form: Option<FormPart>,
}

impl MessagePanel {
    pub async fn load(
        app: &App,
        frame: &Frame,
        at: &MachineAtSite,
        (station, since): (BaseStationId, Timestamp),
        view: &FormView,
    ) -> Result<Self, Error> {
        let page = PageRequest { limit: MAX_MESSAGES, after: None };
        let registry = frame.caller::<ReadRegistry>()?;
        let (messages, _) = app.list_messages(&registry, station, &page, false).await?;
        let columns = vec![
            Column::text(frame.text(t::MESSAGE)),
            Column::text(frame.text(t::STATION_STATUS)),
            Column::text(frame.text(t::SENT)),
            Column::text(frame.text(t::BY)),
        ];
        // What still waited when the station came to the machine is delivered in this cab.
        let is_of_machine =
            |message: &&Message| message.queued_at >= since || message.progress.is_waiting_at(since);
        let of_machine = messages.rows.iter().filter(is_of_machine);
        let rows = of_machine.map(|message| row(frame, at, message, since)).collect();
        let empty = Empty {
            title: frame.text(t::NO_MESSAGES).to_owned(),
            reason: frame.text(t::NO_MESSAGES_REASON).to_owned(),
            action: None,
        };
        let table = Table::new(frame.text(t::MESSAGES), columns, rows, empty);
        let form = frame.may::<WriteRegistry>().then(|| form(frame, at, view));
        Ok(Self { table, form })
    }
}

fn row(frame: &Frame, at: &MachineAtSite, message: &Message, since: Timestamp) -> Row {
    let text = match &message.text {
        Some(text) => text.as_str(),
        None => frame.text(t::HIDDEN),
    };
    let mut sent = Cell::text(frame.formats().instant(message.queued_at, &at.zone));
    if message.queued_at < since {
        sent = sent.note(frame.fill(t::SENT_EARLIER, &[("serial", &message.station_serial)]));
    }
    Row::new(vec![
        Cell::text(text),
        Cell::badge(state_badge(frame, message.progress.state(frame.now))),
        sent,
        Cell::text(actor_name(frame, &message.sent_by)),
    ])
}

pub fn state_badge(frame: &Frame, state: MessageState) -> Badge {
    let (sign, tone) = match state {
        MessageState::Queued => ("…", Tone::Neutral),
        MessageState::Delivered | MessageState::Displayed => ("→", Tone::Neutral),
        MessageState::Acknowledged => ("✓", Tone::Good),
        MessageState::Expired => ("✕", Tone::Warning),
    };
    Badge { word: t::message_state(frame.language, state.as_str()).to_owned(), sign, tone }
}

fn form(frame: &Frame, at: &MachineAtSite, view: &FormView) -> FormPart {
    let lifetime = Input::Number { min: 1, max: MAX_LIFETIME_MIN };
    let fields = vec![
        Field::new(frame, view, "text", t::MESSAGE, Input::Text).required().hint(frame.text(t::MESSAGE_HINT)),
        Field::new(frame, view, "expires_in_minutes", t::LIFETIME, lifetime)
            .hint(frame.text(t::LIFETIME_HINT)),
    ];
    let to = frame.link(&format!("/machines/{}/messages", at.machine.id));
    FormPart::new(to, view, fields, frame.text(t::SEND)).creating(frame)
}

/// Reads a message and how long it may wait.
pub fn read(fields: &mut Fields) -> Option<(MessageText, Option<Span>)> {
    let text = fields.required("text", MessageText::from_json);
    let minutes = fields.optional("expires_in_minutes", web::integer_within(1..=MAX_LIFETIME_MIN));
    Some((text?, minutes?.map(Span::minutes)))
}

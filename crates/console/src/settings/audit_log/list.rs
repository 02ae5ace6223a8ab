//! The audit log with its filters. Who acted, the action and the record each lead to the entries with the same.

use std::sync::Arc;

use app::{App, Error};
use axum::extract::State;
use domain::access::ReadAudit;
use domain::{AuditFilter, AuditLogEntry, Day, PeriodBound};
use texts::console::settings::{self as s, audit_log as t};
use web::{Caller, FromParams, Params, Query, Result};

use super::{PATH, details};
use crate::address::Address;
use crate::form::FormView;
use crate::frame::Frame;
use crate::parts::{Cell, Choice, Column, Field, Input, Pager, Row, Table, csv_response};
use crate::settings::list_page::{self, ListPage};
use crate::settings::list_params::PageOfList;

/// The filters. The days have other names than those of the pickers, which stay across pages.
pub struct ListQuery {
    action: Option<String>,
    actor_kind: Option<String>,
    actor_id: Option<i64>,
    target_kind: Option<String>,
    target_id: Option<i64>,
    since: Option<Day>,
    /// Inclusive.
    until: Option<Day>,
    page: PageOfList,
}

impl FromParams for ListQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self {
            action: query.short_text("action")?,
            actor_kind: query.short_text("actor_kind")?,
            actor_id: query.id("actor_id")?,
            target_kind: query.short_text("target_kind")?,
            target_id: query.id("target_id")?,
            since: query.one("since", Day::parse)?,
            until: query.one("until", Day::parse)?,
            page: PageOfList::read(query)?,
        })
    }
}

impl ListQuery {
    fn filter(&self) -> AuditFilter {
        let next_day = |day: Day| PeriodBound::Day(Day::from_number(day.number() + 1));
        AuditFilter {
            action: self.action.clone(),
            actor_kind: self.actor_kind.clone(),
            actor_id: self.actor_id,
            target_kind: self.target_kind.clone(),
            target_id: self.target_id,
            from: self.since.map(PeriodBound::Day),
            to: self.until.map(next_day),
        }
    }

    fn is_filtered(&self) -> bool {
        let words = [&self.action, &self.actor_kind, &self.target_kind];
        let has_id = self.actor_id.is_some() || self.target_id.is_some();
        words.into_iter().any(Option::is_some) || has_id || self.since.is_some() || self.until.is_some()
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<ReadAudit>,
    frame: Frame,
    Params(params): Params<ListQuery>,
) -> Result {
    let found = app.list_audit_log(&caller, &params.filter(), &params.page.request()).await?;
    let labels = [t::AT, t::ACTOR, t::ACTION, t::TARGET, t::DETAILS, t::ADDRESS];
    let columns = labels.map(|label| Column::text(frame.text(label))).into_iter().collect();
    let rows: Vec<Row> = found.rows.iter().map(|entry| row(&frame, entry, params.page.csv)).collect();
    let pager = Pager::of(&frame, rows.len(), None, found.next.as_ref());
    let empty = list_page::empty(&frame, params.is_filtered(), (t::NONE_YET, t::NONE_YET_REASON), PATH);
    let table = Table::new(frame.text(t::TITLE), columns, rows, empty).paged(pager).with_csv(&frame);
    if params.page.csv {
        return Ok(csv_response("audit-log.csv", &table));
    }
    ListPage::new(&frame, t::TITLE, t::LEAD, table).filtered(filter_fields(&frame, &params)).respond()
}

/// A row. In a file, times and actions are written as programs read them.
fn row(frame: &Frame, AuditLogEntry { row, actor_name }: &AuditLogEntry, is_file: bool) -> Row {
    let language = frame.language;
    let at = if is_file { row.at.to_string() } else { frame.formats().own(row.at) };
    let actor_kind = t::actor(language, &row.actor_kind).unwrap_or(&row.actor_kind);
    let actor = match (actor_name, row.actor_id) {
        (Some(name), _) => name.clone(),
        (None, Some(id)) => format!("{actor_kind} {id}"),
        (None, None) => actor_kind.to_owned(),
    };
    let target = t::target(language, &row.target_kind).unwrap_or(&row.target_kind);
    let target = match row.target_id {
        Some(id) => format!("{target} {id}"),
        None => target.to_owned(),
    };
    let mut action = Cell::link(
        if is_file { row.action.clone() } else { t::action(language, &row.action) },
        frame.here("action", Some(&row.action)),
    );
    if !is_file {
        action = action.note(row.action.clone());
    }
    let mut address = Cell::text(row.address.clone().unwrap_or_default());
    if let Some(id) = &row.request_id {
        address = address.note(frame.fill(t::REQUEST, &[("id", id)]));
    }
    Row::new(vec![
        Cell::text(at),
        Cell::link(actor, same(("actor_kind", &row.actor_kind), ("actor_id", row.actor_id))).note(actor_kind),
        action,
        Cell::link(target, same(("target_kind", &row.target_kind), ("target_id", row.target_id))),
        Cell::text(details::describe(frame, &row.details, row.personal_text.as_deref())),
        address,
    ])
}

/// The address of all entries with the same actor or record.
fn same((kind_name, kind): (&str, &str), (id_name, id): (&str, Option<i64>)) -> String {
    let address = Address::new(PATH).and(kind_name, kind);
    match id {
        Some(id) => address.and(id_name, &id.to_string()).to_string(),
        None => address.to_string(),
    }
}

fn filter_fields(frame: &Frame, params: &ListQuery) -> Vec<Field> {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let number = |value: Option<i64>| value.map(|id| id.to_string()).unwrap_or_default();
    let day = |value: Option<Day>| value.map(|day| day.to_string()).unwrap_or_default();
    let view = FormView::new(vec![
        ("since", day(params.since)),
        ("until", day(params.until)),
        ("actor_kind", text(&params.actor_kind)),
        ("actor_id", number(params.actor_id)),
        ("action", text(&params.action)),
        ("target_kind", text(&params.target_kind)),
        ("target_id", number(params.target_id)),
    ]);
    let field = |name, label, input| Field::new(frame, &view, name, label, input);
    let actors = choices(frame, t::actors(frame.language), params.actor_kind.as_deref());
    let targets = choices(frame, t::targets(frame.language), params.target_kind.as_deref());
    let id = || Input::Number { min: 1, max: i64::MAX };
    vec![
        field("since", t::SINCE, Input::Date),
        field("until", t::UNTIL, Input::Date),
        field("actor_kind", t::ACTOR, Input::Select(actors)),
        field("actor_id", t::ACTOR_ID, id()),
        field("action", t::ACTION_WORD, Input::Text).hint(frame.text(t::ACTION_HINT)),
        field("target_kind", t::TARGET, Input::Select(targets)),
        field("target_id", t::TARGET_ID, id()),
    ]
}

/// All, the kinds that have words, and the chosen one even if it has none.
fn choices(
    frame: &Frame,
    kinds: impl Iterator<Item = (&'static str, &'static str)>,
    chosen: Option<&str>,
) -> Vec<Choice> {
    let all = std::iter::once(Choice::blank(frame.text(s::ALL_OF_THEM)));
    let mut choices: Vec<Choice> = all.chain(kinds.map(|(word, text)| Choice::new(word, text))).collect();
    if let Some(chosen) = chosen
        && choices.iter().all(|choice| choice.value != chosen)
    {
        choices.push(Choice::new(chosen, chosen));
    }
    choices
}

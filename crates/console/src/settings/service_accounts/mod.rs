//! /settings/service-accounts: programs that call the API as themselves, and their tokens.

mod edit;
mod list;
mod token;
mod token_part;

use app::Error;
use axum::Router;
use axum::routing::{get, post};
use domain::{Change, Day, Name, NewServiceAccount, ServiceAccount, Span, TimeZone, Timestamp};
use texts::console::settings::{self as s, service_accounts as t};
use web::{BodyField, EdgeState, Fields};

use super::account_access;
use crate::done::Done;
use crate::form::{FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Badge, Choice, Field, Input, Tone};

pub const ADDED: Done = Done { code: "service-account-added", text: t::ADDED, undo: None };
pub const SAVED: Done = Done { code: "service-account-saved", text: t::SAVED, undo: None };
pub const ARCHIVED: Done = Done { code: "service-account-archived", text: t::WAS_ARCHIVED, undo: None };
pub const REVOKED: Done = Done { code: "service-tokens-revoked", text: t::REVOKED, undo: None };
pub const ISSUED_BEFORE: Done =
    Done { code: "service-token-issued-before", text: t::ISSUED_BEFORE, undo: None };

const PATH: &str = "/settings/service-accounts";

pub fn routes() -> Router<EdgeState> {
    Router::new()
        .route(PATH, get(list::show).post(list::create))
        .route("/settings/service-accounts/{id}", get(edit::show).post(edit::save))
        .route("/settings/service-accounts/{id}/archive", post(edit::archive))
        .route("/settings/service-accounts/{id}/token", post(token::issue))
        .route("/settings/service-accounts/{id}/token/revoke", post(token::revoke))
}

const KINDS: &[(&str, Kind)] = &[
    ("name", Kind::Text),
    ("role", Kind::Text),
    ("access", Kind::Text),
    ("project_ids", Kind::Numbers),
    ("last_day", Kind::Text),
];

/// The fields of an account, in the form that adds one and in the one that changes it.
fn fields_of(frame: &Frame, view: &FormView, projects: Vec<Choice>) -> Vec<Field> {
    let name = Field::new(frame, view, "name", t::NAME, Input::Text).required();
    let mut fields = vec![name.hint(frame.text(t::NAME_HINT))];
    fields.extend(account_access::fields(frame, view, projects));
    let day = Field::new(frame, view, "last_day", t::EXPIRES, Input::Date).required();
    fields.push(day.hint(frame.text(t::EXPIRES_HINT)));
    fields
}

/// Reads the fields. The last day of the account ends in the reader's time zone.
fn read_fields(fields: &mut Fields, zone: &TimeZone) -> Option<NewServiceAccount> {
    let name = fields.required("name", Name::from_json);
    let day = fields.required("last_day", web::text(Day::parse));
    let access = account_access::read(fields)?;
    Some(NewServiceAccount {
        name: name?,
        role: access.role,
        projects: access.projects,
        expires_at: end_of(day?, zone),
    })
}

/// The change of an account to what was read. A last day that is the stored one does not move the end within that day.
fn change_to(to: NewServiceAccount, stored: &ServiceAccount, zone: &TimeZone) -> app::ServiceAccountChange {
    let is_same_day = last_day(to.expires_at, zone) == last_day(stored.expires_at, zone);
    app::ServiceAccountChange {
        name: Change::Set(to.name),
        role: Change::Set(to.role),
        projects: Change::Set(to.projects),
        expires_at: if is_same_day { Change::Keep } else { Change::Set(to.expires_at) },
    }
}

/// An error of the use case, whose `expires_at` is the last day of the form.
fn named_as_shown(mut error: Error) -> Error {
    for fault in &mut error.fields {
        if fault.field == "expires_at" {
            fault.field = "last_day".to_owned();
        }
    }
    error
}

/// The end of a day.
fn end_of(day: Day, zone: &TimeZone) -> Timestamp {
    Day::from_number(day.number() + 1).start_in(zone)
}

/// The last day that has a part before an instant.
fn last_day(at: Timestamp, zone: &TimeZone) -> Day {
    Day::from_number(zone.local(at - Span::seconds(1)).day)
}

fn state_badge(frame: &Frame, account: &ServiceAccount) -> Badge {
    let has_token = account.token.is_some() || account.previous_token.is_some();
    let (word, sign, tone) = match has_token {
        _ if account.archived_at.is_some() => (s::ARCHIVED, "–", Tone::Neutral),
        _ if account.expires_at <= frame.now => (t::EXPIRED, "!", Tone::Warning),
        true => (s::HAS_TOKEN, "✓", Tone::Good),
        false => (s::WITHOUT_TOKEN, "–", Tone::Neutral),
    };
    Badge { word: frame.text(word).to_owned(), sign, tone }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_ends_with_its_last_day() {
        let berlin = TimeZone::parse("Europe/Berlin").unwrap();
        let day = Day::parse("2026-06-30").unwrap();
        let end = end_of(day, &berlin);
        assert_eq!(end.to_string(), "2026-06-30T22:00:00Z");
        assert_eq!(last_day(end, &berlin), day);
        assert_eq!(last_day(Timestamp::parse("2026-06-30T12:00:00Z").unwrap(), &berlin), day);
    }
}

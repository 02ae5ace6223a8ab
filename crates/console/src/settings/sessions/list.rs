//! The reader's own sessions, and how they end.

use std::sync::Arc;

use app::{App, Error, ErrorKind};
use askama::Template;
use axum::extract::State;
use domain::access::BeSignedIn;
use domain::{OpenSession, PageRequest, SessionId, SessionKind};
use http::StatusCode;
use texts::console::settings::sessions as t;
use web::{Caller, FromParams, Params, PathId, Query, Result};

use super::{ENDED, OTHERS_ENDED, PATH};
use crate::form::Form;
use crate::frame::Frame;
use crate::parts::{Action, Badge, Cell, Column, Empty, Pager, Plain, Row, Table, Tone, csv_response};
use crate::response;
use crate::settings::account_access;
use crate::settings::list_params::PageOfList;

/// The number of sessions that are read at a time to end them.
const MAX_ENDED: u16 = 500;

#[derive(Template)]
#[template(path = "settings/sessions/list.html")]
struct ListPage<'a> {
    frame: &'a Frame,
    notice: Option<String>,
    table: Table,
    end_others: Action,
}

pub struct ListQuery(PageOfList);

impl FromParams for ListQuery {
    fn read(query: &mut Query) -> Result<Self, Error> {
        PageOfList::read(query).map(Self)
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<BeSignedIn>,
    frame: Frame,
    Params(ListQuery(page)): Params<ListQuery>,
) -> Result {
    let table = table(&app, &frame, &caller, &page.request()).await?;
    if page.csv {
        return Ok(csv_response("sessions.csv", &table));
    }
    render(&frame, table, None)
}

pub async fn end(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<BeSignedIn>,
    frame: Frame,
    PathId(id): PathId,
    form: Form,
) -> Result {
    let id = SessionId(id);
    app.find_own_session(&caller, id).await?;
    if let Err(error) = account_access::read_button(&form) {
        return render_refused(&app, &frame, &caller, &form, error).await;
    }
    app.end_own_session(&caller, id).await?;
    Ok(response::redirect(PATH, Some((&ENDED, None))))
}

/// Ends all sessions but the one of this request.
pub async fn end_others(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<BeSignedIn>,
    frame: Frame,
    form: Form,
) -> Result {
    if let Err(error) = account_access::read_button(&form) {
        return render_refused(&app, &frame, &caller, &form, error).await;
    }
    let current = caller.identity.session();
    let mut page = PageRequest { limit: MAX_ENDED, after: None };
    loop {
        let found = app.list_own_sessions(&caller, &page).await?;
        for session in found.rows.iter().filter(|session| Some(session.id) != current) {
            match app.end_own_session(&caller, session.id).await {
                // It has ended by itself meanwhile.
                Err(error) if error.kind == ErrorKind::NotFound => {}
                other => {
                    other?;
                }
            }
        }
        match found.next {
            Some(next) => page.after = Some(next),
            None => return Ok(response::redirect(PATH, Some((&OTHERS_ENDED, None)))),
        }
    }
}

/// The list with why a button did nothing.
async fn render_refused(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<BeSignedIn>,
    form: &Form,
    error: Error,
) -> Result {
    let view = form.view(frame, error)?;
    let first = PageRequest { limit: MAX_ENDED, after: None };
    render(frame, table(app, frame, caller, &first).await?, Some((view.status, view.notice)))
}

fn render(frame: &Frame, table: Table, refused: Option<(StatusCode, Option<String>)>) -> Result {
    let (status, notice) = refused.unwrap_or((StatusCode::OK, None));
    let end_others = Action {
        to: format!("{PATH}/end-others"),
        text: frame.text(t::END_OTHERS).to_owned(),
        is_danger: true,
        hidden: Vec::new(),
    };
    response::page_with(status, frame, &ListPage { frame, notice, table, end_others })
}

async fn table(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<BeSignedIn>,
    page: &PageRequest,
) -> Result<Table, Error> {
    let found = app.list_own_sessions(caller, page).await?;
    let current = caller.identity.session();
    let rows: Vec<Row> = found.rows.iter().map(|one| row(frame, one, Some(one.id) == current)).collect();
    let labels = [t::KIND, t::STATE, t::ADDRESS, t::SINCE, t::LAST_USED, t::EXPIRES, t::ACTION];
    let columns = labels.map(|label| Column::text(frame.text(label))).into_iter().collect();
    let pager = Pager::of(frame, rows.len(), None, found.next.as_ref());
    let empty = Empty {
        title: frame.text(t::NONE_YET).to_owned(),
        reason: frame.text(t::NONE_YET_REASON).to_owned(),
        action: None,
    };
    Ok(Table::new(frame.text(t::TITLE), columns, rows, empty).paged(pager))
}

fn row(frame: &Frame, session: &OpenSession, is_current: bool) -> Row {
    let formats = frame.formats();
    let kind = match session.kind {
        SessionKind::Cookie => t::BROWSER,
        SessionKind::Jwt => t::PROGRAM,
    };
    let (word, sign, tone) = match is_current {
        true => (t::CURRENT, "●", Tone::Good),
        false => (t::OTHER, "○", Tone::Neutral),
    };
    // Signing out, which the head of every page offers, ends the current one.
    let end = match is_current {
        true => Cell::text(""),
        false => Cell::action(Action {
            to: format!("{PATH}/{}/end", session.id),
            text: frame.text(t::END).to_owned(),
            is_danger: true,
            hidden: Vec::new(),
        }),
    };
    Row::new(vec![
        Cell::text(frame.text(kind)),
        Cell::badge(Badge { word: frame.text(word).to_owned(), sign, tone }),
        Cell::text(session.address.clone()),
        Cell::text(formats.own(session.created_at)).plain(Plain::time(session.created_at)),
        Cell::text(formats.own(session.last_used_at))
            .note(formats.ago(session.last_used_at))
            .plain(Plain::time(session.last_used_at)),
        Cell::text(formats.own(session.expires_at)).plain(Plain::time(session.expires_at)),
        end,
    ])
}

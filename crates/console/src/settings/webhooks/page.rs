//! The page of one webhook.

use app::{App, WebhookView};
use askama::Template;
use domain::access::ManageBrand;
use http::StatusCode;
use texts::console::webhooks as t;
use web::Result;

use super::deliveries::{self, DeliveryQuery};
use super::{PATH, badge, fields_of, reason, view_of};
use crate::form::FormView;
use crate::frame::Frame;
use crate::parts::{Action, Badge, Cell, Details, Field, FormPart, Input, Table};
use crate::{prove, response};

/// The longest overlap of two secrets, in hours.
pub const MAX_OVERLAP_HOURS: i64 = 168;
const USUAL_OVERLAP_HOURS: i64 = 24;

#[derive(Template)]
#[template(path = "settings/webhooks/edit.html")]
struct EditPage<'a> {
    frame: &'a Frame,
    path: String,
    name: &'a str,
    version: i64,
    state: Badge,
    reason: Option<&'static str>,
    details: Details,
    form: FormPart,
    secret_since: String,
    old_secret: Option<String>,
    /// The new secret, which is shown only now.
    secret: Option<String>,
    rotation: FormPart,
    actions: Vec<Action>,
    /// The words of the filter, the addresses, and whether it is chosen.
    states: Vec<(&'static str, String, bool)>,
    deliveries: Table,
}

/// The forms of the page, as they are filled.
pub struct Forms {
    pub status: StatusCode,
    pub change: FormView,
    pub rotation: FormView,
}

impl Forms {
    pub fn fresh(webhook: &WebhookView) -> Self {
        let overlap = USUAL_OVERLAP_HOURS.to_string();
        Self {
            status: StatusCode::OK,
            change: view_of(Some(webhook)),
            rotation: FormView::new(vec![("overlap_hours", overlap)]),
        }
    }
}

/// Shows the page; the secret is one that was made just now.
pub async fn render(
    app: &App,
    frame: &Frame,
    caller: &app::Caller<ManageBrand>,
    view: &WebhookView,
    forms: &Forms,
    (query, secret): (DeliveryQuery, Option<String>),
) -> Result {
    let webhook = &view.webhook;
    let (path, formats) = (format!("{PATH}/{}", webhook.id), frame.formats());
    let proof = prove::fields(app, frame, caller);
    let fields = fields_of(app, frame, &forms.change).await?;
    let form = FormPart::new(path.clone(), &forms.change, fields, frame.text(t::SAVE))
        .changing(webhook.version)
        .cancelled_at(PATH)
        .proven(proof.clone());
    let hours = Input::Number { min: 0, max: MAX_OVERLAP_HOURS };
    let overlap = Field::new(frame, &forms.rotation, "overlap_hours", t::OVERLAP, hours);
    let overlap = overlap.hint(frame.text(t::OVERLAP_HINT));
    let rotation =
        FormPart::new(format!("{path}/rotate"), &forms.rotation, vec![overlap], frame.text(t::ROTATE))
            .creating(frame)
            .proven(proof);
    let old_secret = webhook.old_secret_until.filter(|until| *until > frame.now);
    let page = EditPage {
        frame,
        name: &webhook.name,
        version: webhook.version,
        state: badge(frame, webhook),
        reason: reason(frame, webhook),
        details: details(frame, view),
        form,
        secret_since: frame.fill(t::SECRET_SINCE, &[("at", &formats.own(webhook.secret_since))]),
        old_secret: old_secret.map(|until| frame.fill(t::OLD_SECRET_UNTIL, &[("at", &formats.own(until))])),
        secret,
        rotation,
        actions: actions(frame, view, &path),
        states: deliveries::states(frame, &path, &query),
        deliveries: deliveries::table(app, frame, caller, view, (&path, &query)).await?,
        path,
    };
    response::page_with(forms.status, frame, &page)
}

fn details(frame: &Frame, view: &WebhookView) -> Details {
    let formats = frame.formats();
    let at = |at: Option<domain::Timestamp>| {
        Cell::text(at.map_or_else(|| frame.text(t::NEVER).to_owned(), |at| formats.own(at)))
    };
    let rows = [
        (t::LAST_SUCCESS, at(view.webhook.last_success_at)),
        (t::LAST_FAILURE, at(view.webhook.last_failure_at)),
    ];
    Details { rows: rows.into_iter().map(|(label, cell)| (frame.text(label).to_owned(), cell)).collect() }
}

fn actions(frame: &Frame, view: &WebhookView, path: &str) -> Vec<Action> {
    let action = |to: &str, text: texts::Text, hidden| Action {
        to: format!("{path}/{to}"),
        text: frame.text(text).to_owned(),
        is_danger: false,
        hidden,
    };
    let version = vec![("_version".to_owned(), view.webhook.version.to_string())];
    match view.webhook.disabled_at {
        None => vec![action("test", t::TEST, Vec::new()), action("disable", t::DISABLE, version)],
        Some(_) => vec![action("enable", t::ENABLE, version)],
    }
}

//! GET and POST /visitors/check-in: the form at the gate.

use std::sync::Arc;

use app::{App, CheckIn, Error, Visitor};
use askama::Template;
use axum::extract::State;
use domain::access::{ReadRegistry, WriteRegistry};
use domain::{
    Direction, EmailAddress, Invalid, ListOrder, ListRequest, MultilineText, Name, PageRequest, PeopleFilter,
    Person, PersonId, PersonKind, Serial, SortKey, Sorting, TimeZone, Visit, Worksite, WorksiteFilter,
    WorksiteId,
};
use texts::console::visitors as t;
use web::{BodyField, Caller, Fields, FromParams, Params, Query, Result};

use super::{CHECKED_IN, PATH, read_local_time};
use crate::form::{Form, FormView, Kind};
use crate::frame::Frame;
use crate::machines::zone_of_site;
use crate::parts::{Choice, Field, FormPart, Input};
use crate::pickers::Pickers;
use crate::response;

/// The maximum number of sites and of known visitors that can be chosen.
const MAX_CHOICES: u16 = 500;

const KINDS: &[(&str, Kind)] = &[
    ("name", Kind::Text),
    ("company", Kind::Text),
    ("tag_serial", Kind::Text),
    ("worksite_id", Kind::Number),
    ("expected_until", Kind::Text),
    ("email", Kind::Text),
    ("person_id", Kind::Number),
    ("notes", Kind::Text),
];

pub struct CheckInParams {
    /// The visitor who was here before.
    person: Option<PersonId>,
}

impl FromParams for CheckInParams {
    fn read(query: &mut Query) -> Result<Self, Error> {
        // The pickers of other pages stay in the address; the site that is picked there is proposed.
        Pickers::read(query)?;
        Ok(Self { person: query.id("person_id")?.map(PersonId) })
    }
}

#[derive(Template)]
#[template(path = "visitors/check_in.html")]
struct CheckInPage<'a> {
    frame: &'a Frame,
    form: FormPart,
    back: String,
}

pub async fn show(
    State(app): State<Arc<App>>,
    Caller(_): Caller<WriteRegistry>,
    frame: Frame,
    Params(params): Params<CheckInParams>,
) -> Result {
    let choices = Choices::load(&app, &frame).await?;
    let view = choices.fresh_view(&frame, params.person);
    render(&frame, &choices, &view)
}

pub async fn save(
    State(app): State<Arc<App>>,
    Caller(caller): Caller<WriteRegistry>,
    frame: Frame,
    Params(_): Params<CheckInParams>,
    form: Form,
) -> Result {
    let site = form.value("worksite_id").and_then(|id| id.parse().ok()).map(WorksiteId);
    let zone = zone_of_site(&app, &frame, site).await?;
    let made = match form.read(KINDS, |fields| read(fields, &zone, is_restricted(&frame))) {
        Ok(check_in) => {
            let place = frame.link(PATH);
            let once = response::made(form.once(&frame), move |_: &Visit| place);
            app.check_in(&caller.editor(), &check_in, once).await
        }
        Err(error) => Err(error),
    };
    match made {
        Ok(stored) => Ok(response::redirect(&response::stored_location(stored), Some((&CHECKED_IN, None)))),
        Err(error) => {
            let view = form.view(&frame, error)?;
            render(&frame, &Choices::load(&app, &frame).await?, &view)
        }
    }
}

/// Whether the reader must give a site, because they would not see the visit otherwise.
fn is_restricted(frame: &Frame) -> bool {
    frame.identity().is_some_and(|identity| identity.project_ids().is_some())
}

fn read(fields: &mut Fields, zone: &TimeZone, needs_site: bool) -> Option<CheckIn> {
    let name = fields.optional("name", Name::from_json);
    let email = fields.optional("email", EmailAddress::from_json);
    let person = fields.optional("person_id", PersonId::from_json);
    let tag = fields.required("tag_serial", Serial::from_json);
    let worksite = match needs_site {
        true => fields.required("worksite_id", WorksiteId::from_json).map(Some),
        false => fields.optional("worksite_id", WorksiteId::from_json),
    };
    let company = fields.optional("company", Name::from_json);
    let notes = fields.optional("notes", MultilineText::from_json);
    let expected_until = fields.optional("expected_until", read_local_time(zone));
    let visitor = match (name?, email?, person?) {
        (None, None, Some(id)) => Some(Visitor::Existing(id)),
        (Some(name), email, None) => Some(Visitor::Named { name, email }),
        (None, _, None) => fields.add_fault("name", Invalid::new("required", "must be given")),
        (_, _, Some(_)) => {
            let text = "must not be given together with a name or an email address";
            fields.add_fault("person_id", Invalid::new("not_allowed", text))
        }
    };
    Some(CheckIn {
        visitor: visitor?,
        tag: tag?,
        worksite: worksite?,
        company: company?,
        notes: notes?,
        expected_until: expected_until?,
    })
}

/// What can be chosen in the form.
pub struct Choices {
    sites: Vec<Worksite>,
    visitors: Vec<Person>,
}

impl Choices {
    pub async fn load(app: &App, frame: &Frame) -> Result<Self, Error> {
        let caller = frame.caller::<ReadRegistry>()?;
        let order = ListOrder::Sorted(Sorting::by(SortKey::Name, Direction::Ascending));
        let page = PageRequest { limit: MAX_CHOICES, after: None };
        let request = ListRequest::of_page(order, &page, false);
        let sites = app.list_worksites(&caller, WorksiteFilter::default(), None, &request).await?;
        let known = PeopleFilter { kinds: vec![PersonKind::Visitor], ..PeopleFilter::default() };
        let visitors = app.list_people(&caller.reader(), &known, &request).await?;
        Ok(Self { sites: sites.rows, visitors: visitors.rows })
    }

    /// The values of a form that nobody has sent. The site that is picked is proposed, or the only one.
    pub fn fresh_view(&self, frame: &Frame, person: Option<PersonId>) -> FormView {
        let picked = frame.address.first("worksite_id").and_then(|id| id.parse().ok()).map(WorksiteId);
        let site = match (picked, self.sites.as_slice()) {
            (Some(picked), _) => Some(picked),
            (None, [only]) => Some(only.id),
            (None, _) => None,
        };
        FormView::new(vec![
            ("worksite_id", site.map(|id| id.to_string()).unwrap_or_default()),
            ("person_id", person.map(|id| id.to_string()).unwrap_or_default()),
        ])
    }

    pub fn form(&self, frame: &Frame, view: &FormView) -> FormPart {
        let sites = self.sites.iter().map(|site| Choice::new(site.id.to_string(), site.name.as_str()));
        let sites = std::iter::once(Choice::blank(frame.text(t::NO_SITE))).chain(sites).collect();
        let mut site = Field::new(frame, view, "worksite_id", t::WORKSITE, Input::Select(sites));
        if is_restricted(frame) {
            site = site.required();
        }
        let visitors = self.visitors.iter().map(|person| {
            let label = match &person.company {
                Some(company) => format!("{}, {company}", person.name),
                None => person.name.clone(),
            };
            Choice::new(person.id.to_string(), label)
        });
        let visitors = std::iter::once(Choice::blank(frame.text(t::NEW_VISITOR))).chain(visitors).collect();
        let own = frame.preferences.time_zone.as_str();
        let fields = vec![
            Field::new(frame, view, "name", t::NAME, Input::Text)
                .hint(frame.text(t::NAME_HINT))
                .autocomplete("off"),
            Field::new(frame, view, "company", t::COMPANY, Input::Text).autocomplete("off"),
            Field::new(frame, view, "tag_serial", t::TAG_SERIAL, Input::Text)
                .required()
                .hint(frame.text(t::TAG_HINT))
                .autocomplete("off"),
            site,
            Field::new(frame, view, "expected_until", t::EXPECTED_UNTIL, Input::DateTime)
                .hint(frame.fill(t::UNTIL_HINT, &[("zone", own)])),
            Field::new(frame, view, "email", t::EMAIL, Input::Email)
                .hint(frame.text(t::EMAIL_HINT))
                .autocomplete("off"),
            Field::new(frame, view, "person_id", t::KNOWN, Input::Select(visitors)),
            Field::new(frame, view, "notes", t::NOTES, Input::Area { rows: 2 }),
        ];
        FormPart::new(frame.link("/visitors/check-in"), view, fields, frame.text(t::CHECK_IN)).creating(frame)
    }
}

fn render(frame: &Frame, choices: &Choices, view: &FormView) -> Result {
    let form = choices.form(frame, view).cancelled_at(frame.link(PATH));
    let page = CheckInPage { frame, form, back: frame.link(PATH) };
    response::page_with(view.status, frame, &page)
}

//! The form of a worksite, for new ones and for changes.

use app::App;
use askama::Template;
use domain::{TimeZone, WorksiteKind};
use geography::Boundary;
use texts::console::sites as t;
use web::Result;

use crate::form::{FormView, Kind};
use crate::frame::Frame;
use crate::parts::{Choice, Field, Input};
use crate::{response, settings};

pub const KINDS: &[(&str, Kind)] = &[
    ("name", Kind::Text),
    ("kind", Kind::Text),
    ("project_id", Kind::Number),
    ("time_zone", Kind::Text),
    ("technical_contact", Kind::Text),
    ("colour", Kind::Text),
    ("boundary", Kind::Json),
    ("effective_from", Kind::LocalTime),
];

/// The fields that have a place of their own for a fault.
const SHOWN: &[&str] =
    &["name", "kind", "project_id", "time_zone", "technical_contact", "colour", "boundary", "effective_from"];

/// What differs between a new worksite and a change of one.
pub struct Purpose {
    pub title: String,
    /// Where the form is sent.
    pub to: String,
    pub cancel: String,
    /// The id of the worksite; empty for a new one.
    pub site: String,
    /// Key of the creation, so that sending it twice adds one worksite.
    pub once: Option<String>,
    /// The version that is changed.
    pub version: Option<i64>,
    /// The zone in which a time is entered.
    pub zone: TimeZone,
}

#[derive(Template)]
#[template(path = "sites/form_page.html")]
struct FormPage<'a> {
    frame: &'a Frame,
    purpose: Purpose,
    zone: String,
    notice: Option<String>,
    other_faults: Vec<String>,
    fields: Vec<Field>,
    boundary: Field,
    boundary_fault: Option<BoundaryFault>,
    has_maps: bool,
}

/// Why a boundary is refused, and where.
struct BoundaryFault {
    reason: &'static str,
    /// `lon,lat` in degrees; empty if there is no place to look at.
    position: String,
    /// The reason, and where to look.
    sentence: String,
}

impl BoundaryFault {
    /// Finds what is wrong with the boundary that was sent. What is no JSON at all is said beside the field.
    fn of(frame: &Frame, view: &FormView) -> Option<Self> {
        view.fault(frame, "boundary")?;
        let sent: serde_json::Value = serde_json::from_str(&view.value("boundary")).ok()?;
        let fault = Boundary::read(&sent).err()?;
        let reason = t::boundary_fault(frame.language, fault.kind.as_str());
        let Some((lon, lat)) = fault.near else {
            return Some(Self { reason, position: String::new(), sentence: reason.to_owned() });
        };
        let place = frame.fill(t::FAULT_NEAR, &[("place", &format!("{lon}, {lat}"))]);
        Some(Self { reason, position: format!("{lon},{lat}"), sentence: format!("{reason} {place}") })
    }
}

/// Shows the form with its values and faults.
pub async fn render(app: &App, frame: &Frame, view: &FormView, purpose: Purpose) -> Result {
    let kinds = WorksiteKind::ALL
        .map(|kind| Choice::new(kind.as_str(), texts::values::worksite_kind(frame.language, kind.as_str())));
    let zone = purpose.zone.as_str().to_owned();
    let projects = settings::project_choices(app, frame).await?;
    let fields = vec![
        Field::new(frame, view, "name", t::NAME, Input::Text).required(),
        Field::new(frame, view, "kind", t::KIND, Input::Select(kinds.into_iter().collect())).required(),
        Field::new(frame, view, "project_id", t::PROJECT, Input::Select(projects)),
        Field::new(frame, view, "time_zone", t::TIME_ZONE, Input::Text)
            .required()
            .hint(frame.text(t::TIME_ZONE_HINT)),
        Field::new(frame, view, "technical_contact", t::CONTACT, Input::Text),
        Field::new(frame, view, "colour", t::COLOUR, Input::Text).hint(frame.text(t::COLOUR_HINT)),
        Field::new(frame, view, "effective_from", t::SINCE, Input::DateTime)
            .hint(frame.fill(t::SINCE_HINT, &[("zone", &zone)]))
            .of_change(),
    ];
    let boundary_fault = BoundaryFault::of(frame, view);
    let mut boundary = Field::new(frame, view, "boundary", t::BOUNDARY, Input::Area { rows: 8 })
        .hint(frame.text(t::BOUNDARY_HINT));
    if let Some(fault) = &boundary_fault {
        boundary = boundary.faulty(fault.sentence.as_str());
    }
    let page = FormPage {
        frame,
        zone,
        notice: view.notice.clone(),
        other_faults: view.other_faults(frame, SHOWN),
        fields,
        boundary,
        purpose,
        boundary_fault,
        has_maps: crate::map_libraries::EMBEDDED,
    };
    response::page_with(view.status, frame, &page)
}

#[cfg(test)]
mod tests {
    use geography::FaultKind;
    use texts::Language;

    use super::*;

    #[test]
    fn every_fault_of_a_boundary_has_words() {
        let kinds = FaultKind::ALL.map(|kind| t::boundary_fault(Language::German, kind.as_str()));
        let other = t::boundary_fault(Language::German, "unknown");
        let unspecific = kinds.iter().filter(|words| **words == other).count();
        assert_eq!(unspecific, 2, "only what cannot be read as a boundary");
    }
}

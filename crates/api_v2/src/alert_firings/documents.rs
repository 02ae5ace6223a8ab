//! Builds the resource objects of firings and their included resources.

use app::{App, Caller, Error, FiringView};
use domain::access::{ReadInsights, ReadRegistry};
use domain::{ClearReason, FiringSubject, IncursionId, Measurement, NotNotifiedReason};
use serde_json::{Value, json};
use web::json_number;

use super::{AlertFiring, AlertFiringWindow, AlertValue};
use crate::json_api::{Identifier, Include, Included, Linkage, ResourceObject};
use crate::{
    base_stations, incursions, machines, people, projects, related, tags, visitor_sessions, worksites,
};

/// Builds the resource object of a firing.
fn object(app: &App, view: FiringView) -> ResourceObject {
    let firing = view.firing;
    let (subject, value) = (firing.subject, firing.value());
    let evidence = firing.incursion_ids();
    let attributes = AlertFiring {
        state: firing.state().as_str(),
        metric: firing.metric.as_str(),
        unit: firing.metric.unit().as_str(),
        comparison: firing.comparison.as_str(),
        threshold: json_number(Some(firing.threshold.as_f64())),
        severity: firing.severity.as_str(),
        value: number(value),
        numerator: value.numerator,
        denominator: value.denominator,
        peak: shape_value(firing.peak()),
        window: firing.window_from.map(|from| AlertFiringWindow { from, to: firing.window_to }),
        time_zone: firing.time_zone.to_string(),
        details: serde_json::from_str(&firing.details).unwrap_or_else(|_| json!({})),
        seq: firing.seq,
        fired_at: firing.fired_at,
        held_until: firing.held_until,
        not_notified_reason: firing.not_notified_reason().map(NotNotifiedReason::as_str),
        cleared_at: firing.cleared_at,
        clear_reason: firing.clear_reason.map(ClearReason::as_str),
        cleared_value: firing.cleared_value().map(shape_value),
        url: app.firing_url(&firing),
        created_at: firing.created_at,
        updated_at: firing.updated_at,
        alert_name: firing.rule_name,
    };
    let mut object = ResourceObject::with_all_attributes(firing.id.0, &attributes);
    for (name, kind, id) in [
        ("alert", "alerts", Some(firing.rule.0)),
        ("project", projects::DEFINITION.kind, subject.project.map(|id| id.0)),
        ("worksite", worksites::DEFINITION.kind, subject.worksite.map(|id| id.0)),
        ("machine", machines::DEFINITION.kind, subject.machine.map(|id| id.0)),
        ("base_station", base_stations::DEFINITION.kind, subject.base_station.map(|id| id.0)),
        ("person", people::DEFINITION.kind, subject.person.map(|id| id.0)),
        ("tag", tags::DEFINITION.kind, subject.tag.map(|id| id.0)),
        ("visitor_session", visitor_sessions::DEFINITION.kind, subject.visit.map(|id| id.0)),
    ] {
        object.link(name, Linkage::One(id.map(|id| Identifier::new(kind, id))));
    }
    let incursion = |id: IncursionId| Identifier::new(incursions::DEFINITION.kind, id.0);
    object.link("incursions", Linkage::Many(evidence.into_iter().map(incursion).collect()));
    object
}

/// Builds the resource objects of firings and adds what `include` asks for. What is gone, or what the caller does not see, is left out.
pub async fn objects(
    app: &App,
    caller: &Caller<ReadInsights>,
    firings: Vec<FiringView>,
    include: &Include,
    included: &mut Included,
) -> Result<Vec<ResourceObject>, Error> {
    if include.is_given() {
        let caller = caller.with_permission::<ReadRegistry>()?;
        let subjects: Vec<FiringSubject> = firings.iter().map(|view| view.firing.subject).collect();
        include_subjects(app, &caller, &subjects, include, included).await?;
    }
    Ok(firings.into_iter().map(|view| object(app, view)).collect())
}

async fn include_subjects(
    app: &App,
    caller: &Caller<ReadRegistry>,
    subjects: &[FiringSubject],
    include: &Include,
    included: &mut Included,
) -> Result<(), Error> {
    if include.includes("machine") {
        let machines = subjects.iter().filter_map(|subject| subject.machine).collect();
        related::include_machines(app, caller, machines, included).await?;
    }
    if include.includes("person") {
        let people = subjects.iter().filter_map(|subject| subject.person).collect();
        related::include_people(app, caller, people, included).await?;
    }
    if include.includes("project") {
        let projects = subjects.iter().filter_map(|subject| subject.project).collect();
        related::include_projects(app, caller, projects, included).await?;
    }
    if include.includes("worksite") {
        let worksites = subjects.iter().filter_map(|subject| subject.worksite).collect();
        related::include_worksites(app, caller, worksites, included).await?;
    }
    Ok(())
}

fn shape_value(value: Measurement) -> AlertValue {
    AlertValue { value: number(value), numerator: value.numerator, denominator: value.denominator }
}

fn number(value: Measurement) -> Value {
    json_number(Some(value.as_f64()))
}

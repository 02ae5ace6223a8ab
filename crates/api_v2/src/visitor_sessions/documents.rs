//! Builds the resource objects of visits and their included resources.

use app::{App, Caller, Error};
use domain::access::ReadRegistry;
use domain::{ActorKind, Span, Timestamp, Visit};
use web::Actor;

use super::VisitorSession;
use crate::json_api::{Identifier, Include, Included, Linkage, ResourceObject};
use crate::{people, related, tags, worksites};

/// Builds the resource object of a visit. The duration of an open one is the time until now.
fn object(visit: Visit, now: Timestamp) -> ResourceObject {
    let (state, until) = (visit.state(), visit.checked_out_at.unwrap_or(now));
    let attributes = VisitorSession {
        company: visit.company,
        notes: visit.notes,
        state: state.as_str(),
        checked_in_at: visit.checked_in_at,
        checked_in_by: visit.checked_in_by.into(),
        expected_until: visit.expected_until,
        checked_out_at: visit.checked_out_at,
        closed_automatically: visit.checked_out_by.as_ref().is_some_and(|by| by.kind == ActorKind::Service),
        checked_out_by: visit.checked_out_by.map(Actor::from),
        // The clocks of hosts differ, so the difference could be negative.
        duration_s: (until - visit.checked_in_at).max(Span::ZERO).whole_seconds(),
        created_at: visit.created_at,
        updated_at: visit.updated_at,
    };
    let mut object = ResourceObject::with_all_attributes(visit.id.0, &attributes);
    let to = |kind, id| Linkage::One(Some(Identifier::new(kind, id)));
    object.link("person", to(people::DEFINITION.kind, visit.person.id.0));
    object.link("tag", to(tags::DEFINITION.kind, visit.tag.0));
    let site = visit.worksite.map(|site| Identifier::new(worksites::DEFINITION.kind, site.id.0));
    object.link("worksite", Linkage::One(site));
    object
}

/// Builds the resource objects of visits and adds what `include` asks for.
pub async fn objects(
    app: &App,
    caller: &Caller<ReadRegistry>,
    visits: Vec<Visit>,
    include: &Include,
    included: &mut Included,
) -> Result<Vec<ResourceObject>, Error> {
    if include.includes("person") {
        let people = visits.iter().map(|visit| visit.person.id).collect();
        related::include_people(app, caller, people, included).await?;
    }
    if include.includes("tag") {
        let tags = visits.iter().map(|visit| visit.tag).collect();
        related::include_tags(app, caller, tags, included).await?;
    }
    if include.includes("worksite") {
        let sites = visits.iter().filter_map(|visit| visit.worksite.as_ref()).map(|site| site.id);
        related::include_worksites(app, caller, sites.collect(), included).await?;
    }
    let now = app.clock.now();
    Ok(visits.into_iter().map(|visit| object(visit, now)).collect())
}

//! Builds the resource objects of incursions and their included resources.

use app::{App, Caller, Error, IncursionRelations, IncursionView, RelatedRecords};
use domain::access::ReadRegistry;
use domain::{Day, IncursionRow, ReviewedIncursion, Span};
use web::{Actor, GeoPosition};

use super::{Incursion, IncursionClip, IncursionReview};
use crate::json_api::{Identifier, Include, Included, Linkage, ResourceObject};
use crate::{base_stations, machines, people, projects, related, tags, worksites};

fn milliseconds(span: Span) -> i64 {
    span.micros().div_euclid(1_000)
}

/// Builds the resource object of an incursion.
pub fn object(view: IncursionView<ReviewedIncursion>) -> ResourceObject {
    let IncursionView { details: ReviewedIncursion { stored, last_review, updated_at }, clips } = view;
    let domain::StoredIncursion { id, row } = stored;
    let linkages = linkages(&row);
    let (by, at, comment) = match last_review {
        Some(said) => (Some(Actor::from(said.by)), Some(said.at), said.comment),
        None => (None, None, None),
    };
    let attributes = Incursion {
        seq: row.seq,
        uid: row.uid,
        started_at: row.started_at,
        ended_at: row.ended_at,
        closed_without_end: row.closed_at.is_some() && row.ended_at.is_none(),
        duration_ms: row.ended_at.map(|at| milliseconds(at - row.started_at)),
        local_day: Day::from_number(row.attribution.local_day),
        acknowledged: row.acknowledged_at.is_some(),
        acknowledged_at: row.acknowledged_at,
        ack_ms: row.acknowledged_at.map(|at| milliseconds(at - row.started_at)),
        zone: row.zone.as_str(),
        closest_cm: row.closest_cm,
        position: row.position.map(|place| GeoPosition { lat: place.lat(), lon: place.lon() }),
        review: IncursionReview { state: row.review.as_str(), by, at, comment },
        received_at: row.received_at,
        clips: clips
            .into_iter()
            .map(|clip| IncursionClip { id: clip.id.0, camera: clip.camera, state: clip.state.as_str() })
            .collect(),
        created_at: row.received_at,
        updated_at,
    };
    let mut object = ResourceObject::with_all_attributes(id.0, &attributes);
    for (name, linkage) in linkages {
        object.link(name, linkage);
    }
    object
}

/// Returns the linkages of all relationships.
fn linkages(row: &IncursionRow) -> [(&'static str, Linkage); 8] {
    let of = &row.attribution;
    let to = |kind, id: Option<i64>| Linkage::One(id.map(|id| Identifier::new(kind, id)));
    [
        ("machine", to(machines::DEFINITION.kind, of.machine.map(|id| id.0))),
        ("base_station", to(base_stations::DEFINITION.kind, Some(row.base_station.0))),
        ("tag", to(tags::DEFINITION.kind, Some(row.tag.0))),
        ("operator_tag", to(tags::DEFINITION.kind, row.operator_tag.map(|id| id.0))),
        ("pedestrian", to(people::DEFINITION.kind, of.pedestrian.map(|id| id.0))),
        ("operator", to(people::DEFINITION.kind, of.operator.map(|id| id.0))),
        ("worksite", to(worksites::DEFINITION.kind, of.worksite.map(|id| id.0))),
        ("project", to(projects::DEFINITION.kind, of.project.map(|id| id.0))),
    ]
}

/// Returns the relationships that `include` asks for and whose records are read together with incursions.
pub fn relations(include: &Include) -> IncursionRelations {
    IncursionRelations {
        machine: include.includes("machine"),
        pedestrian: include.includes("pedestrian"),
        operator: include.includes("operator"),
        worksite: include.includes("worksite"),
        project: include.includes("project"),
    }
}

/// Adds the related resources that `include` asks for. Those that the caller cannot see now are left out: a machine, for example, may have
/// moved to another project since.
pub async fn add_included(
    app: &App,
    reader: &Caller<ReadRegistry>,
    rows: &[&IncursionRow],
    include: &Include,
    (related, included): (RelatedRecords, &mut Included),
) -> Result<(), Error> {
    related.machines.into_iter().map(machines::object).for_each(|one| included.add(one));
    if include.includes("base_station") {
        let ids = rows.iter().map(|row| row.base_station).collect();
        related::include_base_stations(app, reader, ids, included).await?;
    }
    let mut tags = Vec::new();
    if include.includes("tag") {
        tags.extend(rows.iter().map(|row| row.tag));
    }
    if include.includes("operator_tag") {
        tags.extend(rows.iter().filter_map(|row| row.operator_tag));
    }
    related::include_tags(app, reader, tags, included).await?;
    related.people.into_iter().map(people::object).for_each(|one| included.add(one));
    related.worksites.into_iter().map(worksites::listed_object).for_each(|one| included.add(one));
    related.projects.into_iter().map(projects::object).for_each(|one| included.add(one));
    Ok(())
}

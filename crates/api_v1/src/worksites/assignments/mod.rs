//! /api/v1/worksites/{id}/assignments

mod list;
mod machines;

use domain::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::EdgeState;

use crate::base_stations::MachineReference;

pub fn routes() -> OpenApiRouter<EdgeState> {
    OpenApiRouter::new()
        .routes(routes!(list::list_worksite_assignments))
        .routes(routes!(machines::assign_machine, machines::end_machine_assignment))
}

/// Who or what was at a worksite, from when to when.
#[derive(Serialize, ToSchema)]
pub struct WorksiteAssignment {
    /// Its id.
    #[schema(example = 31)]
    id: i64,
    /// `assigned`: someone said that it belongs there.
    #[schema(example = "assigned")]
    relation: &'static str,
    /// The machine.
    machine: MachineReference,
    /// Since when.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    from: Timestamp,
    /// Until when, exclusive; null while it is open.
    #[schema(value_type = Option<String>, format = DateTime)]
    to: Option<Timestamp>,
}

fn shape(assignment: store::MachineAssignment) -> WorksiteAssignment {
    WorksiteAssignment {
        id: assignment.id.0,
        relation: "assigned",
        machine: MachineReference { id: assignment.machine.0, name: assignment.machine_name },
        from: assignment.from,
        to: assignment.to,
    }
}

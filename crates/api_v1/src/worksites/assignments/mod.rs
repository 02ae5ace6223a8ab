//! /api/v1/worksites/{id}/assignments: the machines at a worksite.

mod list;
mod machines;

use domain::Timestamp;
use web::enum_schemas::AssignedRelation;
use web::{OperationRouter, routes};

use crate::references::NamedReference;

pub fn routes() -> OperationRouter {
    OperationRouter::new()
        .routes(routes!(list::list_worksite_assignments))
        .routes(routes!(machines::assign_machine, machines::end_machine_assignment))
}

/// The assignment of a machine to a worksite during a period.
#[web::answer]
pub struct WorksiteAssignment {
    /// Identifier of the assignment.
    #[schema(example = 31)]
    id: i64,
    /// Relation to the worksite: someone assigned the machine to it.
    relation: AssignedRelation,
    /// Machine that is assigned.
    machine: NamedReference,
    /// Time at which the assignment began, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    from: Timestamp,
    /// Time at which the assignment ended, RFC 3339 in UTC, exclusive; null while it is open.
    #[schema(value_type = Option<String>, format = DateTime)]
    to: Option<Timestamp>,
    /// Time at which the assignment was recorded, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time at which the assignment was last changed, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

fn shape(assignment: domain::MachineAssignment) -> WorksiteAssignment {
    WorksiteAssignment {
        id: assignment.id.0,
        relation: AssignedRelation,
        machine: NamedReference { id: assignment.machine.0, name: assignment.machine_name },
        from: assignment.from,
        to: assignment.to,
        created_at: assignment.created_at,
        updated_at: assignment.updated_at,
    }
}

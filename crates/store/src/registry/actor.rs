//! The author of a change, as rows store it.

use domain::{Actor, ActorKind};

use crate::engine::row::{FromColumns, Row, impl_from_word};
use crate::engine::statement::Statement;
use crate::{Error, Projects, Scope};

impl_from_word! {
    // Among users the kind of a person is stored as such.
    ActorKind, |word| if word == "person" { Ok(ActorKind::User) } else { ActorKind::parse(word).ok_or(()) };
}

/// From the columns of the kind, the id and the name.
impl FromColumns<3> for Actor {
    fn from_columns(row: &Row, [kind, id, name]: [&'static str; 3]) -> Result<Self, Error> {
        Ok(Self { kind: row.get(kind)?, id: row.get(id)?, name: row.get(name)? })
    }
}

/// None if the kind is null.
impl FromColumns<3> for Option<Actor> {
    fn from_columns(row: &Row, [kind, id, name]: [&'static str; 3]) -> Result<Self, Error> {
        let kind: Option<ActorKind> = row.get(kind)?;
        let (id, name) = (row.get(id)?, row.get(name)?);
        Ok(kind.map(|kind| Actor { kind, id, name }))
    }
}

/// Joins the parts of a statement that names tester devices. Each part but the last ends in a query for the name of a device `y`, to which
/// the condition is added that the device stands at a worksite that is visible in the scope, or at none: devices are often named after
/// their worksites.
pub(crate) fn with_names_of_devices(parts: &[&'static str], scope: &Scope) -> Statement {
    let mut statement = Statement::new("");
    for (index, part) in parts.iter().copied().enumerate() {
        if index > 0 && *scope.projects() != Projects::All {
            statement = statement
                .push(" and (y.worksite_id is null or exists (select 1 from worksites w where w.id = y.worksite_id")
                .and_in_projects(scope.projects(), "w.project_id")
                .push("))");
        }
        statement = statement.push(part);
    }
    statement
}

//! Projects, to which worksites belong.

use crate::{Name, ProjectId, RegistryRows, Timestamp};

#[derive(Clone, Debug, macros::FromRow)]
pub struct Project {
    pub id: ProjectId,
    pub name: String,
    /// The brand's own reference for the project.
    pub code: Option<String>,
    /// Rises with every change; the `ETag`.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub archived_at: Option<Timestamp>,
    /// The folded name, by which lists are sorted.
    pub name_key: String,
}

#[derive(Clone, Debug)]
pub struct NewProject {
    pub name: Name,
    /// The brand's own reference for the project.
    pub code: Option<Name>,
    pub archived_at: Option<Timestamp>,
}

#[derive(Clone, Debug, Default)]
pub struct ProjectFilter {
    /// True for archived projects only, false for active ones only.
    pub archived: bool,
    /// Only projects whose name contains this, ignoring case and accents.
    pub q: Option<String>,
    /// Only these rows of the table.
    pub rows: RegistryRows,
}

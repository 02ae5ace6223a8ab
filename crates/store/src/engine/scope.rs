//! Access to rows as types: a [`Scope`] for the tables of a brand, a [`Platform`] for the others.

use domain::{BrandId, ProjectId};

/// The part of a brand that a query may see. Every accessor of a brand table requires one.
///
/// It can only be made through a [`Platform`], which only authentication, jobs and the command line hold. A handler gets it from
/// its caller and cannot widen it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    brand: BrandId,
    projects: Projects,
}

/// The projects of the brand that a query may see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Projects {
    /// All projects, and rows that belong to none.
    All,
    /// Only these projects.
    Only(Vec<ProjectId>),
}

impl Scope {
    pub fn brand(&self) -> BrandId {
        self.brand
    }

    pub fn projects(&self) -> &Projects {
        &self.projects
    }
}

/// Access to the tables without a brand: emails, sessions, tokens, signing keys, schema.
///
/// [`crate::Store::open`] returns the only one; it is passed to authentication, jobs and the command line.
#[derive(Debug)]
pub struct Platform(pub(crate) ());

impl Platform {
    /// Returns a scope for a caller who has been authenticated as belonging to `brand`.
    pub fn scope(&self, brand: BrandId, projects: Projects) -> Scope {
        Scope { brand, projects }
    }
}

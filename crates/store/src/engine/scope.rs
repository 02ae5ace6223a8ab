//! Who may touch which rows, as types.

use domain::{BrandId, ProjectId};

/// The part of a brand that a query may see. Every accessor of a brand table asks for one.
///
/// It can only be made through a [`Platform`], which only authentication, jobs and the command line hold; a
/// handler gets it from its caller and cannot widen it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    brand: BrandId,
    projects: Projects,
}

/// Which projects of the brand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Projects {
    /// All of them, and what belongs to none.
    All,
    /// Only these.
    Only(Vec<ProjectId>),
}

impl Scope {
    /// The brand.
    pub fn brand(&self) -> BrandId {
        self.brand
    }

    /// The projects.
    pub fn projects(&self) -> &Projects {
        &self.projects
    }
}

/// The key to tables without a brand: emails, sessions, tokens, signing keys, schema.
///
/// [`crate::Store::open`] gives out the only one; it is handed to authentication, jobs and the command line.
#[derive(Debug)]
pub struct Platform(pub(crate) ());

impl Platform {
    /// A scope for someone who has been found to belong to `brand`.
    pub fn scope(&self, brand: BrandId, projects: Projects) -> Scope {
        Scope { brand, projects }
    }
}

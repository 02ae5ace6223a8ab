//! What a document brings along: each resource once, and none that is its primary data already.

use std::collections::HashSet;

use app::Error;
use domain::Invalid;

use super::object::{Identifier, ResourceObject};

/// How many resources of a type a document brings along at most.
pub const MAX_INCLUDED: usize = 1_000;

/// The included resources of a document.
#[derive(Debug, Default)]
pub struct Included {
    pub(super) objects: Vec<ResourceObject>,
    identifiers: HashSet<Identifier>,
}

impl Included {
    /// Adds one, unless it is there.
    pub fn add(&mut self, object: ResourceObject) {
        if self.identifiers.insert(object.identifier()) {
            self.objects.push(object);
        }
    }

    /// Leaves out what is primary data.
    pub(super) fn excluding(self, primary: &[ResourceObject]) -> Vec<ResourceObject> {
        let primary: HashSet<_> = primary.iter().map(ResourceObject::identifier).collect();
        self.objects.into_iter().filter(|object| !primary.contains(&object.identifier())).collect()
    }
}

/// Refused to those who would get more along than anyone reads.
pub fn too_many_included(kind: &str) -> Error {
    let message = format!(
        "would bring along more than {MAX_INCLUDED} {kind}; ask for smaller pages, or for the related resources by themselves"
    );
    Error::bad_parameter("include", Invalid::new("too_many", message))
}

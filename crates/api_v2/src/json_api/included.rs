//! The `included` member of a document: each related resource once, and none that is primary data already.

use std::collections::HashSet;

use app::Error;
use domain::Invalid;

use super::object::{Identifier, ResourceObject};

/// Maximum number of included resources of one type in a document.
pub const MAX_INCLUDED: usize = 1_000;

#[derive(Debug, Default)]
pub struct Included {
    pub(super) objects: Vec<ResourceObject>,
    identifiers: HashSet<Identifier>,
}

impl Included {
    /// Adds a resource unless it is included already.
    pub fn add(&mut self, object: ResourceObject) {
        if self.identifiers.insert(object.identifier()) {
            self.objects.push(object);
        }
    }

    /// Returns the included resources that are not primary data.
    pub(super) fn excluding(self, primary: &[ResourceObject]) -> Vec<ResourceObject> {
        let kinds: HashSet<_> = self.objects.iter().map(ResourceObject::kind).collect();
        let primary = primary.iter().filter(|object| kinds.contains(object.kind()));
        let primary: HashSet<_> = primary.map(ResourceObject::identifier).collect();
        self.objects.into_iter().filter(|object| !primary.contains(&object.identifier())).collect()
    }
}

/// The error for a request whose `include` would bring in too many resources.
pub fn too_many_included(kind: &str) -> Error {
    let message = format!(
        "would include more than {MAX_INCLUDED} {kind}; request smaller pages, or request the related resources separately"
    );
    Error::bad_parameter("include", Invalid::new("too_many", message))
}

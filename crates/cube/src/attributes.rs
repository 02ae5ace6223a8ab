//! Current attributes of entities, which the caller supplies because the facts do not contain them.

use std::collections::HashMap;

use domain::{MachineId, MachineKind, PersonId, PersonKind, WorksiteId, WorksiteKind};

/// The kinds of worksites, machines and people. An entity that is missing has no kind.
#[derive(Clone, Debug, Default)]
pub struct Attributes {
    pub worksite_kinds: HashMap<WorksiteId, WorksiteKind>,
    pub machine_kinds: HashMap<MachineId, MachineKind>,
    pub person_kinds: HashMap<PersonId, PersonKind>,
}

impl Attributes {
    /// Returns the index of a worksite's kind.
    pub(crate) fn worksite_kind(&self, id: i64) -> Option<usize> {
        let kind = self.worksite_kinds.get(&WorksiteId(id))?;
        WorksiteKind::ALL.iter().position(|one| one == kind)
    }

    /// Returns the index of a machine's kind.
    pub(crate) fn machine_kind(&self, id: i64) -> Option<usize> {
        let kind = self.machine_kinds.get(&MachineId(id))?;
        MachineKind::ALL.iter().position(|one| one == kind)
    }

    /// Returns the index of a person's kind.
    pub(crate) fn person_kind(&self, id: i64) -> Option<usize> {
        let kind = self.person_kinds.get(&PersonId(id))?;
        PersonKind::ALL.iter().position(|one| one == kind)
    }
}

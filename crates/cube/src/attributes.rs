//! What is said of the things that facts name, now: the caller knows it, the facts do not.

use std::collections::HashMap;

use domain::{MachineId, MachineKind, PersonId, PersonKind, WorksiteId, WorksiteKind};

/// The kinds of worksites, machines and people. What is not in here has no kind.
#[derive(Clone, Debug, Default)]
pub struct Attributes {
    /// Of worksites.
    pub worksite_kinds: HashMap<WorksiteId, WorksiteKind>,
    /// Of machines.
    pub machine_kinds: HashMap<MachineId, MachineKind>,
    /// Of people.
    pub person_kinds: HashMap<PersonId, PersonKind>,
}

impl Attributes {
    /// The place of a worksite's kind among all.
    pub(crate) fn worksite_kind(&self, id: i64) -> Option<usize> {
        let kind = self.worksite_kinds.get(&WorksiteId(id))?;
        WorksiteKind::ALL.iter().position(|one| one == kind)
    }

    /// The place of a machine's kind among all.
    pub(crate) fn machine_kind(&self, id: i64) -> Option<usize> {
        let kind = self.machine_kinds.get(&MachineId(id))?;
        MachineKind::ALL.iter().position(|one| one == kind)
    }

    /// The place of a person's kind among all.
    pub(crate) fn person_kind(&self, id: i64) -> Option<usize> {
        let kind = self.person_kinds.get(&PersonId(id))?;
        PersonKind::ALL.iter().position(|one| one == kind)
    }
}

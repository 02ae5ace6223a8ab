//! The stored form of requests: words and ids, never names.

use domain::{MachineId, PersonId, ProjectId, ReportSubject, SavedViewId, WorksiteId};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::insights::exports::{StoredFilter, StoredPivot, StoredPreferences};

/// Fields may only be added, with a default: rows of earlier versions are read again for every file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StoredRequest {
    pub filter: Option<StoredFilter>,
    pub pivot: Option<StoredPivot>,
    /// Only of schedules; reports have it in columns.
    #[serde(default)]
    pub subject: StoredSubject,
    #[serde(default)]
    pub saved_view_id: Option<SavedViewId>,
    #[serde(default)]
    pub paper: Option<String>,
    /// Only of reports; schedules use those that their author has when they run.
    #[serde(default)]
    pub preferences: Option<StoredPreferences>,
}

impl StoredRequest {
    pub fn parse(text: &str) -> Result<Self, Error> {
        serde_json::from_str(text).map_err(Error::internal)
    }

    pub fn to_json(&self) -> Result<String, Error> {
        serde_json::to_string(self).map_err(Error::internal)
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct StoredSubject {
    project_id: Option<ProjectId>,
    worksite_id: Option<WorksiteId>,
    machine_id: Option<MachineId>,
    person_id: Option<PersonId>,
}

impl StoredSubject {
    pub fn of(subject: &ReportSubject) -> Self {
        Self {
            project_id: subject.project,
            worksite_id: subject.worksite,
            machine_id: subject.machine,
            person_id: subject.person,
        }
    }

    pub fn read(&self) -> ReportSubject {
        ReportSubject {
            project: self.project_id,
            worksite: self.worksite_id,
            machine: self.machine_id,
            person: self.person_id,
        }
    }
}

//! The names of what reports are about, as far as the reader sees them.

use std::collections::{BTreeMap, BTreeSet};

use app::{App, Error};
use domain::access::ReadRegistry;
use domain::{MachineId, PersonId, ProjectId, ReportSubject, WorksiteId};
use texts::Text;
use texts::console::reports as t;

use crate::frame::Frame;

#[derive(Default)]
pub struct SubjectNames {
    projects: BTreeMap<ProjectId, String>,
    worksites: BTreeMap<WorksiteId, String>,
    machines: BTreeMap<MachineId, String>,
    people: BTreeMap<PersonId, String>,
}

/// One thing that a report is about.
pub struct Subject {
    pub label: &'static str,
    pub name: String,
    /// Its page; projects have none.
    pub href: Option<String>,
}

impl SubjectNames {
    pub async fn load<'a>(
        app: &App,
        frame: &Frame,
        subjects: impl Iterator<Item = &'a ReportSubject>,
    ) -> Result<Self, Error> {
        let subjects: Vec<ReportSubject> = subjects.copied().collect();
        let caller = frame.caller::<ReadRegistry>()?;
        let mut names = Self::default();
        let projects = ids(subjects.iter().filter_map(|subject| subject.project));
        if !projects.is_empty() {
            let found = app.find_projects_by_id(&caller, &projects).await?;
            names.projects = found.into_iter().map(|one| (one.id, one.name)).collect();
        }
        let worksites = ids(subjects.iter().filter_map(|subject| subject.worksite));
        if !worksites.is_empty() {
            let found = app.find_worksites_by_id(&caller, &worksites).await?;
            names.worksites = found.into_iter().map(|one| (one.id, one.name)).collect();
        }
        let machines = ids(subjects.iter().filter_map(|subject| subject.machine));
        if !machines.is_empty() {
            let found = app.find_machines_by_id(&caller, &machines).await?;
            names.machines = found.into_iter().map(|one| (one.id, one.name)).collect();
        }
        let people = ids(subjects.iter().filter_map(|subject| subject.person));
        if !people.is_empty() {
            let found = app.find_people_by_id(&caller.reader(), &people).await?;
            names.people = found.into_iter().map(|one| (one.id, one.name)).collect();
        }
        Ok(names)
    }

    /// Returns what a report is about; one that is gone is called by its id.
    pub fn of(&self, frame: &Frame, subject: &ReportSubject) -> Vec<Subject> {
        let name = |label: Text, known: Option<&String>, id: i64| {
            let unknown =
                || frame.fill(t::UNKNOWN_RECORD, &[("what", frame.text(label)), ("id", &id.to_string())]);
            known.cloned().unwrap_or_else(unknown)
        };
        let one = |label: Text, name: String, href: Option<String>| Subject {
            label: frame.text(label),
            name,
            href,
        };
        let mut found = Vec::new();
        if let Some(id) = subject.worksite {
            let page = frame.link(&format!("/sites/{id}"));
            found.push(one(t::SITE, name(t::SITE, self.worksites.get(&id), id.0), Some(page)));
        }
        if let Some(id) = subject.machine {
            let page = frame.link(&format!("/machines/{id}"));
            found.push(one(t::MACHINE, name(t::MACHINE, self.machines.get(&id), id.0), Some(page)));
        }
        if let Some(id) = subject.person {
            let page = frame.link(&format!("/people/{id}"));
            found.push(one(t::PERSON, name(t::PERSON, self.people.get(&id), id.0), Some(page)));
        }
        if let Some(id) = subject.project {
            found.push(one(t::PROJECT, name(t::PROJECT, self.projects.get(&id), id.0), None));
        }
        found
    }

    /// Writes the names of what a report is about in one line.
    pub fn line(&self, frame: &Frame, subject: &ReportSubject) -> String {
        let names: Vec<String> = self.of(frame, subject).into_iter().map(|one| one.name).collect();
        match names.is_empty() {
            true => frame.text(t::EVERYTHING).to_owned(),
            false => names.join(", "),
        }
    }
}

/// Each id once.
fn ids<T: Ord>(ids: impl Iterator<Item = T>) -> Vec<T> {
    ids.collect::<BTreeSet<T>>().into_iter().collect()
}

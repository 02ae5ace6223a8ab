//! The records that figures refer to, whose names are put in when a file is made.

use domain::SortedSet;
use domain::insights::Dimension;
use narrative::SubjectKind;

use super::ReportFigures;
use super::answers::StoredGroup;
use crate::reports::request::ReportRequest;

/// The dimensions whose keys are ids of records with names.
const NAMED: [Dimension; 7] = [
    Dimension::Project,
    Dimension::Worksite,
    Dimension::Machine,
    Dimension::BaseStation,
    Dimension::Pedestrian,
    Dimension::Operator,
    Dimension::Tag,
];

impl ReportFigures {
    /// Returns the records that the figures and the request refer to, by dimension. People who are neither on foot nor driving are
    /// among the pedestrians.
    pub fn references(&self, request: &ReportRequest) -> SortedSet<(Dimension, i64)> {
        let mut found = Vec::new();
        let mut add = |dimension: Dimension, ids: &mut dyn Iterator<Item = i64>| {
            found.extend(ids.map(|id| (dimension, id)));
        };
        for grouping in self.answers.iter().flat_map(|answer| &answer.groupings) {
            for (place, word) in grouping.by.iter().enumerate() {
                let Some(dimension) = named_dimension(word) else { continue };
                let keys = |group: &StoredGroup| group.k.get(place).copied().flatten();
                add(dimension, &mut grouping.groups.iter().filter_map(keys));
            }
        }
        for outlier in &self.outliers {
            if let Some(dimension) = named_dimension(&outlier.by) {
                add(dimension, &mut [outlier.id].into_iter());
            }
            add(Dimension::Worksite, &mut outlier.peer_site.into_iter());
        }
        add(Dimension::Tag, &mut self.tags.iter().map(|tag| tag.tag));
        add(Dimension::Pedestrian, &mut self.tags.iter().filter_map(|tag| tag.person));
        add(Dimension::Tag, &mut self.visits.iter().map(|visit| visit.tag));
        add(Dimension::Pedestrian, &mut self.visits.iter().map(|visit| visit.person));
        add(Dimension::Worksite, &mut self.visits.iter().filter_map(|visit| visit.worksite));
        add(Dimension::BaseStation, &mut self.silent.iter().map(|silent| silent.base_station));
        add(Dimension::Machine, &mut self.silent.iter().filter_map(|silent| silent.machine));
        add(Dimension::BaseStation, &mut self.zones.iter().map(|zone| zone.base_station));
        for row in &self.incursions {
            add(Dimension::BaseStation, &mut [row.base_station].into_iter());
            add(Dimension::Tag, &mut [row.tag].into_iter());
            add(Dimension::Machine, &mut row.machine.into_iter());
            add(Dimension::Pedestrian, &mut row.pedestrian.into_iter());
            add(Dimension::Operator, &mut row.operator.into_iter());
            add(Dimension::Worksite, &mut row.worksite.into_iter());
            add(Dimension::Project, &mut row.project.into_iter());
        }
        if let (Some(pivot), Some(asked)) = (&self.pivot, &request.pivot) {
            let rows = pivot.rows.iter().map(|row| (&asked.rows, &row.keys));
            let columns = pivot.columns.iter().map(|keys| (&asked.columns, keys));
            for (dimensions, keys) in rows.chain(columns) {
                for (dimension, key) in dimensions.iter().zip(keys) {
                    if NAMED.contains(dimension) {
                        add(*dimension, &mut key.iter().copied());
                    }
                }
            }
        }
        for subject in self.written.iter().flat_map(|written| written.facts.subjects()) {
            add(subject_dimension(subject.kind), &mut [subject.id].into_iter());
        }
        if let Some(written) = &self.written {
            add(Dimension::Worksite, &mut [written.facts.worksite].into_iter());
        }
        add(Dimension::Project, &mut self.restricted_to.iter().flatten().copied());
        found.extend(references_of_request(request));
        found.into_iter().collect()
    }

    /// Returns the people whom the figures and the request refer to.
    pub(super) fn people(&self, request: &ReportRequest) -> SortedSet<i64> {
        let is_person =
            |dimension: &Dimension| matches!(dimension, Dimension::Pedestrian | Dimension::Operator);
        let found = self.references(request);
        found.into_iter().filter(|(dimension, _)| is_person(dimension)).map(|(_, id)| id).collect()
    }
}

/// Returns the records of the subject and of the filters.
fn references_of_request(request: &ReportRequest) -> Vec<(Dimension, i64)> {
    let (filter, subject) = (&request.filter, &request.subject);
    let people = [&filter.people, &filter.pedestrians, &filter.operators].into_iter().flatten();
    let people = people.chain(&subject.person).map(|id| (Dimension::Pedestrian, id.0));
    let projects = filter.projects.iter().chain(&subject.project).map(|id| (Dimension::Project, id.0));
    let sites = filter.worksites.iter().chain(&subject.worksite).map(|id| (Dimension::Worksite, id.0));
    let machines = filter.machines.iter().chain(&subject.machine).map(|id| (Dimension::Machine, id.0));
    let stations = filter.base_stations.iter().map(|id| (Dimension::BaseStation, id.0));
    let tags = filter.tags.iter().map(|id| (Dimension::Tag, id.0));
    people.chain(projects).chain(sites).chain(machines).chain(stations).chain(tags).collect()
}

fn named_dimension(word: &str) -> Option<Dimension> {
    NAMED.into_iter().find(|dimension| dimension.as_str() == word)
}

/// Returns the dimension of whom or what a written fact is about.
pub(crate) const fn subject_dimension(kind: SubjectKind) -> Dimension {
    match kind {
        SubjectKind::Worksite => Dimension::Worksite,
        SubjectKind::Machine => Dimension::Machine,
        SubjectKind::Pedestrian => Dimension::Pedestrian,
        SubjectKind::Operator => Dimension::Operator,
        SubjectKind::BaseStation => Dimension::BaseStation,
        SubjectKind::Tag => Dimension::Tag,
    }
}

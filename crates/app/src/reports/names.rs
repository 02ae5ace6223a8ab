//! Names, companies and notes, which are put in when a file is made.

use std::collections::HashMap;

use domain::insights::{Dimension, DurationBucket, Group, Groups, Interval};
use domain::locale::DateFormat;
use domain::{
    Direction, MachineKind, PersonKind, RegistryRows, Report, Review, SortKey, SortedMap, Sorting,
    VisitFilter, Window, WindowPosition, WorksiteKind, Zone,
};
use store::{Scope, Tx};
use texts::{Language, reports, values};

use super::figures::ReportFigures;
use super::request::ReportRequest;
use crate::insights::QueryScope;
use crate::insights::labels::Labels;
use crate::{App, Error, Names};

/// The names of everything that figures refer to, as far as the report may show them.
#[derive(Debug)]
pub(crate) struct ReportNames {
    labels: Labels,
    /// By the id of the visit.
    texts: HashMap<i64, VisitText>,
    language: Language,
    date_format: DateFormat,
}

/// What was written down at the reception desk.
#[derive(Clone, Debug, Default)]
pub(crate) struct VisitText {
    pub company: Option<String>,
    pub notes: Option<String>,
}

/// Ids in one statement.
const BATCH: usize = 200;

impl ReportNames {
    /// Returns the name or the word for a key.
    pub fn label(&self, dimension: Dimension, key: Option<i64>) -> String {
        let language = self.language;
        let Some(key) = key else { return values::no_value(language, dimension.as_str()).to_owned() };
        let unknown = || values::UNKNOWN.get(language).to_owned();
        let place = usize::try_from(key).unwrap_or(usize::MAX);
        match dimension {
            Dimension::Project
            | Dimension::Worksite
            | Dimension::Machine
            | Dimension::BaseStation
            | Dimension::Tag => self.record(dimension, key, dimension.as_str()),
            Dimension::Pedestrian | Dimension::Operator => self.record(dimension, key, "person"),
            Dimension::WorksiteKind => WorksiteKind::ALL
                .get(place)
                .map_or_else(unknown, |kind| values::worksite_kind(language, kind.as_str()).to_owned()),
            Dimension::MachineKind => MachineKind::ALL
                .get(place)
                .map_or_else(unknown, |kind| values::machine_kind(language, kind.as_str()).to_owned()),
            Dimension::PersonKind => PersonKind::ALL
                .get(place)
                .map_or_else(unknown, |kind| values::person_kind(language, kind.as_str()).to_owned()),
            Dimension::Zone => Zone::from_code(key)
                .map_or_else(unknown, |zone| values::zone(language, zone.as_str()).to_owned()),
            Dimension::Review => Review::from_code(key)
                .map_or_else(unknown, |review| values::review(language, review.as_str()).to_owned()),
            Dimension::Acknowledged => values::acknowledged(language, key != 0).to_owned(),
            Dimension::HourOfDay => format!("{key:02}:00"),
            Dimension::DayOfWeek => values::weekday(language, key).to_owned(),
            Dimension::Hour => self.date_format.reformat_iso(&Interval::Hour.label(key)),
            Dimension::Day => self.date_format.reformat_iso(&Interval::Day.label(key)),
            Dimension::Week => self.date_format.reformat_iso(&Interval::Week.label(key)),
            Dimension::Month => {
                let first = Interval::Month.label(key);
                self.date_format.reformat_iso(first.get(..7).unwrap_or(&first))
            }
            Dimension::Duration => duration_label(language, place).unwrap_or_else(unknown),
            Dimension::Cell(_) => format!("{key:x}"),
        }
    }

    /// Returns the name of a record; one that is gone is called by its id.
    fn record(&self, dimension: Dimension, id: i64, word: &str) -> String {
        match self.labels.name(dimension, id) {
            Some(name) => name.to_owned(),
            None => format!("{} {id}", values::dimension(self.language, word)),
        }
    }

    pub fn visit(&self, id: i64) -> VisitText {
        self.texts.get(&id).cloned().unwrap_or_default()
    }

    /// Returns all names of records, by the word of their dimension and by id.
    pub fn all(&self) -> SortedMap<&'static str, SortedMap<i64, &str>> {
        let names = self.labels.names().map(|(dimension, id, name)| (dimension.as_str(), (id, name)));
        let by_dimension = SortedMap::grouped(names).into_iter();
        by_dimension.map(|(dimension, names)| (dimension, names.into_iter().collect())).collect()
    }
}

fn duration_label(language: Language, place: usize) -> Option<String> {
    let (from_s, to_s) = DurationBucket::all().nth(place)?.bounds_s();
    Some(match to_s {
        Some(to_s) => format!("{from_s}–{to_s}\u{a0}s"),
        None => reports::AND_LONGER.fill(language, &[("seconds", &from_s.to_string())]),
    })
}

/// Returns the title of a report with the names of what it is about, for mails. People are called by their ids, because subjects of mails
/// are seen by many.
pub(super) async fn title_for_mails(
    tx: &mut Tx,
    scope: &Scope,
    report: &Report,
    language: Language,
) -> Result<String, Error> {
    let subject = report.subject;
    let mut subjects = Vec::new();
    if let Some(id) = subject.worksite {
        subjects.extend(tx.labels(scope).worksites(&[id.0]).await?.remove(&id.0));
    }
    if let Some(id) = subject.project {
        subjects.extend(tx.labels(scope).projects(&[id.0]).await?.remove(&id.0));
    }
    if let Some(id) = subject.machine {
        subjects.extend(tx.labels(scope).machines(&[id.0]).await?.remove(&id.0));
    }
    let person = values::dimension(language, "person");
    subjects.extend(subject.person.map(|id| format!("{person} {id}")));
    Ok(reports::report_title_of(language, report.kind.as_str(), &subjects))
}

impl App {
    /// Loads the names of everything that figures refer to, as far as the report may show them.
    pub(super) async fn load_report_names(
        &self,
        scope: &Scope,
        names: Names,
        figures: &ReportFigures,
        request: &ReportRequest,
    ) -> Result<ReportNames, Error> {
        let group = |id| Group { keys: vec![Some(id)], figures: Vec::new() };
        let references = figures.references(request).into_iter();
        let ids = SortedMap::grouped(references.map(|(dimension, id)| (dimension, group(id))));
        let groups: Vec<([Dimension; 1], Groups)> =
            ids.into_iter().map(|(dimension, groups)| ([dimension], Groups { groups, more: 0 })).collect();
        let wanted = groups.iter().map(|(dimensions, groups)| (&dimensions[..], groups));
        let labels = self.load_labels_in(QueryScope { scope, names }, wanted).await?;
        let texts = match names {
            Names::Shown => self.load_visit_texts(scope, figures).await?,
            Names::Hidden => HashMap::new(),
        };
        let preferences = &request.preferences;
        Ok(ReportNames { labels, texts, language: request.language(), date_format: preferences.date_format })
    }

    async fn load_visit_texts(
        &self,
        scope: &Scope,
        figures: &ReportFigures,
    ) -> Result<HashMap<i64, VisitText>, Error> {
        let ids: Vec<i64> = figures.visits.iter().map(|visit| visit.visit).collect();
        let mut tx = self.store.read().await?;
        let mut texts = HashMap::with_capacity(ids.len());
        for some in ids.chunks(BATCH) {
            let rows = RegistryRows { ids: Some(some.to_vec()), changed: None };
            let filter = VisitFilter { rows, ..VisitFilter::default() };
            let size = u16::try_from(some.len()).unwrap_or(u16::MAX);
            let window = Window { size, position: WindowPosition::Start };
            let sorting = Sorting::by(SortKey::Id, Direction::Ascending);
            let found = tx.visitor_sessions(scope).slice(&filter, sorting, &window).await?;
            texts.extend(
                found
                    .rows
                    .into_iter()
                    .map(|visit| (visit.id.0, VisitText { company: visit.company, notes: visit.notes })),
            );
        }
        Ok(texts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(language: Language) -> ReportNames {
        ReportNames {
            labels: Labels::default(),
            texts: HashMap::new(),
            language,
            date_format: DateFormat::DayMonthYear,
        }
    }

    #[test]
    fn keys_are_called_by_words_of_the_language() {
        for (dimension, key, english, german) in [
            (Dimension::Machine, Some(7), "Machine 7", "Maschine 7"),
            (Dimension::Operator, Some(7), "Person 7", "Person 7"),
            (Dimension::Worksite, None, "No worksite", "Kein Standort"),
            (Dimension::Zone, Some(2), "Danger", "Gefahrenzone"),
            (Dimension::DayOfWeek, Some(0), "Monday", "Montag"),
            (Dimension::Day, Some(0), "01/01/1970", "01/01/1970"),
            (Dimension::Month, Some(1), "02/1970", "02/1970"),
            (Dimension::MachineKind, Some(3), "Crane", "Kran"),
            (Dimension::MachineKind, Some(99), "Unknown", "Unbekannt"),
            (Dimension::Acknowledged, Some(0), "Not acknowledged", "Nicht quittiert"),
        ] {
            assert_eq!(names(Language::English).label(dimension, key), english);
            assert_eq!(names(Language::German).label(dimension, key), german);
        }
    }
}

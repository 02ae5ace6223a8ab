//! What a form is shown with: its values, its faults and a notice.

use app::{Error, ErrorKind, FieldError, FieldLocation, STILL_RUNNING};
use http::StatusCode;
use texts::Language;
use texts::console::parts as t;
use web::Failure;

use super::RESUMED;
use crate::frame::Frame;

/// What a form is shown with.
pub struct FormView {
    /// The status of the page that shows it.
    pub status: StatusCode,
    /// Above the fields.
    pub notice: Option<String>,
    pairs: Vec<(String, String)>,
    faults: Vec<FieldError>,
    /// The form as it would be filled now, if somebody else has changed the record.
    current: Option<Box<FormView>>,
}

impl FormView {
    /// A fresh form, filled from a record.
    pub fn new(values: Vec<(&'static str, String)>) -> Self {
        Self {
            status: StatusCode::OK,
            notice: None,
            pairs: values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            faults: Vec::new(),
            current: None,
        }
    }

    pub(super) fn of_sent(pairs: &[(String, String)]) -> Self {
        Self {
            status: StatusCode::OK,
            notice: None,
            pairs: pairs.to_vec(),
            faults: Vec::new(),
            current: None,
        }
    }

    pub(super) fn of_refused(
        frame: &Frame,
        pairs: &[(String, String)],
        error: Error,
    ) -> Result<Self, Failure> {
        let refusal = |frame: &Frame| {
            let known = texts::console::refusals::of(frame.language, error.code);
            known.map_or_else(|| error.detail.clone().into_owned(), str::to_owned)
        };
        let (status, notice) = match error.kind {
            // The form would get another key, so that sending it again would create a second record.
            ErrorKind::Conflict if error.code == STILL_RUNNING => return Err(error.into()),
            ErrorKind::Conflict if error.code == RESUMED => {
                (StatusCode::OK, frame.text(t::RESUMED).to_owned())
            }
            ErrorKind::Invalid | ErrorKind::MissingRelation
                if error.field_location == FieldLocation::Body =>
            {
                let notice = match error.fields.is_empty() {
                    true => refusal(frame),
                    false => frame.text(t::SAVED_NOTHING).to_owned(),
                };
                (StatusCode::UNPROCESSABLE_ENTITY, notice)
            }
            ErrorKind::Conflict => (StatusCode::CONFLICT, refusal(frame)),
            ErrorKind::PreconditionFailed => {
                (StatusCode::PRECONDITION_FAILED, frame.text(t::STALE).to_owned())
            }
            _ => return Err(error.into()),
        };
        Ok(Self { status, notice: Some(notice), pairs: pairs.to_vec(), faults: error.fields, current: None })
    }

    /// Shows beside the fields what the record has now, if somebody else has changed it. `current` is the form as it is filled from it.
    pub fn beside(mut self, frame: &Frame, current: Self) -> Self {
        if self.status == StatusCode::PRECONDITION_FAILED {
            if let Some(notice) = &mut self.notice {
                notice.push(' ');
                notice.push_str(frame.text(t::STALE_BESIDE));
            }
            self.current = Some(Box::new(current));
        }
        self
    }

    /// Returns the form that was refused, if one was, beside this one, which is filled from the record.
    pub fn or_refused(self, frame: &Frame, refused: Option<Self>) -> Self {
        match refused {
            Some(refused) => refused.beside(frame, self),
            None => self,
        }
    }

    /// Returns the form as it would be filled now, if somebody else has changed the record.
    pub fn current(&self) -> Option<&Self> {
        self.current.as_deref()
    }

    /// Returns the version that a form was filled from when it was sent, so that what others change until it is sent again is noticed.
    /// None if the reader has been shown such a change: whoever sends the form then has seen it.
    pub fn sent_version(&self) -> Option<i64> {
        match self.status == StatusCode::PRECONDITION_FAILED {
            true => None,
            false => self.value("_version").parse().ok(),
        }
    }

    /// Returns the version of the record that the form changes; `stored` is the one that it has now.
    pub fn version(&self, stored: i64) -> i64 {
        self.sent_version().unwrap_or(stored)
    }

    /// Returns the first value of a field, or an empty text.
    pub fn value(&self, name: &str) -> String {
        self.pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()).unwrap_or_default()
    }

    /// Returns all values of a field.
    pub fn values(&self, name: &str) -> Vec<String> {
        let given = self.pairs.iter().filter(|(known, value)| known == name && !value.is_empty());
        given.map(|(_, value)| value.clone()).collect()
    }

    /// Whether a field has a value, for lists and flags.
    pub fn has(&self, name: &str, value: &str) -> bool {
        self.pairs.iter().any(|(known, given)| known == name && given == value)
    }

    /// Whether a checkbox is ticked.
    pub fn is_ticked(&self, name: &str) -> bool {
        self.pairs.iter().any(|(known, given)| known == name && !matches!(given.as_str(), "" | "false"))
    }

    /// Returns the faults of a field and of what lies inside it, such as a vertex, joined.
    pub fn fault(&self, frame: &Frame, name: &str) -> Option<String> {
        let mut texts: Vec<String> = self
            .faults
            .iter()
            .filter_map(|fault| match fault.field.strip_prefix(name)? {
                "" => Some(sentence(frame.language, fault)),
                inner => {
                    Some(format!("{}: {}", place(inner.strip_prefix('.')?), sentence(frame.language, fault)))
                }
            })
            .collect();
        // Several faults may have the same sentence in the reader's language.
        texts.dedup();
        (!texts.is_empty()).then(|| texts.join(" "))
    }

    /// Returns the faults of all fields but those that are shown beside their fields.
    pub fn other_faults(&self, frame: &Frame, shown: &[&str]) -> Vec<String> {
        self.other_faults_in(frame.language, shown)
    }

    pub(crate) fn other_faults_in(&self, language: Language, shown: &[&str]) -> Vec<String> {
        let is_shown = |field: &str| {
            shown.iter().any(|name| {
                field.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
        };
        let others = self.faults.iter().filter(|fault| !is_shown(&fault.field));
        others
            .map(|fault| format!("{}: {}", named(language, &fault.field), sentence(language, fault)))
            .collect()
    }
}

/// Names a field that the form does not show, with the places inside it. The innermost part that has a name says most:
/// `scope.machine_ids.0` is the first of the machines. A field that has no name for people is called as it was sent.
fn named(language: Language, path: &str) -> String {
    let field = |part: &str| texts::console::faults::field(language, part);
    let Some(name) = path.rsplit('.').find_map(field) else {
        return path.to_owned();
    };
    let indexes = path.split('.').filter_map(|part| part.parse::<u64>().ok());
    let places = indexes.map(|index| (index + 1).to_string());
    std::iter::once(name.to_owned()).chain(places).collect::<Vec<_>>().join(" ")
}

/// Writes the path inside a field for people, who count from one.
fn place(path: &str) -> String {
    let count =
        |part: &str| part.parse::<u64>().map_or_else(|_| part.to_owned(), |index| (index + 1).to_string());
    path.split('.').map(count).collect::<Vec<_>>().join(" ")
}

/// What is wrong with a field, as a sentence in the reader's language if there is one for its code.
pub fn sentence(language: Language, fault: &FieldError) -> String {
    if let Some(known) = texts::console::faults::of(language, fault.invalid.code) {
        return known.to_owned();
    }
    let mut letters = fault.invalid.message.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let stop = if fault.invalid.message.ends_with('.') { "" } else { "." };
    format!("{first}{}{stop}", letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_count_from_one() {
        assert_eq!(place("coordinates.0.3"), "coordinates 1 4");
        assert_eq!(place("name"), "name");
    }

    #[test]
    fn other_fields_have_names_in_the_language_of_the_reader() {
        assert_eq!(named(Language::German, "worksite_id"), "Standort");
        assert_eq!(named(Language::English, "boundary.coordinates.0.3"), "Boundary 1 4");
        assert_eq!(named(Language::English, "scope.machine_ids.0"), "Machines 1");
        assert_eq!(named(Language::German, "active_hours"), "Alarmzeiten");
        assert_eq!(named(Language::English, "colour_of_the_sky"), "colour_of_the_sky");
    }

    #[test]
    fn a_fresh_form_has_the_values_of_its_record() {
        let view = FormView::new(vec![("name", "Crane".to_owned()), ("open", "true".to_owned())]);
        assert_eq!((view.value("name"), view.value("x")), ("Crane".to_owned(), String::new()));
        assert!(view.is_ticked("open") && view.has("open", "true") && !view.is_ticked("x"));
        assert_eq!((view.status, view.version(7)), (StatusCode::OK, 7));
        assert_eq!(view.notice, None);
    }

    #[test]
    fn a_form_keeps_its_version_until_the_reader_knows_of_the_change() {
        let frame = crate::frame::sample(Language::English, "/");
        let sent = [("name".to_owned(), "Crane".to_owned()), ("_version".to_owned(), "3".to_owned())];
        let version = |kind, code| {
            let view = FormView::of_refused(&frame, &sent, Error::new(kind, code, "No.")).unwrap();
            (view.status.as_u16(), view.version(4))
        };
        assert_eq!(version(ErrorKind::Invalid, "invalid"), (422, 3));
        assert_eq!(version(ErrorKind::Conflict, "name_taken"), (409, 3));
        assert_eq!(version(ErrorKind::Conflict, RESUMED), (200, 3));
        assert_eq!(version(ErrorKind::PreconditionFailed, "stale"), (412, 4));
        assert_eq!(FormView::of_sent(&sent).version(4), 3);
        assert_eq!(FormView::of_sent(&[]).version(4), 4);
    }
}

//! What all parts of a document use: figures, names, texts and links.

use documents::{Block, Text};
use domain::insights::{Dimension, Measure};
use domain::{PeriodBound, TimeZone, Timestamp};
use texts::{Counted, Language, Piece, reports};

use super::OwnedContent;
use super::formats::{Formats, NO_VALUE};
use crate::reports::figures::ReportFigures;

/// Up to this many time zones are named below the title.
const MAX_NAMED_ZONES: usize = 3;

/// Composes the parts of a document.
#[derive(Clone, Copy)]
pub(super) struct Composer<'a> {
    pub content: &'a OwnedContent,
    pub formats: Formats<'a>,
}

impl<'a> Composer<'a> {
    pub fn new(content: &'a OwnedContent) -> Self {
        let request = &content.request;
        let formats = Formats { language: request.language(), preferences: &request.preferences };
        Self { content, formats }
    }

    pub fn figures(&self) -> &'a ReportFigures {
        &self.content.figures
    }

    /// Whether there is still time to go on; what is left out otherwise is never seen.
    pub fn is_in_time(&self) -> bool {
        !self.content.deadline.is_over()
    }

    pub fn language(&self) -> Language {
        self.formats.language
    }

    pub fn text(&self, text: texts::Text) -> String {
        text.get(self.language()).to_owned()
    }

    pub fn fill(&self, text: texts::Text, values: &[(&str, &str)]) -> String {
        text.fill(self.language(), values)
    }

    pub fn counted(&self, text: Counted, number: i64, values: &[(&str, &str)]) -> String {
        text.of(self.language(), number, values)
    }

    /// Fills a sentence in which names of records stand, each as a part of its own: one that is written from right to left must not
    /// change the order of the others.
    pub fn sentence(&self, text: texts::Text, names: &[(&str, &str)], values: &[(&str, &str)]) -> Text {
        joined(text.pieces(self.language(), names, values))
    }

    /// The same for a text that depends on a number.
    pub fn counted_sentence(&self, text: Counted, number: i64, names: &[(&str, &str)]) -> Text {
        joined(text.pieces(self.language(), number, names, &[]))
    }

    /// Lists names with "and" before the last, each as a part of its own.
    pub fn list_of_names(&self, names: &[String]) -> Text {
        let (others, last) = match names {
            [] => return Text::plain(NO_VALUE),
            [one] => return Text::plain(one.as_str()),
            [others @ .., last] => (others, last),
        };
        let mut list = Text::default();
        for piece in reports::LIST.pieces(self.language(), &[("others", "others"), ("last", "last")], &[]) {
            list = match piece {
                Piece::Words(words) => list.and(words),
                Piece::Name(place) if place == "others" => and_names(list, others, ", "),
                Piece::Name(_) => list.and(last.as_str()),
            };
        }
        list
    }

    pub fn heading(&self, text: texts::Text) -> Block {
        Block::Heading { level: 2, text: self.text(text) }
    }

    pub fn paragraph(&self, text: texts::Text) -> Block {
        Block::Paragraph(Text::plain(self.text(text)))
    }

    pub fn label(&self, dimension: Dimension, key: Option<i64>) -> String {
        self.content.names.label(dimension, key)
    }

    /// Returns the name of a record, with a link to its page if it has one.
    pub fn linked(&self, dimension: Dimension, key: Option<i64>) -> Text {
        let label = self.label(dimension, key);
        match self.address(dimension, key) {
            Some(address) => Text::default().and_link(label, address),
            None => Text::plain(label),
        }
    }

    fn address(&self, dimension: Dimension, key: Option<i64>) -> Option<String> {
        let page = match dimension {
            Dimension::Worksite => "sites",
            Dimension::Machine => "machines",
            Dimension::Pedestrian | Dimension::Operator => "people",
            _ => return None,
        };
        Some(format!("{}/{page}/{}", self.content.base_url, key?))
    }

    /// Returns the address of the report itself.
    pub fn report_address(&self) -> String {
        format!("{}/reports/{}", self.content.base_url, self.content.report.id)
    }

    pub fn time_zones(&self) -> Vec<TimeZone> {
        self.figures().time_zones.iter().filter_map(|zone| TimeZone::parse(zone).ok()).collect()
    }

    /// Returns the name of a measure.
    pub fn measure(&self, measure: Measure) -> &'static str {
        texts::values::measure(self.language(), measure.as_str())
    }

    /// Returns what the report is and what it is about, which every page and the properties of the file say.
    pub fn title(&self) -> String {
        reports::report_title_of(self.language(), self.content.request.kind.as_str(), &self.subjects())
    }

    /// Returns the names of what the report is about.
    fn subjects(&self) -> Vec<String> {
        let subject = &self.content.request.subject;
        let subjects = [
            (Dimension::Worksite, subject.worksite.map(|id| id.0)),
            (Dimension::Project, subject.project.map(|id| id.0)),
            (Dimension::Machine, subject.machine.map(|id| id.0)),
            (Dimension::Pedestrian, subject.person.map(|id| id.0)),
        ];
        let named = subjects.into_iter().filter(|(_, id)| id.is_some());
        named.map(|(dimension, id)| self.label(dimension, id)).collect()
    }

    pub fn period(&self) -> String {
        self.formats.period(self.content.request.period(), &self.time_zones())
    }

    /// Returns when the figures were computed or, for a written report, when it was written.
    pub fn figures_at(&self) -> Option<Timestamp> {
        let written = self.figures().written.as_ref();
        written.and_then(|written| written.written_at).or(self.figures().computed_at)
    }

    /// Returns the period with the zones of its days, and the brand.
    pub fn subtitle(&self) -> Vec<Text> {
        let period = self.period();
        // A time in the period names its zone.
        let bounds = <[PeriodBound; 2]>::from(self.content.request.period());
        let is_named = bounds.iter().any(|bound| matches!(bound, PeriodBound::Instant(_)));
        let period = match &self.figures().time_zones[..] {
            [] => period,
            [_] if is_named => period,
            [zone] => self.fill(reports::PERIOD_WITH_ZONE, &[("period", &period), ("zone", zone)]),
            few if few.len() <= MAX_NAMED_ZONES => {
                let zones = self.formats.list(few);
                self.fill(reports::PERIOD_WITH_ZONES, &[("period", &period), ("zones", &zones)])
            }
            many => {
                let zones = self.fill(texts::charts::MANY_TIME_ZONES, &[("n", &many.len().to_string())]);
                self.fill(reports::PERIOD_IN_MANY_ZONES, &[("period", &period), ("zones", &zones)])
            }
        };
        vec![Text::plain(period), Text::plain(self.content.brand.values.name.as_str())]
    }
}

fn joined(pieces: Vec<Piece>) -> Text {
    let parts = pieces.into_iter().map(|piece| match piece {
        Piece::Words(text) | Piece::Name(text) => text,
    });
    parts.fold(Text::default(), Text::and)
}

/// Adds names with a separator between them, each as a part of its own.
pub(super) fn and_names(text: Text, names: &[String], separator: &str) -> Text {
    names.iter().enumerate().fold(text, |text, (place, name)| match place {
        0 => text.and(name.as_str()),
        _ => text.and(separator).and(name.as_str()),
    })
}

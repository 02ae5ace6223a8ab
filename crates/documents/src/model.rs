//! The document model: what a document says, in reading order. Layout, tags and fonts are the renderer's.

use crate::picture::Picture;

#[derive(Clone, Debug)]
pub struct Document {
    /// The heading of level 1, with which the first page begins.
    pub title: String,
    /// Below the title: subject, period, brand.
    pub subtitle: Vec<Text>,
    /// A BCP 47 tag.
    pub language: String,
    pub author: String,
    /// In UTC; a remake has the same.
    pub created_at: CreationTime,
    pub paper: Paper,
    /// Whether pages are wider than high, for wide tables.
    pub is_landscape: bool,
    pub letterhead: Letterhead,
    pub blocks: Vec<Block>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreationTime {
    pub year: u16,
    pub month: u8,
    pub day: u8,
    pub hour: u8,
    pub minute: u8,
    pub second: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paper {
    #[default]
    A4,
    Letter,
}

/// What is on every page: the brand at the top, the title and the page at the bottom.
#[derive(Clone, Debug)]
pub struct Letterhead {
    pub brand: String,
    pub logo: Option<Picture>,
    /// With `{page}` and `{pages}`.
    pub page_of: String,
    /// At the bottom, beside the title, such as the period.
    pub footer: String,
    /// Above a table that continues on another page: with `{title}`.
    pub continued: String,
}

#[derive(Clone, Debug)]
pub enum Block {
    /// Level 1 to 3, where the title of the document is of level 1; also in the outline. Never the last thing on a page.
    Heading {
        level: u8,
        text: String,
    },
    Paragraph(Text),
    /// With bullets.
    List(Vec<Text>),
    /// Up to four beside each other.
    Metrics(Vec<Metric>),
    /// What a reader should notice first: boxes below each other.
    Findings(Vec<Finding>),
    Table(Table),
    Figure(Figure),
    /// Small print.
    Note(Text),
    /// Names and values, such as the provenance.
    Details(Vec<(String, Text)>),
    PageBreak,
}

/// Text with emphasis and links. A name inside a sentence is a span of its own: if it is written from right to left, the order of the
/// other spans stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(pub Vec<Span>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub text: String,
    pub weight: Weight,
    /// An address.
    pub link: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weight {
    #[default]
    Regular,
    Bold,
}

impl Text {
    #[must_use]
    pub fn plain(text: impl Into<String>) -> Self {
        Self::default().and(text)
    }

    #[must_use]
    pub fn and(self, text: impl Into<String>) -> Self {
        self.with(Span { text: text.into(), weight: Weight::Regular, link: None })
    }

    #[must_use]
    pub fn and_bold(self, text: impl Into<String>) -> Self {
        self.with(Span { text: text.into(), weight: Weight::Bold, link: None })
    }

    #[must_use]
    pub fn and_link(self, text: impl Into<String>, address: impl Into<String>) -> Self {
        self.with(Span { text: text.into(), weight: Weight::Regular, link: Some(address.into()) })
    }

    #[must_use]
    pub fn to_plain(&self) -> String {
        self.0.iter().map(|span| span.text.as_str()).collect()
    }

    fn with(mut self, span: Span) -> Self {
        self.0.push(span);
        self
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::plain(text)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::plain(text)
    }
}

/// A number with what it is compared to.
#[derive(Clone, Debug)]
pub struct Metric {
    pub label: String,
    pub value: String,
    pub change: Option<MetricChange>,
    /// Denominator and comparison.
    pub note: String,
}

#[derive(Clone, Debug)]
pub struct MetricChange {
    pub text: String,
    pub trend: Trend,
    pub tone: Tone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trend {
    Up,
    Down,
    Level,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    #[default]
    Plain,
    Good,
    Warning,
    Danger,
}

#[derive(Clone, Debug)]
pub struct Finding {
    pub tone: Tone,
    /// Such as "What changed".
    pub heading: String,
    pub text: Text,
    /// Number, denominator, comparison.
    pub evidence: String,
}

#[derive(Clone, Debug)]
pub struct Table {
    pub title: String,
    /// What the table shows, for readers who do not see it.
    pub summary: String,
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
    pub note: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Column {
    pub title: String,
    pub align: Align,
    /// Share of the width; the shares of one table add up to any number. A column whose words need more takes it from
    /// those that have room.
    pub share: f32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Align {
    #[default]
    Start,
    End,
}

#[derive(Clone, Debug)]
pub struct Row {
    pub cells: Vec<Text>,
    pub kind: RowKind,
    /// Nesting of the first cell.
    pub indent: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowKind {
    #[default]
    Plain,
    Subtotal,
    Total,
}

#[derive(Clone, Debug)]
pub struct Figure {
    /// A complete SVG document of the crate `charts`.
    pub svg: String,
    /// The same drawn less tall, with text of the same size, for the rest of a page.
    pub low_svg: Option<String>,
    pub alt: String,
    /// What is seen.
    pub caption: Text,
    /// Largest part of the height of a page, 0 to 1.
    pub max_height: f32,
}

//! Layout: from blocks to items with heights, and onto pages.

mod blocks;
mod claims;
mod columns;
mod figure;
mod findings;
mod flow;
pub(crate) mod item;
mod metrics;
mod table;

pub(crate) use flow::Page;

use crate::characters::clean;
use crate::layout::flow::Flow;
use crate::layout::item::Item;
use crate::limits::{Error, Limits};
use crate::model::{Block, Document, Letterhead};
use crate::structure::Structure;
use crate::style::PageSize;
use crate::text::Shaper;

/// A document on pages.
pub(crate) struct LaidOut {
    pub(crate) pages: Vec<Page>,
    pub(crate) structure: Structure,
}

/// Lays out a document.
pub(crate) fn lay_out(
    document: &Document,
    shaper: &mut Shaper,
    limits: &Limits<'_>,
) -> Result<LaidOut, Error> {
    let size = PageSize::of(document);
    let mut layouter = Layouter {
        shaper,
        structure: Structure::new(),
        flow: Flow::new(size.body_height(), limits),
        width: size.body_width(),
        letterhead: &document.letterhead,
        level: 1,
        breaks_page: false,
        introduces: false,
        has_heading: false,
    };
    layouter.title(&title_of(document), &document.subtitle)?;
    for (index, block) in document.blocks.iter().enumerate() {
        layouter.introduces = document.blocks.get(index + 1).is_some_and(is_introduced);
        let before = index.checked_sub(1).and_then(|index| document.blocks.get(index));
        layouter.has_heading = before.is_some_and(|before| has_heading(before, block));
        layouter.block(block)?;
    }
    Ok(LaidOut { pages: layouter.flow.finish()?, structure: layouter.structure })
}

fn is_introduced(block: &Block) -> bool {
    matches!(
        block,
        Block::Figure(_) | Block::Table(_) | Block::List(_) | Block::Metrics(_) | Block::Details(_)
    )
}

/// Returns whether the block before is a heading that says what a table is called.
fn has_heading(before: &Block, block: &Block) -> bool {
    match (before, block) {
        (Block::Heading { text, .. }, Block::Table(table)) => clean(text) == clean(&table.title),
        _ => false,
    }
}

/// Returns the title, which PDF/UA requires.
pub(crate) fn title_of(document: &Document) -> String {
    let title = clean(&document.title);
    if title.is_empty() { "Document".to_owned() } else { title }
}

/// Turns blocks into items.
struct Layouter<'a> {
    shaper: &'a mut Shaper,
    structure: Structure,
    flow: Flow<'a>,
    width: f32,
    letterhead: &'a Letterhead,
    /// The level of the last heading: levels are never skipped.
    level: u8,
    /// Whether the next item begins a page.
    breaks_page: bool,
    /// Whether a short paragraph here introduces what follows, and so stays with it.
    introduces: bool,
    /// Whether the heading before has the title of the table, which is then not written again.
    has_heading: bool,
}

impl Layouter<'_> {
    fn block(&mut self, block: &Block) -> Result<(), Error> {
        match block {
            Block::Heading { level, text } => self.heading(*level, text),
            Block::Paragraph(text) => self.paragraph(text),
            Block::List(entries) => self.list(entries),
            Block::Metrics(metrics) => self.metrics(metrics),
            Block::Findings(findings) => self.findings(findings),
            Block::Table(table) => self.table(table),
            Block::Figure(figure) => self.figure(figure),
            Block::Note(text) => self.note(text),
            Block::Details(details) => self.details(details),
            Block::PageBreak => {
                self.breaks_page = true;
                Ok(())
            }
        }
    }

    fn push(&mut self, mut item: Item) -> Result<(), Error> {
        item.begins_page |= std::mem::take(&mut self.breaks_page);
        self.flow.push(item)
    }
}

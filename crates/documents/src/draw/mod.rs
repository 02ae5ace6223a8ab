//! Drawing: from pages of items to a PDF that is archival (PDF/A-2a) and accessible (PDF/UA-1).

mod canvas;
mod drawing;
mod furniture;
mod outline;
mod text;

use krilla::Document as Pdf;
use krilla::SerializeSettings;
use krilla::configure::{Accessibility, Archival, ConfigurationBuilder};
use krilla::error::KrillaError;
use krilla::metadata::{DateTime, Metadata};
use krilla::page::PageSettings;

use crate::characters::clean;
use crate::draw::canvas::Canvas;
use crate::draw::furniture::Furniture;
use crate::layout::{LaidOut, title_of};
use crate::limits::{Error, Limits, Rendered};
use crate::model::Document;
use crate::style::PageSize;
use crate::text::Shaper;

const PROGRAM: &str = "Keepclear";

/// Draws a document that was laid out.
pub(crate) fn draw(
    document: &Document,
    laid_out: LaidOut,
    shaper: &mut Shaper,
    limits: &Limits<'_>,
) -> Result<Rendered, Error> {
    let configuration = ConfigurationBuilder::new()
        .with_archival_validator(Archival::A2_A)
        .with_accessibility_validator(Accessibility::UA1)
        .finish()
        .map_err(|error| Error::Pdf(format!("{error:?}")))?;
    let mut pdf = Pdf::new_with(SerializeSettings { configuration, ..SerializeSettings::default() });
    let size = PageSize::of(document);
    let LaidOut { pages, mut structure } = laid_out;
    let furniture = Furniture::new(document, size, shaper);
    for (index, page) in pages.iter().enumerate() {
        limits.check()?;
        let settings = PageSettings::from_wh(size.width, size.height)
            .ok_or_else(|| Error::Pdf("the page has no size".to_owned()))?;
        let mut pdf_page = pdf.start_page_with(settings);
        let mut canvas = Canvas::new(pdf_page.surface(), shaper, &mut structure, index);
        if index == 0 {
            canvas.register_boxes();
        }
        furniture.draw(&mut canvas, index, pages.len());
        canvas.page(page, limits)?;
        let links = canvas.finish();
        for link in links {
            if let Some((node, annotation)) = link.into_annotation() {
                let content = pdf_page.add_tagged_annotation(annotation);
                structure.add_content(node, content);
            }
        }
        pdf_page.finish();
    }
    let language = language_of(document);
    pdf.set_outline(outline::outline(&pages));
    pdf.set_metadata(metadata(document, &language));
    pdf.set_tag_tree(structure.into_tags(&language));
    limits.check()?;
    let bytes = pdf.finish().map_err(|error| Error::Pdf(explain(&error)))?;
    Ok(Rendered { bytes, pages: pages.len() })
}

/// Returns the language tag, of characters that a tag may have.
fn language_of(document: &Document) -> String {
    let tag: String =
        document.language.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(35).collect();
    if tag.is_empty() { "und".to_owned() } else { tag }
}

fn metadata(document: &Document, language: &str) -> Metadata {
    let at = document.created_at;
    let created_at = DateTime::new(at.year)
        .month(at.month)
        .day(at.day)
        .hour(at.hour)
        .minute(at.minute)
        .second(at.second)
        .utc_offset_hour(0);
    let author = clean(&document.author);
    Metadata::new()
        .title(title_of(document))
        .language(language.to_owned())
        .authors(if author.is_empty() { Vec::new() } else { vec![author] })
        .creator(PROGRAM.to_owned())
        .producer(PROGRAM.to_owned())
        .creation_date(created_at)
}

fn explain(error: &KrillaError) -> String {
    match error {
        KrillaError::Validation(errors) => {
            let shown: Vec<String> = errors.iter().take(5).map(|(error, _)| format!("{error:?}")).collect();
            format!("{} faults, such as {}", errors.len(), shown.join(", "))
        }
        other => other.to_string(),
    }
}

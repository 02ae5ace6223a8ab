//! What is on every page: the brand at the top, the title and the page at the bottom.

use std::rc::Rc;

use krilla::geom::{Size, Transform};
use krilla::image::Image;
use krilla::tagging::ArtifactType;

use super::canvas::Canvas;
use super::text::baseline_of_line;
use crate::characters::clean;
use crate::layout::item::Area;
use crate::layout::title_of;
use crate::model::{Align, Document, Text};
use crate::picture::Picture;
use crate::style::{BODY_BOTTOM, Colour, MARGIN, PageSize, TextStyle};
use crate::text::{ShapedText, Shaper};

const LOGO_WIDTH: f32 = 110.0;
const LOGO_HEIGHT: f32 = 28.0;
/// The middle of the letterhead, and the line below it.
const HEADER_MIDDLE: f32 = 40.0;
const HEADER_RULE: f32 = 60.0;
/// The line above the footer, from the end of the text.
const FOOTER_RULE: f32 = 16.0;
/// The part of the width that the page number may take.
const PAGE_NUMBER: f32 = 0.25;
/// The part of the footer that a title keeps, however long the words after it are.
const LEAST_TITLE: f32 = 0.4;
const ELLIPSIS: &str = "…";

const SMALL: TextStyle =
    TextStyle { size: 7.5, colour: Colour::MUTED, leading: 1.3, max_lines: 1, ..TextStyle::CELL };

pub(super) struct Furniture {
    size: PageSize,
    logo: Option<(Image, Size)>,
    brand: Rc<ShapedText>,
    footer: Rc<ShapedText>,
    page_of: String,
}

impl Furniture {
    pub(super) fn new(document: &Document, size: PageSize, shaper: &mut Shaper) -> Self {
        let letterhead = &document.letterhead;
        let logo = letterhead.logo.as_ref().and_then(logo);
        let width = size.body_width();
        let room = width - logo.as_ref().map_or(0.0, |(_, size)| size.width() + 16.0);
        let align = if logo.is_some() { Align::End } else { Align::Start };
        let brand = SMALL.sized(9.0).bold().aligned(align);
        Self {
            size,
            brand: shaper.shape_plain(&letterhead.brand, &brand, room),
            footer: footer(document, width * (1.0 - PAGE_NUMBER) - 10.0, shaper),
            page_of: letterhead.page_of.clone(),
            logo,
        }
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_, '_>, page: usize, pages: usize) {
        self.header(canvas);
        let top = self.size.height - BODY_BOTTOM + FOOTER_RULE;
        let width = self.size.body_width();
        canvas.artifact(ArtifactType::Footer, |canvas| {
            canvas.fill_box(Area { x: MARGIN, y: top, width, height: 0.5 }, Colour::GRID);
        });
        let words =
            self.page_of.replace("{page}", &(page + 1).to_string()).replace("{pages}", &pages.to_string());
        let room = width * PAGE_NUMBER;
        let number = canvas.shaper.shape_plain(&words, &SMALL.aligned(Align::End), room);
        line(canvas, &self.footer, MARGIN, top + 5.0, ArtifactType::Footer);
        line(canvas, &number, MARGIN + width - room, top + 5.0, ArtifactType::Footer);
    }

    fn header(&self, canvas: &mut Canvas<'_, '_>) {
        let width = self.size.body_width();
        let mut left = MARGIN;
        canvas.artifact(ArtifactType::Header, |canvas| {
            if let Some((image, size)) = &self.logo {
                let top = HEADER_MIDDLE - size.height() / 2.0;
                canvas.surface.push_transform(&Transform::from_translate(MARGIN, top));
                canvas.surface.draw_image(image.clone(), *size);
                canvas.surface.pop();
                left += size.width() + 16.0;
            }
            canvas.fill_box(Area { x: MARGIN, y: HEADER_RULE, width, height: 0.5 }, Colour::GRID);
        });
        let top = HEADER_MIDDLE - self.brand.line_height / 2.0;
        line(canvas, &self.brand, left, top, ArtifactType::Header);
    }
}

/// Sets the words of the footer in one line. What follows a long title is still seen: the title is cut instead.
fn footer(document: &Document, width: f32, shaper: &mut Shaper) -> Rc<ShapedText> {
    let (title, words) = (title_of(document), &document.letterhead.footer);
    if clean(words).is_empty() {
        return shaper.shape_plain(&title, &SMALL, width);
    }
    let after = |title: &str| Text::plain(title).and(" · ").and(words);
    let whole = shaper.shape(&after(&title), &SMALL, width);
    if !whole.text.ends_with(ELLIPSIS) {
        return whole;
    }
    let taken = shaper.shape(&after(ELLIPSIS), &SMALL, width).width();
    let cut = shaper.shape_plain(&title, &SMALL, (width - taken).max(width * LEAST_TITLE));
    shaper.shape(&after(&cut.text), &SMALL, width)
}

fn line(canvas: &mut Canvas<'_, '_>, text: &ShapedText, left: f32, top: f32, kind: ArtifactType) {
    if let Some(line) = text.lines.first() {
        canvas.repeated_line(text, line, left, top + baseline_of_line(text), kind);
    }
}

/// The logo, as large as it fits.
fn logo(picture: &Picture) -> Option<(Image, Size)> {
    let (width, height) = picture.size();
    let (across, down) = (width as f32, height as f32);
    let scale = (LOGO_WIDTH / across).min(LOGO_HEIGHT / down);
    let size = Size::from_wh(across * scale, down * scale)?;
    Some((Image::from_rgba8(picture.rgba(), width, height), size))
}

//! The flow of items onto pages.

use std::mem;
use std::rc::Rc;

use crate::layout::item::Item;
use crate::limits::{Error, Limits};

/// The part of its size to which a figure is shrunk at any time, and the least points for a pixel of one that is drawn lower: its text
/// can still be read.
const LITTLE_SMALLER: f32 = 0.95;
const LEAST_SCALE: f32 = 0.5;
/// The least parts of its size to which any other figure is shrunk so that it still fits on a page, by the part of the page that would
/// stay empty otherwise.
const LEAST_SCALES: [(f32, f32); 2] = [(0.35, 0.6), (0.2, 0.75)];

/// An item on a page, with its distance from the top of the text.
pub(crate) struct Placed {
    pub(crate) top: f32,
    pub(crate) item: Rc<Item>,
    /// Whether it repeats what was said on an earlier page.
    pub(crate) is_repeated: bool,
}

pub(crate) type Page = Vec<Placed>;

/// Places items on pages, in their order.
pub(crate) struct Flow<'a> {
    limits: &'a Limits<'a>,
    /// The height of the text on a page.
    height: f32,
    pages: Vec<Page>,
    page: Page,
    top: f32,
    /// Items that must be on one page; the last one does not keep with the next.
    group: Vec<Item>,
}

impl<'a> Flow<'a> {
    pub(crate) fn new(height: f32, limits: &'a Limits<'a>) -> Self {
        Self { limits, height, pages: Vec::new(), page: Vec::new(), top: 0.0, group: Vec::new() }
    }

    pub(crate) fn limits(&self) -> &'a Limits<'a> {
        self.limits
    }

    pub(crate) fn page_height(&self) -> f32 {
        self.height
    }

    pub(crate) fn push(&mut self, mut item: Item) -> Result<(), Error> {
        self.limits.check()?;
        // A heading moves to the new page together with what it stands above.
        if item.begins_page
            && let Some(first) = self.group.first_mut()
        {
            first.begins_page = true;
            item.begins_page = false;
        }
        let is_complete = !item.keeps_with_next;
        self.group.push(item);
        if is_complete { self.place_group() } else { Ok(()) }
    }

    pub(crate) fn finish(mut self) -> Result<Vec<Page>, Error> {
        self.place_group()?;
        self.end_page()?;
        Ok(self.pages)
    }

    fn place_group(&mut self) -> Result<(), Error> {
        let mut group = mem::take(&mut self.group);
        if group.first().is_some_and(|first| first.begins_page) {
            self.end_page()?;
        }
        let left = self.height - self.top;
        let missing = self.height_below(&group) - left;
        let can_fit = |figure: &mut Item| self.lower_to_fit(figure, left, missing);
        if missing > 0.0 && !self.page.is_empty() && !group.last_mut().is_some_and(can_fit) {
            self.end_page()?;
        }
        let missing = self.height_below(&group) - (self.height - self.top);
        if let Some(figure) = group.last_mut()
            && figure.drawing_height().is_some_and(|drawing| missing > 0.0 && missing < drawing)
        {
            figure.shrink_drawing(missing);
        }
        for item in group {
            self.place(item)?;
        }
        Ok(())
    }

    /// Returns whether a figure can be shrunk so much that its group fits, rather than leaving much of the page empty. It takes its lower
    /// drawing if it needs that.
    fn lower_to_fit(&self, figure: &mut Item, left: f32, missing: f32) -> bool {
        let Some(height) = figure.drawing_height() else { return false };
        if missing <= height * (1.0 - LITTLE_SMALLER) {
            return true;
        }
        let Some(low) = &figure.low_drawing else {
            let scales = LEAST_SCALES.iter().find(|(empty, _)| left >= self.height * empty);
            return missing <= height * (1.0 - scales.map_or(1.0, |(_, scale)| *scale));
        };
        let fits = missing <= height - (low.drawing.height * LEAST_SCALE).min(low.area.height);
        if fits {
            figure.lower_drawing();
        }
        fits
    }

    /// The height of items below what is on the page already.
    fn height_below(&self, group: &[Item]) -> f32 {
        let spaces = group.iter().map(|item| item.space).sum::<f32>();
        let first = group.first().filter(|_| self.page.is_empty()).map_or(0.0, |item| item.space);
        group.iter().map(|item| item.height).sum::<f32>() + spaces - first
    }

    fn place(&mut self, item: Item) -> Result<(), Error> {
        let space = if self.page.is_empty() { 0.0 } else { item.space };
        // Rounding errors of sums must not cause a break.
        if self.top + space + item.height > self.height + 0.1 && !self.page.is_empty() {
            self.end_page()?;
        }
        if self.page.is_empty()
            && let Some(head) = item.head.clone()
        {
            self.put(head, true);
        }
        if !self.page.is_empty() && !self.is_below_repeated_head() {
            self.top += item.space;
        }
        self.put(Rc::new(item), false);
        Ok(())
    }

    fn is_below_repeated_head(&self) -> bool {
        self.page.last().is_some_and(|placed| placed.is_repeated)
    }

    fn put(&mut self, item: Rc<Item>, is_repeated: bool) {
        let height = item.height;
        self.page.push(Placed { top: self.top, item, is_repeated });
        self.top += height;
    }

    fn end_page(&mut self) -> Result<(), Error> {
        if self.page.is_empty() {
            return Ok(());
        }
        self.limits.check()?;
        if self.pages.len() >= self.limits.max_pages {
            return Err(Error::TooManyPages { max: self.limits.max_pages });
        }
        self.pages.push(mem::take(&mut self.page));
        self.top = 0.0;
        Ok(())
    }
}

//! The surface of one page, with what is tagged on it.

use krilla::action::LinkAction;
use krilla::annotation::{Annotation, LinkAnnotation, Target};
use krilla::color::rgb;
use krilla::geom::{Path, PathBuilder, Quadrilateral, Rect};
use krilla::num::NormalizedF32;
use krilla::paint::{Fill, FillRule};
use krilla::surface::Surface;
use krilla::tagging::{Artifact, ArtifactType, ContentTag};

use crate::layout::Page;
use crate::layout::item::{Area, Item, Mark};
use crate::limits::{Error, Limits};
use crate::structure::{NodeId, Structure};
use crate::style::{BODY_TOP, Colour, MARGIN};
use crate::text::Shaper;

pub(super) struct Canvas<'a, 'b> {
    pub(super) surface: Surface<'a>,
    pub(super) shaper: &'b mut Shaper,
    pub(super) structure: &'b mut Structure,
    pub(super) page: usize,
    pub(super) links: Vec<PageLink>,
}

/// A link on a page; it may cover several lines.
pub(super) struct PageLink {
    /// What it is part of, and which piece of that.
    pub(super) owner: (NodeId, usize),
    pub(super) node: NodeId,
    pub(super) address: String,
    pub(super) text: String,
    pub(super) areas: Vec<Rect>,
}

impl PageLink {
    /// Returns the annotation and the node that it belongs to.
    pub(super) fn into_annotation(self) -> Option<(NodeId, Annotation)> {
        if self.areas.is_empty() {
            return None;
        }
        let areas = self.areas.into_iter().map(Quadrilateral::from).collect();
        let action = LinkAction::new(encode(&self.address));
        let link = LinkAnnotation::new_with_quad_points(areas, Target::Action(action.into()));
        Some((self.node, Annotation::new_link(link, Some(self.text))))
    }
}

impl<'a, 'b> Canvas<'a, 'b> {
    pub(super) fn new(
        surface: Surface<'a>,
        shaper: &'b mut Shaper,
        structure: &'b mut Structure,
        page: usize,
    ) -> Self {
        Self { surface, shaper, structure, page, links: Vec::new() }
    }

    /// Draws the items of a page.
    pub(super) fn page(&mut self, page: &Page, limits: &Limits<'_>) -> Result<(), Error> {
        for placed in page {
            limits.check()?;
            self.item(&placed.item, MARGIN, BODY_TOP + placed.top);
        }
        Ok(())
    }

    fn item(&mut self, item: &Item, left: f32, top: f32) {
        let is_decoration = |mark: &&Mark| matches!(mark, Mark::Box { .. } | Mark::Shape { .. });
        let mut decorations = item.marks.iter().filter(is_decoration).peekable();
        if decorations.peek().is_some() {
            self.artifact(ArtifactType::Layout, |canvas| {
                decorations.for_each(|mark| canvas.decoration(mark, left, top));
            });
        }
        for mark in &item.marks {
            match mark {
                Mark::Text(mark) => self.text(mark, left, top),
                Mark::Drawing(mark) => self.drawing(mark, left, top),
                Mark::Box { .. } | Mark::Shape { .. } => {}
            }
        }
    }

    fn decoration(&mut self, mark: &Mark, left: f32, top: f32) {
        match mark {
            Mark::Box { area, fill } => {
                self.fill_box(Area { x: left + area.x, y: top + area.y, ..*area }, *fill);
            }
            Mark::Shape { points, fill } => {
                let mut path = PathBuilder::new();
                for (index, (x, y)) in points.iter().enumerate() {
                    if index == 0 { path.move_to(left + x, top + y) } else { path.line_to(left + x, top + y) }
                }
                path.close();
                self.fill_path(path.finish(), *fill);
            }
            Mark::Text(_) | Mark::Drawing(_) => {}
        }
    }

    /// Draws something that readers who do not see it do not miss.
    pub(super) fn artifact(&mut self, kind: ArtifactType, draw: impl FnOnce(&mut Self)) {
        self.surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(kind)));
        draw(self);
        self.surface.end_tagged();
    }

    pub(super) fn fill_box(&mut self, area: Area, fill: Colour) {
        let mut path = PathBuilder::new();
        if let Some(area) = rect(area) {
            path.push_rect(area);
        }
        self.fill_path(path.finish(), fill);
    }

    fn fill_path(&mut self, path: Option<Path>, colour: Colour) {
        if let Some(path) = path {
            self.surface.set_stroke(None);
            self.surface.set_fill(Some(solid(colour)));
            self.surface.draw_path(&path);
        }
    }

    /// Ends the drawing and returns the links, which become annotations of the page.
    pub(super) fn finish(self) -> Vec<PageLink> {
        self.surface.finish();
        self.links
    }
}

pub(super) fn rect(area: Area) -> Option<Rect> {
    Rect::from_xywh(area.x, area.y, area.width, area.height)
}

pub(super) fn colour(colour: Colour) -> rgb::Color {
    let (red, green, blue) = colour.channels();
    rgb::Color::new(red, green, blue)
}

pub(super) fn solid(fill: Colour) -> Fill {
    Fill { paint: colour(fill).into(), opacity: NormalizedF32::ONE, rule: FillRule::NonZero }
}

/// Encodes an address in ASCII, which PDF requires.
fn encode(address: &str) -> String {
    let mut encoded = String::with_capacity(address.len());
    for byte in address.bytes() {
        if byte.is_ascii_graphic() {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_ascii() {
        assert_eq!(encode("https://a.example/ü 1?x=%20"), "https://a.example/%C3%BC%201?x=%20");
    }
}

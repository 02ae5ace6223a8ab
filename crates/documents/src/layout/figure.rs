//! Figures with their captions.

use std::rc::Rc;

use super::Layouter;
use crate::characters::clean;
use crate::layout::item::{Area, DrawingMark, Item, Mark, ScaledDrawing};
use crate::limits::Error;
use crate::model::Figure;
use crate::structure::Role;
use crate::style::{Colour, TextStyle};
use crate::svg::Drawing;

const ABOVE_CAPTION: f32 = 2.0;
/// Points for a pixel of a chart: a small one is not made so large that its text stands out.
const MAX_SCALE: f32 = 0.8;
const CAPTION: TextStyle = TextStyle { max_lines: 12, ..TextStyle::NOTE };

impl Layouter<'_> {
    pub(super) fn figure(&mut self, figure: &Figure) -> Result<(), Error> {
        let caption = self.shaper.shape(&figure.caption, &CAPTION.coloured(Colour::INK), self.width);
        let below = if caption.lines.is_empty() { 0.0 } else { ABOVE_CAPTION + caption.height() };
        let page = self.flow.page_height();
        let part = if figure.max_height.is_finite() { figure.max_height.clamp(0.1, 1.0) } else { 1.0 };
        let max_height = (page * part).min(page - below);
        let text_width = self.width;
        let read = |svg: &String| {
            let drawing = Rc::new(Drawing::read(svg)?);
            let scale = (text_width / drawing.width).min(max_height / drawing.height).min(MAX_SCALE);
            let (width, height) = (drawing.width * scale, drawing.height * scale);
            let area = Area { x: (text_width - width) / 2.0, y: 0.0, width, height };
            Ok::<_, Error>(ScaledDrawing { area, drawing })
        };
        let ScaledDrawing { area, drawing } = read(&figure.svg)?;
        let low = figure.low_svg.as_ref().map(read).transpose()?;

        let group = self.structure.add_root(Role::Group);
        let alt =
            [clean(&figure.alt), clean(&figure.caption.to_plain())].into_iter().find(|text| !text.is_empty());
        let role = Role::Figure { alt: alt.unwrap_or_else(|| "–".to_owned()) };
        let node = self.structure.add(group, role);
        let mut item = Item::with_space(area.height + below, 8.0);
        item.low_drawing = low.filter(|low| low.area.height < area.height);
        item.marks.push(Mark::Drawing(DrawingMark { area, drawing, node }));
        if !caption.lines.is_empty() {
            let node = self.structure.add(group, Role::Caption);
            item.add_text(0.0, area.height + ABOVE_CAPTION, caption, Some(node));
        }
        self.push(item)
    }
}

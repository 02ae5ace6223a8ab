//! Findings: boxes with a coloured edge.

use super::Layouter;
use crate::layout::item::Item;
use crate::limits::Error;
use crate::model::Finding;
use crate::structure::Role;
use crate::style::{Colour, TextStyle};

const PADDING: f32 = 9.0;
const EDGE: f32 = 4.0;

const HEADING: TextStyle = TextStyle { size: 8.5, max_lines: 2, ..TextStyle::CELL };
const TEXT: TextStyle = TextStyle { size: 10.5, leading: 1.35, ..TextStyle::CELL };
const EVIDENCE: TextStyle = TextStyle { size: 8.0, colour: Colour::MUTED, max_lines: 8, ..TextStyle::CELL };

impl Layouter<'_> {
    pub(super) fn findings(&mut self, findings: &[Finding]) -> Result<(), Error> {
        if findings.is_empty() {
            return Ok(());
        }
        let section = self.structure.add_root(Role::Section);
        let (left, width) = (EDGE + PADDING, self.width - EDGE - 2.0 * PADDING);
        for (index, finding) in findings.iter().enumerate() {
            let heading = HEADING.bold().coloured(Colour::of_text(finding.tone));
            let parts = [
                (self.shaper.shape_plain(&finding.heading, &heading, width), 2.0),
                (self.shaper.shape(&finding.text, &TEXT, width), 3.0),
                (self.shaper.shape_plain(&finding.evidence, &EVIDENCE, width), 0.0),
            ];
            let node = self.structure.add(section, Role::Section);
            let mut item = Item::with_space(0.0, if index == 0 { 12.0 } else { 7.0 });
            let mut y = PADDING - 1.0;
            let mut texts = Vec::new();
            for (text, below) in parts.into_iter().filter(|(text, _)| !text.lines.is_empty()) {
                let height = text.height();
                texts.push((y, text));
                y += height + below;
            }
            item.height = y + PADDING - 1.0;
            item.add_box(0.0, 0.0, self.width, item.height, Colour::PANEL);
            item.add_box(0.0, 0.0, EDGE, item.height, Colour::of_mark(finding.tone));
            for (y, text) in texts {
                let paragraph = self.structure.add(node, Role::Paragraph);
                item.add_text(left, y, text, Some(paragraph));
            }
            self.push(item)?;
        }
        Ok(())
    }
}

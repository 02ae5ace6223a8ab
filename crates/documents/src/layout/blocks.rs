//! Headings, paragraphs, lists, notes and details.

use std::rc::Rc;

use super::Layouter;
use crate::characters::clean;
use crate::layout::item::{Item, Mark, TextMark};
use crate::limits::Error;
use crate::model::Text;
use crate::structure::{NodeId, Role};
use crate::style::{Colour, TextStyle};
use crate::text::ShapedText;

/// Between the lines of a heading and what follows.
const BELOW_HEADING: f32 = 4.0;
const LIST_INDENT: f32 = 14.0;
/// At most this many details stay on one page; of more, the first two and the last two stay together.
const SHORT_DETAILS: usize = 20;
/// The part of the width that the names of details take.
const DETAIL_NAMES: f32 = 0.28;

impl Layouter<'_> {
    pub(super) fn title(&mut self, title: &str, subtitle: &[Text]) -> Result<(), Error> {
        let text = self.shaper.shape_plain(title, &TextStyle::TITLE, self.width);
        let node = self.structure.add_root(Role::Heading { level: 1, title: title.to_owned() });
        let mut item = Item::with_space(text.height() + 2.0, 0.0);
        item.add_text(0.0, 0.0, text, Some(node));
        item.heading = Some((1, title.to_owned()));
        item.keeps_with_next = true;
        self.push(item)?;
        for line in subtitle {
            let text = self.shaper.shape(line, &TextStyle::SUBTITLE, self.width);
            if text.lines.is_empty() {
                continue;
            }
            let node = self.structure.add_root(Role::Paragraph);
            let mut item = Item::with_space(text.height(), 0.0);
            item.add_text(0.0, 0.0, text, Some(node));
            item.keeps_with_next = true;
            self.push(item)?;
        }
        let mut rule = Item::with_space(8.0, 0.0);
        rule.add_box(0.0, 7.0, self.width, 1.0, Colour::GRID);
        self.push(rule)
    }

    pub(super) fn heading(&mut self, level: u8, text: &str) -> Result<(), Error> {
        let title = clean(text);
        if title.is_empty() {
            return Ok(());
        }
        self.level = level.clamp(1, 3).min(self.level + 1);
        let shaped = self.shaper.shape_plain(text, &TextStyle::heading(self.level), self.width);
        let role = Role::Heading { level: self.level, title: title.clone() };
        let node = self.structure.add_root(role);
        let space = if self.level < 3 { 20.0 } else { 13.0 };
        let height = shaped.height();
        let mut item = Item::with_space(height + BELOW_HEADING, space);
        item.add_text(0.0, 0.0, shaped, Some(node));
        if self.level < 3 {
            item.add_box(0.0, height + 2.0, self.width, 0.75, Colour::GRID);
            item.height += 3.0;
        }
        item.heading = Some((self.level, title));
        item.keeps_with_next = true;
        self.push(item)
    }

    pub(super) fn paragraph(&mut self, text: &Text) -> Result<(), Error> {
        let shaped = self.shaper.shape(text, &TextStyle::BODY, self.width);
        if shaped.lines.is_empty() {
            return Ok(());
        }
        let node = self.structure.add_root(Role::Paragraph);
        let is_kept = self.introduces && shaped.lines.len() <= 4;
        self.push_lines(&shaped, (0.0, 7.0), node, None, is_kept)
    }

    pub(super) fn note(&mut self, text: &Text) -> Result<(), Error> {
        let shaped = self.shaper.shape(text, &TextStyle::NOTE, self.width);
        if shaped.lines.is_empty() {
            return Ok(());
        }
        let node = self.structure.add_root(Role::Paragraph);
        self.push_lines(&shaped, (0.0, 5.0), node, None, false)
    }

    pub(super) fn list(&mut self, entries: &[Text]) -> Result<(), Error> {
        let entries = entries.iter().filter(|entry| !clean(&entry.to_plain()).is_empty());
        let mut list = None;
        for (index, entry) in entries.enumerate() {
            let list = *list.get_or_insert_with(|| self.structure.add_root(Role::List));
            let shaped = self.shaper.shape(entry, &TextStyle::BODY, self.width - LIST_INDENT);
            let bullet = self.shaper.shape_plain("•", &TextStyle::BODY, LIST_INDENT);
            let node = self.structure.add(list, Role::ListItem);
            let label = self.structure.add(node, Role::Label);
            let body = self.structure.add(node, Role::ListBody);
            let space = if index == 0 { 7.0 } else { 3.0 };
            let bullet =
                TextMark { x: 3.0, y: 0.0, lines: 0..bullet.lines.len(), text: bullet, node: Some(label) };
            self.push_lines(&shaped, (LIST_INDENT, space), body, Some(bullet), false)?;
        }
        Ok(())
    }

    /// Adds a text line by line, with its left edge and the space above, so that it can continue on another page: at
    /// least two lines stay together at its beginning and at its end.
    pub(super) fn push_lines(
        &mut self,
        text: &Rc<ShapedText>,
        (x, space): (f32, f32),
        node: NodeId,
        label: Option<TextMark>,
        keeps_with_next: bool,
    ) -> Result<(), Error> {
        let count = text.lines.len();
        let mut label = label;
        for index in 0..count {
            let mut item = Item::with_space(text.line_height, if index == 0 { space } else { 0.0 });
            item.marks.extend(label.take().map(Mark::Text));
            let mark = TextMark { x, y: 0.0, text: text.clone(), lines: index..index + 1, node: Some(node) };
            item.marks.push(Mark::Text(mark));
            let is_last = index + 1 == count;
            item.keeps_with_next =
                if is_last { keeps_with_next } else { count <= 3 || index == 0 || index + 2 == count };
            self.push(item)?;
        }
        Ok(())
    }

    pub(super) fn details(&mut self, details: &[(String, Text)]) -> Result<(), Error> {
        if details.is_empty() {
            return Ok(());
        }
        let list = self.structure.add_root(Role::Details);
        let names = self.width * DETAIL_NAMES;
        let style = TextStyle::CELL.within(40);
        for (index, (name, value)) in details.iter().enumerate() {
            let name = self.shaper.shape_plain(name, &style.coloured(Colour::MUTED), names - 8.0);
            let value = self.shaper.shape(value, &style, self.width - names);
            let node = self.structure.add(list, Role::ListItem);
            let label = self.structure.add(node, Role::Label);
            let body = self.structure.add(node, Role::ListBody);
            let height = name.height().max(value.height()).max(style.line_height());
            let mut item = Item::with_space(height + 5.0, if index == 0 { 6.0 } else { 0.0 });
            item.add_text(0.0, 2.0, name, Some(label));
            item.add_text(names, 2.0, value, Some(body));
            item.add_box(0.0, height + 4.5, self.width, 0.5, Colour::GRID);
            let count = details.len();
            let is_kept = count <= SHORT_DETAILS || index == 0 || index + 2 == count;
            item.keeps_with_next = is_kept && index + 1 < count;
            self.push(item)?;
        }
        Ok(())
    }
}

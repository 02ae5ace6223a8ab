//! What stands around every picture's data: ground, title, legend and notes, and the room that is left.

use crate::canvas::Canvas;
use crate::colour::Paint;
use crate::label::{Anchor, Label};
use crate::legend::{self, Entry};
use crate::look::Look;
use crate::picture::Picture;
use crate::shape::Area;
use crate::text::{Weight, clean, wrap};

/// A picture under way: what is drawn already, and the room that is left for the data.
pub(crate) struct Frame<'a> {
    pub(crate) canvas: Canvas,
    pub(crate) picture: &'a Picture,
    pub(crate) sizes: Sizes,
    /// The room that is left.
    pub(crate) room: Area,
    size: (f64, f64),
}

/// The sizes of text in a picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub(crate) title: f64,
    pub(crate) text: f64,
    pub(crate) small: f64,
    pub(crate) margin: f64,
}

impl<'a> Frame<'a> {
    pub(crate) fn open(picture: &'a Picture) -> Self {
        let size = picture.size();
        let sizes = if size.0.min(size.1) < 320.0 {
            Sizes { title: 13.0, text: 10.5, small: 9.5, margin: 10.0 }
        } else {
            Sizes { title: 17.0, text: 12.0, small: 11.0, margin: 18.0 }
        };
        let mut canvas = Canvas::new(picture.theme);
        canvas.rect(Area::new(0.0, 0.0, size.0, size.1), &Look::solid(Paint::Surface), None);
        let margin = sizes.margin;
        let width = size.0 - 2.0 * margin;
        let mut top = margin + sizes.title * 0.8;
        canvas.text(&Label::new(margin, top, &picture.title, sizes.title).bold().within(width));
        if let Some(subtitle) = picture.subtitle.as_deref().filter(|subtitle| !clean(subtitle).is_empty()) {
            top += sizes.text * 1.6;
            canvas.text(&Label::new(margin, top, subtitle, sizes.text).painted(Paint::Muted).within(width));
        }
        top += sizes.text * 0.9;
        let room = Area::new(margin, top, width, size.1 - margin - top);
        let mut frame = Self { canvas, picture, sizes, room, size };
        if let Some(note) = &picture.note {
            frame.note(&clean(note));
        }
        frame
    }

    /// Draws a legend at the top of the room that is left.
    pub(crate) fn legend(&mut self, entries: &[Entry]) {
        let most_rows = ((self.size.1 * 0.2) / (self.sizes.text * 1.6)).floor().max(1.0) as usize;
        let used = legend::draw(self, entries, most_rows);
        self.take_top(used);
    }

    /// Writes a note at the bottom of the room that is left.
    pub(crate) fn note(&mut self, note: &str) {
        if note.is_empty() {
            return;
        }
        let size = self.sizes.small;
        self.room.height = (self.room.height - size * 1.7).max(0.0);
        let baseline = self.room.bottom() + size * 1.4;
        let room = self.room.width;
        self.canvas
            .text(&Label::new(self.room.left, baseline, note, size).painted(Paint::Muted).within(room));
    }

    pub(crate) fn take_top(&mut self, height: f64) {
        let height = height.min(self.room.height);
        self.room.top += height;
        self.room.height -= height;
    }

    /// Closes the picture with a description, unless the caller has said one: what it was made of, a sentence that sums it up,
    /// and what there is to know about it.
    pub(crate) fn close(self, summary: &str) -> String {
        let picture = self.picture;
        let summed_up = || {
            let mut sentences: Vec<String> = Vec::new();
            for text in [picture.subtitle.as_deref(), Some(summary), picture.note.as_deref()] {
                let text = text.map(clean).unwrap_or_default();
                if !text.is_empty() {
                    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
                    sentences.push(format!("{text}{end}"));
                }
            }
            sentences.join(" ")
        };
        let description = picture.description.clone().unwrap_or_else(summed_up);
        self.canvas.document(self.size, picture, &description)
    }

    /// Says that there is nothing to show, and why.
    pub(crate) fn empty(mut self, reason: Option<&str>) -> String {
        let picture = self.picture;
        let reason = reason.map(clean).unwrap_or_default();
        self.canvas.rect(self.room, &Look::solid(Paint::Panel).edged(Paint::Grid, 1.0).rounded(6.0), None);
        let inner = self.room.width - 24.0;
        let line_height = self.sizes.text * 1.5;
        let most = ((self.room.height / line_height) as usize).saturating_sub(2).min(6);
        let lines = wrap(&reason, self.sizes.text, inner, most);
        let lines = if most == 0 { Vec::new() } else { lines };
        let middle = self.room.left + self.room.width / 2.0;
        let mut y = self.room.top + (self.room.height - line_height * lines.len() as f64) / 2.0 + 2.0;
        let heading = self.sizes.title - 1.0;
        self.canvas.text(&Label {
            anchor: Anchor::Middle,
            weight: Weight::Bold,
            room: inner,
            ..Label::new(middle, y, &picture.words.no_data, heading)
        });
        y += line_height * 1.15;
        for line in &lines {
            let label = Label::new(middle, y, &line.shown, self.sizes.text).painted(Paint::Muted);
            self.canvas.text(&label.anchored(Anchor::Middle));
            y += line_height;
        }
        let no_data = clean(&picture.words.no_data);
        let summary = if reason.is_empty() { format!("{no_data}.") } else { format!("{no_data}: {reason}") };
        self.close(&summary)
    }
}

//! Writes SVG: shapes and text with presentation attributes, which every renderer supports.
//!
//! Only the automatic theme has a style block, with the colours for dark mode. The document is self-contained: no scripts, no
//! links, no fonts.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::options::{ChartOptions, Theme};
use crate::svg::colour::Paint;
use crate::svg::label::{Anchor, Label};
use crate::svg::number::format_coordinate;
use crate::svg::shape::{PathData, Rect};
use crate::svg::style::{Fill, Hatch, Marker, Style};
use crate::svg::text::{self, ID_PLACEHOLDER, Weight, escape};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PaintUse {
    Fill,
    Stroke,
}

/// Collects the elements of a chart.
pub(crate) struct Canvas {
    theme: Theme,
    body: String,
    colours: BTreeSet<(PaintUse, Paint)>,
    hatches: BTreeSet<(Paint, Hatch)>,
    /// The colours of the lines over intervals that are not complete.
    partial: BTreeSet<Paint>,
    uses_no_data_pattern: bool,
}

impl Canvas {
    pub(crate) fn new(theme: Theme) -> Self {
        Self {
            theme,
            body: String::new(),
            colours: BTreeSet::new(),
            hatches: BTreeSet::new(),
            partial: BTreeSet::new(),
            uses_no_data_pattern: false,
        }
    }

    fn hex(&self, paint: Paint) -> String {
        let colour = match self.theme {
            Theme::Light | Theme::Auto => paint.light(),
            Theme::Dark => paint.dark(),
        };
        format!("#{colour:06x}")
    }

    /// Writes fill and stroke, and with the automatic theme the classes that switch them to dark colours.
    fn colours(&mut self, fill: Option<Paint>, stroke: Option<Paint>) -> String {
        let mut attributes = String::new();
        let mut classes = Vec::new();
        for (role, paint, name, letter) in
            [(PaintUse::Fill, fill, "fill", 'f'), (PaintUse::Stroke, stroke, "stroke", 's')]
        {
            let Some(paint) = paint else { continue };
            let _ = write!(attributes, " {name}=\"{}\"", self.hex(paint));
            if self.theme == Theme::Auto {
                self.colours.insert((role, paint));
                classes.push(class(letter, paint));
            }
        }
        if !classes.is_empty() {
            let _ = write!(attributes, " class=\"{}\"", classes.join(" "));
        }
        attributes
    }

    fn style_attributes(&mut self, style: &Style) -> String {
        let (solid, other) = match style.fill {
            Fill::None => (None, Some("none".to_owned())),
            Fill::Solid(paint) => (Some(paint), None),
            Fill::Hatched(paint, hatch) => {
                self.hatches.insert((paint, hatch));
                (None, Some(format!("url(#{})", pattern_id(paint, hatch))))
            }
            Fill::NoData => {
                self.uses_no_data_pattern = true;
                (None, Some(format!("url(#{ID_PLACEHOLDER}-absent)")))
            }
            Fill::Partial(paint) => {
                self.partial.insert(paint);
                (None, Some(format!("url(#{})", partial_pattern_id(paint))))
            }
        };
        let mut attributes = other.map(|fill| format!(" fill=\"{fill}\"")).unwrap_or_default();
        attributes.push_str(&self.colours(solid, style.stroke.map(|(paint, _)| paint)));
        if let Some((_, width)) = style.stroke {
            let _ = write!(attributes, " stroke-width=\"{}\"", format_coordinate(width));
        }
        if let Some(dash) = style.dash {
            let _ = write!(attributes, " stroke-dasharray=\"{dash}\"");
        }
        if style.opacity < 1.0 {
            let _ = write!(attributes, " opacity=\"{}\"", format_coordinate(style.opacity));
        }
        attributes
    }

    fn close(&mut self, element: &str, title: Option<&str>) {
        match title.map(escape).filter(|title| !title.is_empty()) {
            Some(title) => {
                let _ = writeln!(self.body, "><title>{title}</title></{element}>");
            }
            None => self.body.push_str("/>\n"),
        }
    }

    pub(crate) fn rect(&mut self, area: Rect, style: &Style, title: Option<&str>) {
        let attributes = self.style_attributes(style);
        let _ = write!(
            self.body,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
            format_coordinate(area.left),
            format_coordinate(area.top),
            format_coordinate(area.width),
            format_coordinate(area.height)
        );
        if style.rounding > 0.0 {
            let _ = write!(
                self.body,
                " rx=\"{}\"",
                format_coordinate(style.rounding.min(area.width / 2.0).min(area.height / 2.0))
            );
        }
        self.body.push_str(&attributes);
        self.close("rect", title);
    }

    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), style: &Style) {
        let attributes = self.style_attributes(&Style { fill: Fill::None, ..*style });
        let _ = write!(
            self.body,
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"",
            format_coordinate(from.0),
            format_coordinate(from.1),
            format_coordinate(to.0),
            format_coordinate(to.1)
        );
        self.body.push_str(&attributes.replacen(" fill=\"none\"", "", 1));
        self.close("line", None);
    }

    /// Draws a path built with [`PathData`].
    pub(crate) fn path(&mut self, path: &PathData, style: &Style, title: Option<&str>) {
        if path.data.is_empty() {
            return;
        }
        let attributes = self.style_attributes(style);
        let _ = write!(self.body, "<path d=\"{}\"{attributes}", path.data);
        if style.stroke.is_some() {
            self.body.push_str(" stroke-linejoin=\"round\"");
        }
        if !matches!(style.fill, Fill::None) {
            self.body.push_str(" fill-rule=\"evenodd\"");
        }
        self.close("path", title);
    }

    /// Draws a marker that reaches about `radius` from its centre to its edge.
    pub(crate) fn marker(
        &mut self,
        at: (f64, f64),
        marker: Marker,
        radius: f64,
        paint: Paint,
        title: Option<&str>,
    ) {
        let (x, y) = at;
        let solid = Style::solid(paint).with_stroke(Paint::Surface, 1.0);
        let mut path = PathData::default();
        match marker {
            Marker::Circle | Marker::Ring => {
                let style = match marker {
                    Marker::Circle => solid,
                    _ => Style::solid(Paint::Surface).with_stroke(paint, 1.8),
                };
                let attributes = self.style_attributes(&style);
                let _ = write!(
                    self.body,
                    "<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{attributes}",
                    format_coordinate(x),
                    format_coordinate(y),
                    format_coordinate(radius)
                );
                return self.close("circle", title);
            }
            Marker::Square => {
                let side = radius * 0.9;
                return self.rect(Rect::new(x - side, y - side, 2.0 * side, 2.0 * side), &solid, title);
            }
            Marker::Triangle => path.ring(&[
                (x, y - radius * 1.2),
                (x + radius * 1.1, y + radius * 0.8),
                (x - radius * 1.1, y + radius * 0.8),
            ]),
            Marker::Wedge => path.ring(&[
                (x, y + radius * 1.2),
                (x + radius * 1.1, y - radius * 0.8),
                (x - radius * 1.1, y - radius * 0.8),
            ]),
            Marker::Diamond => path.ring(&[
                (x, y - radius * 1.3),
                (x + radius * 1.3, y),
                (x, y + radius * 1.3),
                (x - radius * 1.3, y),
            ]),
            Marker::Cross => {
                path.polyline(&[(x - radius, y - radius), (x + radius, y + radius)]);
                path.polyline(&[(x - radius, y + radius), (x + radius, y - radius)]);
                return self.path(&path, &Style::line(paint, 2.0), title);
            }
        }
        self.path(&path, &solid, title);
    }

    /// Writes a line of text and returns its width. Text that is too wide is shortened, with the full text as its title; so is a line
    /// of a longer text.
    pub(crate) fn text(&mut self, label: &Label<'_>) -> f64 {
        let fitted = text::fit(label.text, label.size, label.weight, label.max_width);
        if fitted.text.is_empty() {
            return 0.0;
        }
        let stroke = label.halo;
        let colours = self.colours(Some(label.paint), stroke);
        let _ = write!(
            self.body,
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\"{colours}",
            format_coordinate(label.x),
            format_coordinate(label.y),
            format_coordinate(label.size)
        );
        match label.anchor {
            Anchor::Start => {}
            Anchor::Middle => self.body.push_str(" text-anchor=\"middle\""),
            Anchor::End => self.body.push_str(" text-anchor=\"end\""),
        }
        if label.weight == Weight::Bold {
            self.body.push_str(" font-weight=\"bold\"");
        }
        if stroke.is_some() {
            self.body.push_str(" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"");
        }
        let _ = write!(self.body, ">{}", escape(&fitted.text));
        if let Some(whole) = label.whole.or(fitted.full_text.as_deref()) {
            let _ = write!(self.body, "<title>{}</title>", escape(whole));
        }
        self.body.push_str("</text>\n");
        text::width(&fitted.text, label.size, label.weight)
    }

    fn patterns(&mut self) -> String {
        let mut defs = String::new();
        for (paint, hatch) in self.hatches.clone() {
            let (size, lines) = hatch_tile(hatch);
            let ground = self.colours(Some(paint), None);
            let over = match hatch {
                Hatch::Dots => self.colours(Some(Paint::Surface), None),
                _ => self.colours(None, Some(Paint::Surface)),
            };
            let _ = write!(
                defs,
                "<pattern id=\"{}\" width=\"{size}\" height=\"{size}\" patternUnits=\"userSpaceOnUse\">\
                 <rect width=\"{size}\" height=\"{size}\"{ground}/>",
                pattern_id(paint, hatch)
            );
            match hatch {
                Hatch::Dots => {
                    let _ = write!(
                        defs,
                        "<circle cx=\"2\" cy=\"2\" r=\"1.1\"{over}/><circle cx=\"5\" cy=\"5\" r=\"1.1\"{over}/>"
                    );
                }
                _ => {
                    let _ = write!(defs, "<path d=\"{lines}\" fill=\"none\"{over} stroke-width=\"1.3\"/>");
                }
            }
            defs.push_str("</pattern>\n");
        }
        for paint in self.partial.clone() {
            let over = self.colours(None, Some(paint));
            // Lines in the background's colour must divide the bars beneath them.
            let width = if paint == Paint::Surface { "2.4" } else { "0.8" };
            let _ = writeln!(
                defs,
                "<pattern id=\"{}\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\">\
                 <path d=\"M-1.75 5.25L1.75 8.75M0 0L7 7M5.25 -1.75L8.75 1.75\" fill=\"none\"{over} stroke-width=\"{width}\"/></pattern>",
                partial_pattern_id(paint)
            );
        }
        if self.uses_no_data_pattern {
            let ground = self.colours(Some(Paint::Panel), None);
            let over = self.colours(None, Some(Paint::Axis));
            let _ = writeln!(
                defs,
                "<pattern id=\"{ID_PLACEHOLDER}-absent\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">\
                 <rect width=\"8\" height=\"8\"{ground}/>\
                 <path d=\"M-2 2L2 -2M0 8L8 0M6 10L10 6\" fill=\"none\"{over} stroke-width=\"0.6\"/></pattern>"
            );
        }
        defs
    }

    fn style(&self) -> String {
        let rules: String = self
            .colours
            .iter()
            .map(|&(role, paint)| {
                let (letter, name) = match role {
                    PaintUse::Fill => ('f', "fill"),
                    PaintUse::Stroke => ('s', "stroke"),
                };
                format!("#{ID_PLACEHOLDER} .{}{{{name}:#{:06x}}}", class(letter, paint), paint.dark())
            })
            .collect();
        if rules.is_empty() {
            return String::new();
        }
        format!("<style>@media (prefers-color-scheme:dark){{{rules}}}</style>\n")
    }

    /// Completes the document. The same elements give the same bytes.
    pub(crate) fn document(mut self, size: (f64, f64), options: &ChartOptions, description: &str) -> String {
        let patterns = self.patterns();
        let defs = if patterns.is_empty() { String::new() } else { format!("<defs>\n{patterns}</defs>\n") };
        let (width, height) = (format_coordinate(size.0), format_coordinate(size.1));
        let language = match options.language.as_deref().map(sanitize_id).filter(|tag| !tag.is_empty()) {
            Some(tag) => format!(" xml:lang=\"{tag}\""),
            None => String::new(),
        };
        let written = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"{ID_PLACEHOLDER}\"{language} width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"{ID_PLACEHOLDER}-title {ID_PLACEHOLDER}-desc\" \
             font-family=\"system-ui, 'DejaVu Sans', sans-serif\">\n\
             <title id=\"{ID_PLACEHOLDER}-title\">{}</title>\n<desc id=\"{ID_PLACEHOLDER}-desc\">{}</desc>\n{}{defs}{}</svg>\n",
            escape(&options.title),
            escape(description),
            self.style(),
            self.body
        );
        let id = match options.id.as_deref().map(sanitize_id).filter(|id| !id.is_empty()) {
            Some(id) => format!("chart-{id}"),
            None => format!("chart-{:016x}", hash(&written)),
        };
        written.replace(ID_PLACEHOLDER, &id)
    }
}

fn sanitize_id(id: &str) -> String {
    id.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).take(64).collect()
}

/// FNV-1a, because the standard library's hash may change between versions.
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

fn class(letter: char, paint: Paint) -> String {
    let name = match paint {
        Paint::Surface => "surface".to_owned(),
        Paint::Panel => "panel".to_owned(),
        Paint::Ink => "ink".to_owned(),
        Paint::Muted => "muted".to_owned(),
        Paint::Grid => "grid".to_owned(),
        Paint::Axis => "axis".to_owned(),
        Paint::Series(n) => format!("series{n}"),
        Paint::Danger => "danger".to_owned(),
        Paint::Neutral => "neutral".to_owned(),
        Paint::Step(n) => format!("step{n}"),
        Paint::OnSeries(n) => format!("on-series{n}"),
        Paint::OnDanger => "on-danger".to_owned(),
        Paint::OnNeutral => "on-neutral".to_owned(),
        Paint::OnStep(n) => format!("on-step{n}"),
    };
    format!("{letter}-{name}")
}

fn pattern_id(paint: Paint, hatch: Hatch) -> String {
    let hatch = match hatch {
        Hatch::Rising => "rising",
        Hatch::Dots => "dots",
        Hatch::Falling => "falling",
        Hatch::Level => "level",
        Hatch::Crossed => "crossed",
        Hatch::Upright => "upright",
    };
    format!("{ID_PLACEHOLDER}-{}-{hatch}", class('p', paint))
}

fn partial_pattern_id(paint: Paint) -> String {
    format!("{ID_PLACEHOLDER}-{}-partial", class('p', paint))
}

/// Returns the size of a hatch's tile and the lines in it.
fn hatch_tile(hatch: Hatch) -> (u8, &'static str) {
    match hatch {
        Hatch::Rising => (6, "M-1.5 1.5L1.5 -1.5M0 6L6 0M4.5 7.5L7.5 4.5"),
        Hatch::Falling => (6, "M-1.5 4.5L1.5 7.5M0 0L6 6M4.5 -1.5L7.5 1.5"),
        Hatch::Dots => (6, ""),
        Hatch::Level => (5, "M0 2.5L5 2.5"),
        Hatch::Crossed => (8, "M0 8L8 0M0 0L8 8"),
        Hatch::Upright => (5, "M2.5 0L2.5 5"),
    }
}

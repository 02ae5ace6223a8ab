//! Reads SVG.

use std::str::FromStr;

use roxmltree::Node;

use super::{Anchor, Drawing, Element, Label, Paint, Pattern, Segment, Shape, Stroke};
use crate::limits::Error;
use crate::model::Weight;
use crate::style::Colour;

/// Where the control points of a quarter of a circle are, as a part of its radius.
const ARC: f32 = 0.552_285;

const PAINTED: [&str; 9] = [
    "fill",
    "fill-rule",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "stroke-linejoin",
    "opacity",
    "class",
    "paint-order",
];

impl Drawing {
    pub(crate) fn read(svg: &str) -> Result<Self, Error> {
        read(svg).map_err(Error::Svg)
    }
}

fn read(svg: &str) -> Result<Drawing, String> {
    let document = roxmltree::Document::parse(svg).map_err(|error| error.to_string())?;
    let root = document.root_element();
    let known = ["id", "width", "height", "viewBox", "role", "aria-labelledby", "font-family"];
    check(root, "svg", &known)?;
    let (width, height) = (number(root, "width", None)?, number(root, "height", None)?);
    if width <= 0.0 || height <= 0.0 {
        return Err(format!("its size is {width} by {height}"));
    }
    let mut names = Vec::new();
    let mut drawing = Drawing { width, height, patterns: Vec::new(), elements: Vec::new() };
    for definitions in root.children().filter(|node| node.has_tag_name("defs")) {
        for pattern in definitions.children().filter(Node::is_element) {
            names.push(pattern.attribute("id").unwrap_or_default().to_owned());
            drawing.patterns.push(read_pattern(pattern)?);
        }
    }
    for node in root.children().filter(Node::is_element) {
        match node.tag_name().name() {
            // The style block is for dark pages.
            "title" | "desc" | "style" | "defs" => {}
            "text" => drawing.elements.extend(read_label(node)?.map(Element::Label)),
            _ => drawing.elements.push(Element::Shape(read_shape(node, &names)?)),
        }
    }
    Ok(drawing)
}

/// Refuses another element, and attributes that would not be obeyed.
fn check(node: Node<'_, '_>, name: &str, known: &[&str]) -> Result<(), String> {
    let found = node.tag_name().name();
    if found != name {
        return Err(format!("<{found}> is not known here"));
    }
    let mut attributes = node.attributes().filter(|attribute| attribute.namespace().is_none());
    match attributes.find(|attribute| !known.contains(&attribute.name())) {
        Some(unknown) => Err(format!("the attribute {} of <{found}> is not known", unknown.name())),
        None => Ok(()),
    }
}

fn read_pattern(node: Node<'_, '_>) -> Result<Pattern, String> {
    check(node, "pattern", &["id", "width", "height", "patternUnits"])?;
    let shapes = node.children().filter(Node::is_element).map(|shape| read_shape(shape, &[]));
    Ok(Pattern {
        width: number(node, "width", None)?,
        height: number(node, "height", None)?,
        shapes: shapes.collect::<Result<_, _>>()?,
    })
}

fn read_shape(node: Node<'_, '_>, patterns: &[String]) -> Result<Shape, String> {
    let name = node.tag_name().name();
    let own: &[&str] = match name {
        "rect" => &["x", "y", "width", "height", "rx"],
        "line" => &["x1", "y1", "x2", "y2"],
        "circle" => &["cx", "cy", "r"],
        "path" => &["d"],
        _ => return Err(format!("<{name}> is not known")),
    };
    let known: Vec<&str> = own.iter().chain(&PAINTED).copied().collect();
    check(node, name, &known)?;
    let value = |name: &str| number(node, name, Some(0.0));
    let outline = match name {
        "rect" => rectangle(value("x")?, value("y")?, value("width")?, value("height")?, value("rx")?),
        "line" => {
            vec![Segment::Move(value("x1")?, value("y1")?), Segment::Line(value("x2")?, value("y2")?)]
        }
        "circle" => circle(value("cx")?, value("cy")?, value("r")?),
        _ => path(node.attribute("d").unwrap_or_default())?,
    };
    Ok(Shape {
        outline,
        fill: if name == "line" { None } else { fill(node, patterns)? },
        is_even_odd: node.attribute("fill-rule") == Some("evenodd"),
        stroke: stroke(node)?,
        opacity: number(node, "opacity", Some(1.0))?.clamp(0.0, 1.0),
    })
}

fn read_label(node: Node<'_, '_>) -> Result<Option<Label>, String> {
    let own = ["x", "y", "font-size", "font-weight", "text-anchor"];
    let known: Vec<&str> = own.iter().chain(&PAINTED).copied().collect();
    check(node, "text", &known)?;
    // A title inside is the whole text of a shortened label.
    let text: String = node.children().filter(Node::is_text).filter_map(|part| part.text()).collect();
    if text.trim().is_empty() {
        return Ok(None);
    }
    let colour = match fill(node, &[])? {
        Some(Paint::Solid(colour)) => colour,
        _ => return Err(format!("the text {text:?} has no colour")),
    };
    Ok(Some(Label {
        x: number(node, "x", None)?,
        y: number(node, "y", None)?,
        text,
        size: number(node, "font-size", None)?,
        weight: match node.attribute("font-weight") {
            None => Weight::Regular,
            Some("bold") => Weight::Bold,
            Some(other) => return Err(format!("the font weight {other} is not known")),
        },
        anchor: match node.attribute("text-anchor") {
            None => Anchor::Start,
            Some("middle") => Anchor::Middle,
            Some("end") => Anchor::End,
            Some(other) => return Err(format!("the anchor {other} is not known")),
        },
        colour,
        halo: stroke(node)?,
    }))
}

fn number(node: Node<'_, '_>, name: &str, default: Option<f32>) -> Result<f32, String> {
    match (node.attribute(name), default) {
        (Some(text), _) => parse(text),
        (None, Some(default)) => Ok(default),
        (None, None) => Err(format!("<{}> has no {name}", node.tag_name().name())),
    }
}

fn parse(text: &str) -> Result<f32, String> {
    let number = f32::from_str(text.trim()).ok().filter(|number| number.is_finite());
    number.ok_or_else(|| format!("{text:?} is not a number"))
}

fn fill(node: Node<'_, '_>, patterns: &[String]) -> Result<Option<Paint>, String> {
    match node.attribute("fill") {
        None => Ok(Some(Paint::Solid(Colour(0)))),
        Some("none") => Ok(None),
        Some(text) => match text.strip_prefix("url(#").and_then(|rest| rest.strip_suffix(')')) {
            None => Ok(Some(Paint::Solid(colour(text)?))),
            Some(name) => match patterns.iter().position(|pattern| pattern == name) {
                Some(index) => Ok(Some(Paint::Pattern(index))),
                None => Err(format!("the pattern {name} is missing")),
            },
        },
    }
}

fn stroke(node: Node<'_, '_>) -> Result<Option<Stroke>, String> {
    let Some(text) = node.attribute("stroke").filter(|text| *text != "none") else { return Ok(None) };
    let dash = node.attribute("stroke-dasharray").unwrap_or_default();
    let dash: Vec<f32> = numbers(dash)?;
    Ok(Some(Stroke {
        colour: colour(text)?,
        width: number(node, "stroke-width", Some(1.0))?,
        has_round_joins: node.attribute("stroke-linejoin") == Some("round"),
        dash,
    }))
}

fn colour(text: &str) -> Result<Colour, String> {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
    let value = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    value.map(Colour).ok_or_else(|| format!("the colour {text:?} is not known"))
}

fn numbers(text: &str) -> Result<Vec<f32>, String> {
    text.split([' ', ',']).filter(|part| !part.is_empty()).map(parse).collect()
}

/// Reads a path of straight lines: `M`, `L` and `Z` with absolute positions.
fn path(data: &str) -> Result<Vec<Segment>, String> {
    let mut outline = Vec::new();
    let starts = data.char_indices().filter(|(_, c)| c.is_ascii_alphabetic()).map(|(at, _)| at);
    let starts: Vec<usize> = starts.chain([data.len()]).collect();
    for (start, end) in starts.iter().zip(starts.iter().skip(1)) {
        let command = &data[*start..*start + 1];
        let positions = numbers(&data[start + 1..*end])?;
        if !positions.len().is_multiple_of(2) {
            return Err(format!("the path {data:?} is incomplete"));
        }
        let points = positions.chunks_exact(2).map(|pair| (pair[0], pair[1]));
        match command {
            "M" => outline.extend(points.map(|(x, y)| Segment::Move(x, y))),
            "L" => outline.extend(points.map(|(x, y)| Segment::Line(x, y))),
            "Z" => outline.push(Segment::Close),
            other => return Err(format!("the path command {other} is not known")),
        }
    }
    Ok(outline)
}

fn rectangle(x: f32, y: f32, width: f32, height: f32, radius: f32) -> Vec<Segment> {
    let (right, bottom) = (x + width, y + height);
    let radius = radius.min(width / 2.0).min(height / 2.0);
    if radius <= 0.0 {
        let corners = [Segment::Line(right, y), Segment::Line(right, bottom), Segment::Line(x, bottom)];
        return [Segment::Move(x, y)].into_iter().chain(corners).chain([Segment::Close]).collect();
    }
    let near = radius * (1.0 - ARC);
    vec![
        Segment::Move(x + radius, y),
        Segment::Line(right - radius, y),
        Segment::Curve([right - near, y, right, y + near, right, y + radius]),
        Segment::Line(right, bottom - radius),
        Segment::Curve([right, bottom - near, right - near, bottom, right - radius, bottom]),
        Segment::Line(x + radius, bottom),
        Segment::Curve([x + near, bottom, x, bottom - near, x, bottom - radius]),
        Segment::Line(x, y + radius),
        Segment::Curve([x, y + near, x + near, y, x + radius, y]),
        Segment::Close,
    ]
}

fn circle(x: f32, y: f32, radius: f32) -> Vec<Segment> {
    rectangle(x - radius, y - radius, 2.0 * radius, 2.0 * radius, radius)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(body: &str) -> String {
        format!("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"10\" height=\"10\">{body}</svg>")
    }

    fn refusal(body: &str) -> String {
        read(&svg(body)).unwrap_err()
    }

    #[test]
    fn paths_are_read() {
        let expected = [Segment::Move(-1.5, 2.0), Segment::Line(3.0, 4.25), Segment::Close];
        assert_eq!(path("M-1.5 2L3 4.25Z").unwrap(), expected);
        assert!(path("M1 2 3").is_err() && path("M1 2C1 2 3 4 5 6").is_err() && path("Mx 2").is_err());
    }

    #[test]
    fn what_would_not_be_drawn_is_refused_by_name() {
        assert!(refusal("<g/>").contains("<g>"));
        assert!(refusal("<rect transform=\"scale(2)\"/>").contains("transform"));
        assert!(refusal("<rect fill=\"red\"/>").contains("red"));
        assert!(refusal("<rect fill=\"url(#x)\"/>").contains('x'));
        assert!(refusal("<text x=\"1\" y=\"NaN\" font-size=\"3\" fill=\"#000000\">a</text>").contains("NaN"));
        assert!(read("<svg").is_err() && read("<html/>").is_err());
    }

    #[test]
    fn a_shortened_label_is_read_without_its_whole_text() {
        let body = "<text x=\"1\" y=\"2\" font-size=\"3\" fill=\"#000000\">Nor…<title>North</title></text>";
        let drawing = read(&svg(body)).unwrap();
        assert!(matches!(&drawing.elements[..], [Element::Label(label)] if label.text == "Nor…"));
    }
}

//! Parses a chart like a browser and checks the rules that all charts follow.

use roxmltree::{Document, Node};

use crate::MIN_READABLE_SIDE;
use crate::svg::text::{Weight, width};

/// A line of text with its bounding box.
pub struct Text {
    pub text: String,
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
    /// Whether it is on top of a shape or has a halo.
    pub over: bool,
}

fn number(node: Node<'_, '_>, name: &str) -> f64 {
    let text = node.attribute(name).unwrap_or("0");
    let value: f64 = text.parse().unwrap_or_else(|_| panic!("{name}={text:?} is no number"));
    assert!(value.is_finite());
    value
}

/// Whether this is one of the two colours of text on coloured shapes.
fn is_on_shape(colour: &str) -> bool {
    ["#10161d", "#ffffff"].contains(&colour)
}

/// Returns all texts of a chart with their positions.
pub fn texts(document: &Document<'_>) -> Vec<Text> {
    document
        .descendants()
        .filter(|node| node.has_tag_name("text"))
        .map(|node| {
            let text: String = node.children().filter(Node::is_text).filter_map(|node| node.text()).collect();
            let (x, y, size) = (number(node, "x"), number(node, "y"), number(node, "font-size"));
            let weight = if node.has_attribute("font-weight") { Weight::Bold } else { Weight::Regular };
            let wide = width(&text, size, weight);
            let left = match node.attribute("text-anchor") {
                Some("middle") => x - wide / 2.0,
                Some("end") => x - wide,
                _ => x,
            };
            let over = node.has_attribute("stroke") || node.attribute("fill").is_some_and(is_on_shape);
            Text { text, left, right: left + wide, top: y - size * 0.75, bottom: y + size * 0.2, over }
        })
        .collect()
}

/// Fails unless a chart is well-formed, titled and self-contained, with its text inside and its labels apart.
pub fn check(svg: &str) {
    let document = Document::parse(svg).unwrap_or_else(|error| panic!("{error}\n{svg}"));
    let root = document.root_element();
    assert!(root.has_tag_name(("http://www.w3.org/2000/svg", "svg")));
    assert_eq!(root.attribute("role"), Some("img"));
    let (width_px, height_px) = (number(root, "width"), number(root, "height"));
    assert!((200.0..=4000.0).contains(&width_px) && (200.0..=4000.0).contains(&height_px));
    let child = |name: &str| root.children().find(|node| node.has_tag_name(name));
    assert!(child("title").is_some());
    let description = child("desc").and_then(|node| node.text()).unwrap_or_default();
    assert!(!description.is_empty(), "no description");

    let id = root.attribute("id").unwrap();
    let ids: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    assert!(ids.iter().all(|found| found.starts_with(id)));
    for node in document.descendants().filter(Node::is_element) {
        let name = node.tag_name().name();
        let known =
            ["svg", "title", "desc", "style", "defs", "pattern", "rect", "line", "path", "circle", "text"];
        assert!(known.contains(&name), "<{name}>");
        for attribute in node.attributes() {
            let (key, value) = (attribute.name(), attribute.value());
            assert!(!key.starts_with("on") && key != "href" && key != "style", "{key}");
            if let Some(target) = value.strip_prefix("url(#").and_then(|rest| rest.strip_suffix(')')) {
                assert!(ids.contains(&target), "{value}");
            } else {
                assert!(!value.contains("url("), "{value}");
            }
            if ["x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "rx", "stroke-width", "opacity"]
                .contains(&key)
            {
                number(node, key);
            }
            if ["width", "height", "r", "rx"].contains(&key) {
                assert!(number(node, key) >= 0.0, "{key}={value}");
            }
            if key == "d" {
                assert!(value.chars().all(|c| c.is_ascii_digit() || "MLZ .-".contains(c)), "{value}");
            }
        }
    }
    for node in document.descendants().filter(|node| node.has_tag_name("text")) {
        let size = number(node, "font-size");
        let is_small = width_px.min(height_px) < f64::from(MIN_READABLE_SIDE);
        assert!(size >= 12.0 || is_small, "{size} px in {width_px} by {height_px}");
    }
    let texts = texts(&document);
    for text in &texts {
        let inside = text.left >= -0.5
            && text.right <= width_px + 0.5
            && text.top >= -0.5
            && text.bottom <= height_px + 0.5;
        assert!(
            inside,
            "{:?} at {}..{} by {}..{} of {width_px} by {height_px}",
            text.text, text.left, text.right, text.top, text.bottom
        );
    }
    let alone: Vec<&Text> = texts.iter().filter(|text| !text.over).collect();
    for (index, one) in alone.iter().enumerate() {
        for other in &alone[..index] {
            let apart = one.left >= other.right - 0.1
                || other.left >= one.right - 0.1
                || one.top >= other.bottom
                || other.top >= one.bottom;
            assert!(apart, "{:?} and {:?} overlap in {width_px} by {height_px}\n{svg}", one.text, other.text);
        }
    }
}

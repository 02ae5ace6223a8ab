//! Charts as PNG.

use ::charts::Theme;

use super::SVG;
use super::charts::all_kinds;
use crate::{Error, Picture, draw_png};

/// A decoded picture.
struct Pixels {
    width: usize,
    height: usize,
    rgba: Vec<u8>,
}

impl Pixels {
    fn drawn(svg: &str, scale: f32) -> Self {
        let picture = Picture::from_png(&draw_png(svg, scale).unwrap()).unwrap();
        let (width, height) = picture.size();
        Self { width: width as usize, height: height as usize, rgba: picture.rgba() }
    }

    fn at(&self, x: usize, y: usize) -> [u8; 4] {
        let start = (y * self.width + x) * 4;
        [self.rgba[start], self.rgba[start + 1], self.rgba[start + 2], self.rgba[start + 3]]
    }

    /// The share of pixels in a rectangle that are darker than half.
    fn ink(&self, (left, top): (usize, usize), (right, bottom): (usize, usize)) -> f64 {
        let places = (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y)));
        let dark = places.filter(|(x, y)| self.at(*x, *y)[..3].iter().all(|channel| *channel < 128)).count();
        dark as f64 / ((right - left) * (bottom - top)) as f64
    }
}

fn svg(body: &str) -> String {
    format!("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100\" height=\"50\">{body}</svg>")
}

const WHITE: [u8; 4] = [255; 4];
const RED: [u8; 4] = [255, 0, 0, 255];

#[test]
fn a_bar_has_its_colour_and_its_place() {
    let bar = svg("<rect x=\"20\" y=\"10\" width=\"60\" height=\"30\" fill=\"#ff0000\"/>");
    for scale in [1, 2, 3] {
        let drawn = Pixels::drawn(&bar, scale as f32);
        assert_eq!((drawn.width, drawn.height), (100 * scale, 50 * scale));
        assert_eq!(drawn.at(50 * scale, 25 * scale), RED);
        assert_eq!(drawn.at(20 * scale, 10 * scale), RED);
        assert_eq!(drawn.at(20 * scale - 1, 25 * scale), WHITE);
        assert_eq!(drawn.at(80 * scale, 25 * scale), WHITE);
        assert_eq!(drawn.at(0, 0), WHITE);
    }
}

#[test]
fn what_is_half_transparent_is_mixed_with_white() {
    let body = "<rect width=\"100\" height=\"50\" fill=\"#ff0000\" opacity=\"0.5\"/>";
    let drawn = Pixels::drawn(&svg(body), 1.0);
    let [red, green, blue, alpha] = drawn.at(50, 25);
    assert_eq!((red, alpha), (255, 255));
    assert!(green.abs_diff(127) <= 2 && blue == green, "{green} {blue}");
}

#[test]
fn a_ring_has_a_hole() {
    let ring = svg(
        "<path d=\"M10 5L90 5L90 45L10 45ZM40 20L60 20L60 30L40 30Z\" fill=\"#ff0000\" fill-rule=\"evenodd\"/>",
    );
    let drawn = Pixels::drawn(&ring, 1.0);
    assert_eq!((drawn.at(20, 25), drawn.at(50, 25)), (RED, WHITE));
}

#[test]
fn a_dashed_line_has_gaps() {
    let line = |dash: &str| {
        let body = "<line x1=\"0\" y1=\"25\" x2=\"100\" y2=\"25\" stroke=\"#000000\" stroke-width=\"4\"";
        Pixels::drawn(&svg(&format!("{body} stroke-dasharray=\"{dash}\"/>")), 1.0).ink((0, 24), (100, 26))
    };
    assert!(line("10 10") > 0.4 && line("10 10") < 0.6, "{}", line("10 10"));
    // One length is that of dashes and of gaps; zeros are no dashes at all.
    assert_eq!(line("10"), line("10 10"));
    assert!(line("0 0") > 0.99 && line("") > 0.99);
}

#[test]
fn a_pattern_fills_its_shape_with_tiles() {
    let pattern = "<defs><pattern id=\"p\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">\
        <rect width=\"4\" height=\"8\" fill=\"#ff0000\"/></pattern></defs>\
        <rect x=\"8\" y=\"8\" width=\"80\" height=\"32\" fill=\"url(#p)\"/>";
    let drawn = Pixels::drawn(&svg(pattern), 2.0);
    for tile in 1..11 {
        assert_eq!(drawn.at(tile * 16 + 3, 50), RED, "tile {tile}");
        assert_eq!(drawn.at(tile * 16 + 12, 50), WHITE, "tile {tile}");
    }
    assert_eq!(drawn.at(3, 50), WHITE);
}

#[test]
fn text_leaves_ink_where_its_anchor_says() {
    let text = |anchor: &str, more: &str| {
        let body =
            format!("<text x=\"50\" y=\"30\" font-size=\"12\" fill=\"#000000\" {anchor}{more}>MMMM</text>");
        Pixels::drawn(&svg(&body), 2.0)
    };
    let (left, right) = (((0, 30), (98, 70)), ((102, 30), (200, 70)));
    let ink = |drawn: &Pixels, (from, to)| drawn.ink(from, to);
    let (start, end) = (text("", ""), text("text-anchor=\"end\"", ""));
    assert!(ink(&start, right) > 0.05 && ink(&start, left) == 0.0);
    assert!(ink(&end, left) > 0.05 && ink(&end, right) == 0.0);
    let middle = text("text-anchor=\"middle\"", "");
    let sides = (ink(&middle, left), ink(&middle, right));
    assert!(sides.0 > 0.02 && (sides.0 - sides.1).abs() < 0.02, "{sides:?}");
    // Above the baseline, and nothing below it.
    assert_eq!(start.ink((0, 62), (200, 100)), 0.0);
    let bold = text("", " font-weight=\"bold\"");
    assert!(ink(&bold, right) > 1.2 * ink(&start, right));
}

#[test]
fn a_halo_is_behind_its_letters() {
    let body = "<rect width=\"100\" height=\"50\" fill=\"#000000\"/><text x=\"10\" y=\"30\" font-size=\"20\" \
        fill=\"#ff0000\" stroke=\"#ffffff\" stroke-width=\"6\" paint-order=\"stroke\">I</text>";
    let drawn = Pixels::drawn(&svg(body), 2.0);
    let colours: Vec<[u8; 4]> = (0..200).map(|x| drawn.at(x, 50)).collect();
    let first = |colour: [u8; 4]| colours.iter().position(|found| *found == colour);
    let (halo, letter) = (first(WHITE).unwrap(), first(RED).unwrap());
    assert!(halo < letter, "{halo} {letter}");
}

#[test]
fn every_kind_of_chart_becomes_a_small_picture() {
    for (theme, charts) in [Theme::Light, Theme::Dark].map(|theme| (theme, all_kinds(theme))) {
        for svg in charts {
            let bytes = draw_png(&svg, 1.5).unwrap();
            let title = svg.split("</title>").next().and_then(|start| start.rsplit('>').next()).unwrap();
            assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"), "{title}");
            assert!(bytes.len() < 200_000, "{theme:?} {title}: {} bytes", bytes.len());
            let picture = Picture::from_png(&bytes).unwrap();
            let inked = picture.rgba().chunks_exact(4).filter(|pixel| **pixel != WHITE).count();
            assert!(inked > 1_000, "{theme:?} {title}: {inked} pixels");
        }
    }
}

#[test]
fn the_same_chart_gives_the_same_bytes() {
    for svg in all_kinds(Theme::Light) {
        assert_eq!(draw_png(&svg, 2.0).unwrap(), draw_png(&svg, 2.0).unwrap());
    }
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    for scale in [0.0, -1.0, f32::NAN, f32::INFINITY, 50.0] {
        let refused = draw_png(SVG, scale);
        assert!(matches!(refused, Err(Error::Svg(_))), "{scale}: {refused:?}");
    }
    assert!(matches!(draw_png("<html/>", 1.0), Err(Error::Svg(_))));
}

//! A chart as an image, drawn at the width at which it is shown.

use app::MIN_READABLE_CHART_SIDE;
use askama::Template;
use askama::filters::HtmlSafe;

use crate::address::Address;
use crate::frame::Frame;

/// The place of a chart in the grid of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// All twelve columns.
    Full,
    /// Eight of twelve columns.
    Wide,
    Half,
    Third,
}

impl Slot {
    /// From which width of the window on, how wide the chart is drawn: never wider than it is shown, so that its text is never smaller
    /// than it was drawn; between two steps it is shown larger. Below 1101 px every panel has the full width.
    const fn ladder(self) -> [(u32, u32); 7] {
        let [wall, wide, laptop, small] = match self {
            Self::Full => [1650, 1190, 1030, 850],
            Self::Wide => [1080, 780, 670, 550],
            Self::Half => [795, 575, 495, 405],
            Self::Third => [510, 365, 310, 250],
        };
        [(1900, wall), (1440, wide), (1280, laptop), (1101, small), (900, 650), (721, 470), (0, 310)]
    }
}

/// A chart as an image. The numbers stand beneath it in a table, which the page writes.
#[derive(Template)]
#[template(path = "parts/chart_image.html")]
pub struct ChartImage {
    /// From the widest window to the narrowest.
    sources: Vec<Source>,
    smallest: Source,
    height: u32,
    alt: String,
    /// Whether it is loaded only when a reader comes near it.
    is_lazy: bool,
}

struct Source {
    min_window: u32,
    width: u32,
    src: String,
}

impl ChartImage {
    /// The chart of a kind such as `trends`, with the pickers of the page and further parameters; the height is in pixels.
    pub fn new(
        frame: &Frame,
        kind: &'static str,
        pairs: &[(&str, &str)],
        slot: Slot,
        height: u32,
        alt: impl Into<String>,
    ) -> Self {
        let address = Address::new(&frame.link_with(&format!("/charts/{kind}"), pairs));
        Self::at(&address, slot, height, alt)
    }

    /// The chart at an address of its own, with its parameters. It is never so small that its text is smaller than that of pages.
    pub fn at(address: &Address, slot: Slot, height: u32, alt: impl Into<String>) -> Self {
        let height = height.max(MIN_READABLE_CHART_SIDE);
        let drawn = height.to_string();
        let source = |(min_window, width): (u32, u32)| {
            let src =
                address.clone().and("theme", "auto").and("width", &width.to_string()).and("height", &drawn);
            Source { min_window, width, src: src.to_string() }
        };
        let [sources @ .., smallest] = slot.ladder();
        Self {
            sources: sources.map(source).into(),
            smallest: source(smallest),
            height,
            alt: alt.into(),
            is_lazy: true,
        }
    }

    /// The same for a chart that is seen at once, where waiting for the layout would only delay it.
    pub const fn seen_first(mut self) -> Self {
        self.is_lazy = false;
        self
    }
}

impl HtmlSafe for ChartImage {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_chart_is_too_small_for_text_that_can_be_read() {
        for slot in [Slot::Full, Slot::Wide, Slot::Half, Slot::Third] {
            assert!(slot.ladder().iter().all(|(_, width)| *width >= MIN_READABLE_CHART_SIDE), "{slot:?}");
            let chart = ChartImage::at(&Address::new("/charts/trends"), slot, 200, "");
            assert_eq!(chart.height, MIN_READABLE_CHART_SIDE);
            assert!(chart.smallest.src.ends_with(&format!("&height={MIN_READABLE_CHART_SIDE}")));
        }
    }
}

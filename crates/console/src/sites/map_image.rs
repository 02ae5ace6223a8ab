//! The map of a worksite as images, one for each width of the window.

/// A map that the server draws. `sites/map_image.html` shows it as the field `map` of a page.
pub struct MapImage {
    pub sources: Vec<MapSource>,
    /// The smallest, for windows that fit none of the sources.
    pub smallest: String,
    pub alt: String,
}

pub struct MapSource {
    pub media: String,
    pub src: String,
    pub width: u32,
}

/// The height of a map, in pixels.
pub const HEIGHT: u32 = 420;
/// The smallest width at which a map is drawn, in pixels.
pub const SMALLEST: u32 = 310;
/// Minimum width of the window, and the width of a half panel there, in pixels.
const WIDTHS: [(u32, u32); 6] =
    [(1_900, 795), (1_440, 575), (1_280, 495), (1_101, 405), (900, 650), (721, 470)];

impl MapImage {
    /// The map of a worksite with the machines that are there now.
    pub fn of_site(id: i64, alt: String) -> Self {
        let src = |width: u32| {
            format!("/charts/site-map/{id}?machines=true&theme=auto&width={width}&height={HEIGHT}")
        };
        let source = |(window, width): (u32, u32)| MapSource {
            media: format!("(min-width: {window}px)"),
            src: src(width),
            width,
        };
        Self { sources: WIDTHS.map(source).into_iter().collect(), smallest: src(SMALLEST), alt }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_of_a_window_has_a_source() {
        let map = MapImage::of_site(7, String::new());
        assert_eq!(map.sources.len(), WIDTHS.len());
        assert!(
            map.sources[0].src.starts_with("/charts/site-map/7?") && map.sources[0].src.contains("width=795")
        );
        assert!(map.sources.iter().all(|source| source.width > SMALLEST));
    }
}

//! The libraries that draw maps in the browser: Leaflet, and Terra Draw for drawing on them.
//!
//! `tools/ensure-map-libraries` fetches them from npm before the build. Without the feature `maps`, pages show the maps that the server
//! draws, and boundaries are entered as GeoJSON.

/// Whether the libraries are part of this build.
pub const EMBEDDED: bool = cfg!(feature = "maps");

/// The files by the names under which pages ask for them.
#[cfg(feature = "maps")]
pub const FILES: &[(&str, &[u8])] = &[
    ("leaflet.js", include_bytes!("../assets/vendor/leaflet.js")),
    ("leaflet.css", include_bytes!("../assets/vendor/leaflet.css")),
    ("terra-draw.js", include_bytes!("../assets/vendor/terra-draw.js")),
    ("terra-draw-leaflet-adapter.js", include_bytes!("../assets/vendor/terra-draw-leaflet-adapter.js")),
];
#[cfg(not(feature = "maps"))]
pub const FILES: &[(&str, &[u8])] = &[];

//! A wrapper that keeps secrets out of debug output.

use std::fmt;

use serde::Deserialize;

/// A text that `Debug` does not print.
#[derive(Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

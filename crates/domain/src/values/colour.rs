//! Display colours.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::{Invalid, crc32};

/// A display colour `#rrggbb`, stored in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colour(String);

/// Colours that can be distinguished, also by people who confuse red and green, on light and on dark ground.
const PALETTE: [&str; 12] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#7b4173", "#637939",
    "#d6616b", "#5254a3", "#17a2a2",
];

impl Colour {
    /// Chooses the colour of something that was given none: always the same for the same name.
    pub fn from_palette(name: &str) -> Self {
        let place = crc32(name.as_bytes()) as usize % PALETTE.len();
        Self(PALETTE[place].to_owned())
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let is_colour = text
            .strip_prefix('#')
            .is_some_and(|digits| digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        if !is_colour {
            return Err(Invalid::new("invalid_colour", "must be a colour such as #ff8800"));
        }
        Ok(Self(text.to_ascii_lowercase()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Colour {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_palette_gives_the_same_colour_for_the_same_name() {
        assert_eq!(Colour::from_palette("North bridge"), Colour::from_palette("North bridge"));
        for colour in PALETTE {
            assert_eq!(Colour::parse(colour).unwrap().as_str(), colour);
        }
        let given = (0..100).map(|number| Colour::from_palette(&format!("Site {number}")).0);
        assert_eq!(given.collect::<std::collections::HashSet<_>>().len(), PALETTE.len());
    }

    #[test]
    fn colours_are_six_digits() {
        assert_eq!(Colour::parse("#FF88aa").unwrap().as_str(), "#ff88aa");
        for bad in ["", "#", "ff8800", "#ff880", "#ff88000", "#gg8800", "#ff88é", "red"] {
            assert_eq!(Colour::parse(bad).unwrap_err().code, "invalid_colour", "{bad:?} was taken");
        }
    }
}

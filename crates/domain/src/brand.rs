//! What a brand can set for itself.

use serde::Serialize;

use crate::Invalid;

/// How a brand writes dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum DateFormat {
    /// As most of the world does.
    #[serde(rename = "DD/MM/YYYY")]
    DayFirst,
    /// As the United States do.
    #[serde(rename = "MM/DD/YYYY")]
    MonthFirst,
}

impl DateFormat {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::DayFirst, Self::MonthFirst];

    /// The word for it, in tables and answers alike.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DayFirst => "DD/MM/YYYY",
            Self::MonthFirst => "MM/DD/YYYY",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|format| format.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_date_format", "must be DD/MM/YYYY or MM/DD/YYYY"))
    }
}

/// A language and perhaps a region, such as `en` or `de-AT` (BCP 47: two or three letters, then a region).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locale(String);

impl Locale {
    /// Reads a language tag, in any case.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let (language, region) = match text.split_once('-') {
            Some((language, region)) => (language, Some(region)),
            None => (text, None),
        };
        let is_language =
            (2..=3).contains(&language.len()) && language.bytes().all(|b| b.is_ascii_alphabetic());
        let is_region = |region: &str| region.len() == 2 && region.bytes().all(|b| b.is_ascii_alphabetic());
        if !is_language || !region.is_none_or(is_region) {
            return Err(Invalid::new(
                "invalid_locale",
                "must be a language such as en, or with a region de-AT",
            ));
        }
        let language = language.to_ascii_lowercase();
        Ok(Self(match region {
            Some(region) => format!("{language}-{}", region.to_ascii_uppercase()),
            None => language,
        }))
    }

    /// The tag.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locales_are_languages_with_or_without_a_region() {
        assert_eq!(Locale::parse("DE-at").unwrap().as_str(), "de-AT");
        assert_eq!(Locale::parse("en").unwrap().as_str(), "en");
        for bad in ["", "e", "english", "en_GB", "en-", "en-G8", "en-GBR", "é"] {
            assert!(Locale::parse(bad).is_err(), "{bad:?} was taken");
        }
    }
}

//! The languages that have texts.

/// A language in which people read reports, mails and charts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    English,
    German,
}

impl Language {
    pub const ALL: [Self; 2] = [Self::English, Self::German];

    /// Returns the value stored in tables and sent in API responses, which is also a BCP 47 tag.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
        }
    }

    /// Parses a language that has texts.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.as_str() == text)
    }

    /// Returns the language of a BCP 47 tag such as `de-AT`; English for all that have no texts.
    pub fn of_tag(tag: &str) -> Self {
        let language = tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
        Self::parse(&language).unwrap_or(Self::English)
    }

    /// Makes a label fit inside a sentence or behind a colon: German nouns keep their capital.
    pub fn inside_sentence(self, label: &str) -> String {
        let mut text = label.to_owned();
        if let (Self::English, Some(first)) = (self, text.get_mut(..1)) {
            first.make_ascii_lowercase();
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_has_the_language_of_its_first_part() {
        for (tag, language) in [
            ("de", Language::German),
            ("de-AT", Language::German),
            ("DE-ch-1996", Language::German),
            ("en-GB", Language::English),
            ("sv", Language::English),
            ("den", Language::English),
            ("", Language::English),
        ] {
            assert_eq!(Language::of_tag(tag), language, "{tag}");
        }
        for language in Language::ALL {
            assert_eq!(Language::parse(language.as_str()), Some(language));
        }
    }

    #[test]
    fn nouns_keep_their_capital_in_german() {
        assert_eq!(Language::English.inside_sentence("Time in zones"), "time in zones");
        assert_eq!(Language::German.inside_sentence("Zeit in Zonen"), "Zeit in Zonen");
        assert_eq!(Language::English.inside_sentence("Ölweg"), "Ölweg");
        assert_eq!(Language::English.inside_sentence(""), "");
    }
}

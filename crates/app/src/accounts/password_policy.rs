//! The password policy.

use domain::Invalid;

use crate::accounts::password_guesses;

/// The password policy: a minimum length and not easy to guess. There are no rules about kinds of characters.
pub struct PasswordPolicy;

impl PasswordPolicy {
    pub const MIN_CHARS: usize = 12;
    pub const MAX_CHARS: usize = 256;
    /// Minimum number of characters beside words that anyone may know.
    const MIN_UNGUESSABLE_CHARS: usize = 8;
    /// A password that is found with as many guesses is easy to guess. It is the bound of zxcvbn, which adds a few to a million.
    const MAX_EASY_GUESSES: u64 = 1_000_004;

    /// Refuses a password that is too short, too long or easy to guess. `guessable` is what an attacker would try first, as a whole and
    /// word by word: the email address, the name, the brand. The service's own name is always included.
    pub fn check(password: &str, guessable: &[&str]) -> Result<(), Invalid> {
        let length = password.chars().count();
        if length < Self::MIN_CHARS {
            let min = Self::MIN_CHARS;
            return Err(Invalid::new("password_too_short", format!("must have at least {min} characters")));
        }
        if length > Self::MAX_CHARS {
            let max = Self::MAX_CHARS;
            return Err(Invalid::new("password_too_long", format!("must have at most {max} characters")));
        }
        let words = guessable.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
        let mut guessable: Vec<&str> = guessable
            .iter()
            .copied()
            .chain(words)
            .filter(|word| word.len() > 2)
            .chain(["keepclear"])
            .collect();
        guessable.sort_unstable_by_key(|word| std::cmp::Reverse(word.len()));
        // The estimate's cost grows faster than the length of the text, and the first part is enough.
        let first: String = password.chars().take(64).collect();
        let is_common = |text: &str| password_guesses::estimate(text, &guessable) <= Self::MAX_EASY_GUESSES;
        // A guessable word followed by a year or a sign is overrated by the estimate, so what remains without such words must be strong
        // enough alone.
        let rest = strip_words(&first, &guessable);
        let is_built_on_guessable = rest.len() < first.to_lowercase().len()
            && (rest.chars().count() < Self::MIN_UNGUESSABLE_CHARS || is_common(&rest));
        // What is repeated counts once, so it must be long enough alone.
        let is_repeated = password_guesses::repeated(&first)
            .is_some_and(|unit| unit.chars().count() < Self::MIN_CHARS || is_common(&unit));
        if is_common(&first) || is_built_on_guessable || is_repeated {
            return Err(Invalid::new("password_too_common", "is too easy to guess; use a few unusual words"));
        }
        Ok(())
    }
}

/// Returns the text in lower case without these words. Words of up to three characters stay, since they occur in others by chance.
fn strip_words(text: &str, words: &[&str]) -> String {
    let long = words.iter().filter(|word| word.chars().count() > 3);
    long.fold(text.to_lowercase(), |text, word| text.replace(&word.to_lowercase(), ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_common_passwords_are_refused() {
        let code = |password| {
            PasswordPolicy::check(password, &["ada@example.com", "Ada Lovelace", "Northwind Quarries"])
                .map_err(|refused| refused.code)
        };
        assert_eq!(code("correct-hay"), Err("password_too_short"));
        assert_eq!(code("password1234"), Err("password_too_common"));
        assert_eq!(code("aaaaaaaaaaaaaaaa"), Err("password_too_common"));
        assert_eq!(code("ada@example.com"), Err("password_too_common"));
        for built_on_context in
            ["northwind2026", "quarriesquarries", "Lovelace-2026", "Keepclear2026!", "keepclear-Northwind"]
        {
            assert_eq!(code(built_on_context), Err("password_too_common"), "{built_on_context}");
        }
        assert_eq!(code("northwind plum wagon sixty"), Ok(()));
        assert_eq!(code("plum wagon sixty tiles"), Ok(()));
        assert_eq!(code(&"x7".repeat(200)), Err("password_too_long"));
    }

    /// What others may know about the account of the lists below.
    const OWN: [&str; 3] = ["ada@example.com", "Ada Lovelace", "Northwind Quarries"];

    fn passwords(list: &str) -> Vec<&str> {
        list.lines().filter(|line| !line.starts_with("# ") && *line != "#").collect()
    }

    /// The list was drawn among those that zxcvbn 3.1.1 refuses.
    #[test]
    fn passwords_that_are_easy_to_guess_are_refused() {
        let list = passwords(include_str!("password_guesses/refused.txt"));
        assert!(list.len() >= 500);
        for password in list {
            let refused = PasswordPolicy::check(password, &OWN).map_err(|refused| refused.code);
            assert_eq!(refused, Err("password_too_common"), "{password}");
        }
    }

    #[test]
    fn good_passwords_are_accepted() {
        let list = passwords(include_str!("password_guesses/accepted.txt"));
        assert!(list.len() >= 500);
        for password in list {
            assert_eq!(
                PasswordPolicy::check(password, &OWN).map_err(|refused| refused.code),
                Ok(()),
                "{password}"
            );
        }
    }

    #[test]
    fn what_is_repeated_counts_once() {
        let code = |password| PasswordPolicy::check(password, &OWN).map_err(|refused| refused.code);
        for repeated in [
            "tulipstulips",
            "Tulips-tulips",
            "tulips, tulips, tulips",
            "qv7zqv7zqv7z",
            "x7x7x7x7x7x7x7x7x7x7x7x7x7x7x7x7x7x7x7x7x7x7x7x7x7x7x7x7x7x7x7x7x7x7x7",
        ] {
            assert_eq!(code(repeated), Err("password_too_common"), "{repeated}");
        }
        assert_eq!(code("qv7z-wagon-plum qv7z-wagon-plum"), Ok(()));
    }
}

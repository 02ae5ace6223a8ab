//! Estimates how many passwords an attacker tries before a given one: those that people make of common words and patterns come first.
//!
//! A password is read as one part or as two, each of which is a word, a pattern or characters without a pattern. Three parts are never
//! easy to guess, since it is not known where parts begin. The way of counting is that of zxcvbn ("zxcvbn: Low-Budget Password Strength
//! Estimation", Wheeler, 2016), without more parts than matter here. Capitals, signs in place of letters, and words written backwards count
//! nothing.

mod patterns;
mod words;

use std::collections::HashMap;

use words::Words;

/// How many characters without a pattern are tried in each place.
const GUESSES_PER_CHAR: u64 = 10;
/// The least number of guesses for a part beside another one, if it has several characters.
const MIN_GUESSES_OF_PART: u64 = 50;
/// What is tried in one part before passwords of two parts are.
const GUESSES_BEFORE_TWO_PARTS: u64 = 10_000;
/// More than this are not counted exactly.
const GUESSES_THAT_ARE_MANY: u64 = 10_000_000;

/// Returns about how many guesses are needed. `own_words` are those that an attacker tries first. The effort grows faster than the length
/// of the text, so the caller cuts it.
pub fn estimate(text: &str, own_words: &[&str]) -> u64 {
    let own_words: Vec<Vec<char>> =
        own_words.iter().map(|word| word.to_lowercase().chars().collect()).collect();
    let lower: Vec<char> = text.to_lowercase().chars().collect();
    let typed: Vec<char> = text.chars().collect();
    // A few letters become two when they are small, so that what was typed has other places.
    let typed = if typed.len() == lower.len() { &typed } else { &lower };
    let mut estimate = Estimate { words: Words::find(&lower, &own_words), of_units: HashMap::new() };
    estimate.of_text(Part { start: 0, lower: &lower, typed })
}

/// Returns what a text repeats from its beginning to its end, with nothing or with signs between: `tulip` of `tulip-tulip-tulip`.
pub fn repeated(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let first = words.next()?;
    let mut others = words.peekable();
    if others.peek().is_some() && others.all(|word| word == first) {
        return Some(first.to_owned());
    }
    let chars: Vec<char> = lower.chars().collect();
    let (length, _) = patterns::repeat(&chars)?;
    Some(chars.iter().take(length).collect())
}

struct Estimate<'a> {
    words: Words,
    /// The guesses for what is repeated somewhere, so that it is looked at only once.
    of_units: HashMap<&'a [char], u64>,
}

impl<'a> Estimate<'a> {
    fn of_text(&mut self, text: Part<'a>) -> u64 {
        let mut least = self.of_part(text);
        for middle in 1..text.len() {
            let (first, second) = text.split_at(middle);
            let guesses = self.of_part(first).max(least_guesses(first)).saturating_mul(2);
            // The second part is only looked at if it can make a difference.
            if guesses < least.min(GUESSES_THAT_ARE_MANY) {
                let of_second = self.of_part(second).max(least_guesses(second));
                least = least.min(guesses.saturating_mul(of_second).saturating_add(GUESSES_BEFORE_TWO_PARTS));
            }
        }
        least
    }

    fn of_part(&mut self, part: Part<'a>) -> u64 {
        count_step();
        let length = u32::try_from(part.len()).unwrap_or(u32::MAX);
        let without_pattern = GUESSES_PER_CHAR.saturating_pow(length);
        let bare = part.without_signs();
        let bare = if bare.len() < part.len() { self.of_known(bare) } else { None };
        self.of_known(part).into_iter().chain(bare).fold(without_pattern, u64::min)
    }

    /// Returns the guesses for a part that is one word or follows one pattern.
    fn of_known(&mut self, part: Part<'a>) -> Option<u64> {
        let word = self.words.guesses(part.start, part.len());
        [
            word.map(|guesses| if part.is_shouted() { 1 } else { guesses }),
            self.of_repeat(part, part.lower),
            // What is repeated is longer if its capitals differ, and may be a word itself.
            self.of_repeat(part, part.typed),
            patterns::sequence(part.lower),
            patterns::sequence(part.typed),
            patterns::keyboard_run(part.lower),
            patterns::date(part.lower),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    fn of_repeat(&mut self, part: Part<'a>, chars: &[char]) -> Option<u64> {
        let (length, times) = patterns::repeat(chars)?;
        let (unit, _) = part.split_at(length);
        let of_unit = self.of_units.get(unit.typed).copied();
        let of_unit = of_unit.unwrap_or_else(|| self.of_text(unit));
        self.of_units.insert(unit.typed, of_unit);
        Some(of_unit.saturating_mul(times))
    }
}

/// Some of a text, in small letters and as it was typed.
#[derive(Clone, Copy)]
struct Part<'a> {
    /// Its place in the whole text.
    start: usize,
    lower: &'a [char],
    /// As many characters.
    typed: &'a [char],
}

impl Part<'_> {
    fn len(self) -> usize {
        self.lower.len()
    }

    fn split_at(self, middle: usize) -> (Self, Self) {
        let (lower, typed) = (self.lower.split_at(middle), self.typed.split_at(middle));
        let second = Self { start: self.start + middle, lower: lower.1, typed: typed.1 };
        (Self { lower: lower.0, typed: typed.0, ..self }, second)
    }

    /// Leaves one sign at each end out: a word in quotes is as easy to guess as without.
    fn without_signs(self) -> Self {
        let is_sign = |c: Option<&char>| c.is_some_and(|c| !c.is_alphanumeric());
        let part = if is_sign(self.lower.first()) { self.split_at(1).1 } else { self };
        if is_sign(part.lower.last()) { part.split_at(part.len() - 1).0 } else { part }
    }

    /// Whether a part has capitals and signs but no small letter. zxcvbn finds such a word, `P4$$W0RD`, at the first guess, however rare
    /// the word is.
    fn is_shouted(self) -> bool {
        let is_any = |holds: fn(char) -> bool| self.typed.iter().any(|c| holds(*c));
        is_any(char::is_uppercase) && is_any(|c| !c.is_uppercase()) && !is_any(char::is_lowercase)
    }
}

fn least_guesses(part: Part<'_>) -> u64 {
    if part.len() == 1 { GUESSES_PER_CHAR } else { MIN_GUESSES_OF_PART }
}

/// Counts what the effort depends on, for tests.
fn count_step() {
    #[cfg(test)]
    STEPS.set(STEPS.get() + 1);
}

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last three were found by changing characters as long as the effort grew. The second one took 360,000 steps when each part was
    /// looked up on its own, in each of its readings.
    #[test]
    fn the_effort_is_bounded() {
        let own_words: Vec<String> = (3..=62).map(|length| "1".repeat(length)).collect();
        let own_words: Vec<&str> = own_words.iter().map(String::as_str).collect();
        for text in [
            "plum wagon sixty tiles",
            "@1@1@1@1|b1b17@1@1@1@1|b1b177@1@1@1@1|b1b17@1@1@1@1|b1b177@1@1@1",
            "@1|7@1|7@1|7@1|7@1|7@1|7@1|7@1|7@1|7@1|7@1|7@1|7@1|7@1|7@1|7@1|7",
            "qwertyuiopqwertyuiopqwertyuiopqwertyuiopqwertyuiopqwertyuiopqwer",
            "111111111111111111111111111111111111111111111111111111111111111a",
            "1111111111|7111117|7111111111|7|1111111111|7111117|7111111111|7|",
            "1117117111111111111111111111111111111111111111111111111111111117",
        ] {
            STEPS.set(0);
            estimate(text, &own_words);
            assert!(STEPS.get() < 200_000, "{} {text}", STEPS.get());
        }
    }
}

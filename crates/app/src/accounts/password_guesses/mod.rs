//! Estimates how many passwords an attacker tries before a given one: those that people make of common words and patterns come first.
//!
//! A password is read as one part or as two, each of which is a word, a pattern or characters without a pattern. Three parts are never
//! easy to guess, since it is not known where parts begin. The way of counting is that of zxcvbn ("zxcvbn: Low-Budget Password Strength
//! Estimation", Wheeler, 2016), without more parts than matter here. Capitals, signs in place of letters, and words written backwards count
//! nothing.

mod patterns;
mod words;

/// How many characters without a pattern are tried in each place.
const GUESSES_PER_CHAR: u64 = 10;
/// The least number of guesses for a part beside another one, if it has several characters.
const MIN_GUESSES_OF_PART: u64 = 50;
/// What is tried in one part before passwords of two parts are.
const GUESSES_BEFORE_TWO_PARTS: u64 = 10_000;
/// More than this are not counted exactly.
const GUESSES_THAT_ARE_MANY: u64 = 10_000_000;

/// Returns about how many guesses are needed. `own_words` are those that an attacker tries first. The effort grows with the square of the
/// length of the text, so the caller cuts it.
pub fn estimate(text: &str, own_words: &[&str]) -> u64 {
    let own_words: Vec<String> = own_words.iter().map(|word| word.to_lowercase()).collect();
    let chars: Vec<char> = text.to_lowercase().chars().collect();
    Estimate { own_words: &own_words }.of_text(&chars)
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
    patterns::repeat(&chars).map(|(unit, _)| unit.iter().collect())
}

struct Estimate<'a> {
    own_words: &'a [String],
}

impl Estimate<'_> {
    fn of_text(&self, chars: &[char]) -> u64 {
        let whole = self.of_part(chars);
        let of_two = |middle| {
            let (first, second) = chars.split_at(middle);
            let of_one = |part: &[char]| self.of_part(part).max(least_guesses(part));
            let guesses = of_one(first).saturating_mul(2);
            // The second part is only looked at if it can make a difference.
            if guesses >= whole.min(GUESSES_THAT_ARE_MANY) {
                return whole;
            }
            guesses.saturating_mul(of_one(second)).saturating_add(GUESSES_BEFORE_TWO_PARTS)
        };
        (1..chars.len()).map(of_two).min().map_or(whole, |parts| parts.min(whole))
    }

    fn of_part(&self, part: &[char]) -> u64 {
        let length = u32::try_from(part.len()).unwrap_or(u32::MAX);
        let without_pattern = GUESSES_PER_CHAR.saturating_pow(length);
        let bare = without_signs(part);
        let bare = if bare.len() < part.len() { self.of_known(bare) } else { None };
        self.of_known(part).into_iter().chain(bare).fold(without_pattern, u64::min)
    }

    /// Returns the guesses for a part that is one word or follows one pattern.
    fn of_known(&self, part: &[char]) -> Option<u64> {
        let repeat = patterns::repeat(part).map(|(unit, times)| self.of_text(unit).saturating_mul(times));
        [
            words::guesses(part, self.own_words),
            repeat,
            patterns::sequence(part),
            patterns::keyboard_run(part),
            patterns::date(part),
        ]
        .into_iter()
        .flatten()
        .min()
    }
}

fn least_guesses(part: &[char]) -> u64 {
    if part.len() == 1 { GUESSES_PER_CHAR } else { MIN_GUESSES_OF_PART }
}

/// Leaves one sign at each end out: a word in quotes is as easy to guess as without.
fn without_signs(part: &[char]) -> &[char] {
    let is_sign = |c: &char| !c.is_alphanumeric();
    let part = part.split_first().filter(|(first, _)| is_sign(first)).map_or(part, |(_, rest)| rest);
    part.split_last().filter(|(last, _)| is_sign(last)).map_or(part, |(_, rest)| rest)
}

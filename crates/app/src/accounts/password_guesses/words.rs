//! Lists of words that are guessed first, and the ways in which they are disguised.

use std::cmp::Ordering;
use std::sync::LazyLock;

/// The commonest passwords that are long enough to be allowed.
static PASSWORDS: LazyLock<&str> = LazyLock::new(|| without_head(include_str!("passwords.txt")));
/// Shorter passwords, words and names, with how common they are.
static WORDS: LazyLock<&str> = LazyLock::new(|| without_head(include_str!("words.txt")));

/// Each digit of a word doubles this number of words before it; those with 0 come first.
const GUESSES_BEFORE_WORDS: u64 = 50;

/// Signs with the letters that they look like. Those that are often meant as they are have themselves, too.
const SIGNS: [(char, &str); 20] = [
    ('4', "a"),
    ('@', "a@"),
    ('8', "b"),
    ('(', "c"),
    ('{', "c"),
    ('[', "c"),
    ('<', "c"),
    ('3', "e"),
    ('6', "g"),
    ('9', "g"),
    ('1', "il1"),
    ('!', "i"),
    ('|', "il"),
    ('0', "o"),
    ('$', "s"),
    ('5', "s"),
    ('+', "t"),
    ('7', "tl"),
    ('%', "x"),
    ('2', "z"),
];

/// No password of the list is shorter.
const MIN_PASSWORD_BYTES: usize = 12;

/// No word of the lists is longer.
const MAX_WORD_CHARS: usize = 28;

/// Returns the guesses for a word that is in a list or is one of the account's own, however it is disguised.
pub fn guesses(part: &[char], own_words: &[String]) -> Option<u64> {
    let longest = own_words.iter().map(|word| word.chars().count()).fold(MAX_WORD_CHARS, usize::max);
    if part.len() > longest {
        return None;
    }
    let guesses = |word: &String| {
        let is_password = || word.len() >= MIN_PASSWORD_BYTES && find(&PASSWORDS, word).is_some();
        if own_words.contains(word) || is_password() {
            return Some(1);
        }
        match find(&WORDS, word)?.trim().parse().ok()? {
            0 => Some(1),
            digit => Some(GUESSES_BEFORE_WORDS << u32::min(digit, 7)),
        }
    };
    readings(part).iter().filter_map(guesses).min()
}

/// Returns the words that a part may stand for: as it is, with letters in place of the signs that look like them, and both backwards.
fn readings(part: &[char]) -> Vec<String> {
    let mut readings = vec![part.to_vec()];
    for (sign, letters) in SIGNS.into_iter().filter(|(sign, _)| part.contains(sign)) {
        let replaced = |reading: &Vec<char>, letter| {
            reading.iter().map(|c| if *c == sign { letter } else { *c }).collect()
        };
        readings = readings
            .iter()
            .flat_map(|reading| letters.chars().map(move |letter| replaced(reading, letter)))
            .collect();
    }
    if !readings.iter().any(|reading| reading == part) {
        readings.push(part.to_vec());
    }
    readings.iter().flat_map(|word| [word.iter().collect(), word.iter().rev().collect()]).collect()
}

/// A list begins with lines that say where it comes from, up to the first empty one.
fn without_head(list: &str) -> &str {
    list.split_once("\n\n").map_or(list, |(_, words)| words)
}

/// Searches a word in lines in the order of their words, and returns what follows it in its line.
fn find<'a>(list: &'a str, word: &str) -> Option<&'a str> {
    let mut rest = list;
    while !rest.is_empty() {
        let start = rest.get(..rest.len() / 2)?.rfind('\n').map_or(0, |end| end + 1);
        let (before, from) = rest.split_at(start);
        let (line, after) = from.split_once('\n').unwrap_or((from, ""));
        let found = line.split(' ').next().unwrap_or_default();
        match word.cmp(found) {
            Ordering::Less => rest = before,
            Ordering::Equal => return line.get(found.len()..),
            Ordering::Greater => rest = after,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_of_the_lists_is_found_and_no_other() {
        for (list, least) in [(*PASSWORDS, 3_000), (*WORDS, 60_000)] {
            assert!(list.lines().count() >= least);
            assert!(list.lines().is_sorted());
            assert!(list.lines().all(|line| line.chars().count() <= MAX_WORD_CHARS));
            for line in list.lines() {
                let (word, after) = line.split_once(' ').unwrap_or((line, ""));
                assert_eq!(find(list, word).map(str::trim), Some(after), "{word}");
                assert_eq!(find(list, &format!("{word}~~")), None);
            }
            for missing in ["", " ", "\n", "#", "~~~", "ä", "a\nb", "0 0"] {
                assert_eq!(find(list, missing), None, "{missing:?}");
            }
        }
        let is_allowed =
            |word: &str| word.chars().count() >= MIN_PASSWORD_BYTES && word == word.to_lowercase();
        assert!(PASSWORDS.lines().all(is_allowed));
    }

    #[test]
    fn disguised_words_are_read() {
        let guesses = |text: &str| guesses(&text.chars().collect::<Vec<_>>(), &["müller".to_owned()]);
        for word in [
            "password",
            "p4$$w0rd",
            "drowssap",
            "dr0w$$@p",
            "müller",
            "rellüm",
            "l1v3rp00|",
            "1nf!n!+y",
            "|0u1s",
        ] {
            assert!(guesses(word).is_some_and(|guesses| guesses <= 12_800), "{word}");
        }
        assert_eq!(guesses("wagonplum"), None);
        assert!(guesses("password") < guesses("quarry"));
    }
}

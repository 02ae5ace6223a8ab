//! Finds words that are guessed first, and the ways in which they are disguised.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Each line has a word and a digit, in the order of the words: passwords, words and names with how common they are. Those without a digit
/// are the commonest passwords that are long enough to be allowed.
static LINES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let lists = [include_str!("passwords.txt"), include_str!("words.txt")];
    let mut lines: Vec<&str> = lists.into_iter().flat_map(without_head).collect();
    lines.sort();
    lines
});

/// Each digit of a word doubles this number of words before it; those with 0 come first.
const GUESSES_BEFORE_WORDS: u64 = 50;

/// Signs with the letters that they look like.
const SIGNS: [(char, &str); 20] = [
    ('4', "a"),
    ('@', "a"),
    ('8', "b"),
    ('(', "c"),
    ('{', "c"),
    ('[', "c"),
    ('<', "c"),
    ('3', "e"),
    ('6', "g"),
    ('9', "g"),
    ('1', "il"),
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

/// The words in a text: in lists or the account's own, as they are or backwards. Each sign in them may stand for itself or for a letter.
pub struct Words {
    /// The guesses for the commonest word in each place, by its start and its length.
    guesses: HashMap<(usize, usize), u64>,
}

impl Words {
    pub fn find(text: &[char], own_words: &[Vec<char>]) -> Self {
        let mut guesses = HashMap::new();
        let mut add = |start: usize, length: usize, digit: u32| {
            let of_word = if digit == 0 { 1 } else { GUESSES_BEFORE_WORDS << digit };
            guesses
                .entry((start, length))
                .and_modify(|least| *least = of_word.min(*least))
                .or_insert(of_word);
        };
        let backwards: Vec<char> = text.iter().rev().copied().collect();
        for start in 0..text.len() {
            find_words(&text[start..], own_words, &mut |length, digit| add(start, length, digit));
            find_words(&backwards[start..], own_words, &mut |length, digit| {
                add(text.len() - start - length, length, digit);
            });
        }
        Self { guesses }
    }

    pub fn guesses(&self, start: usize, length: usize) -> Option<u64> {
        self.guesses.get(&(start, length)).copied()
    }
}

/// Calls `found` with the length and the digit of each word with which a text begins.
fn find_words(text: &[char], own_words: &[Vec<char>], found: &mut impl FnMut(usize, u32)) {
    for word in own_words.iter().filter(|word| begins_with(text, word)) {
        found(word.len(), 0);
    }
    find_in_lines(&LINES, text, &mut String::new(), found);
}

/// What a character may stand for in a word.
fn readings(c: char) -> impl Iterator<Item = char> {
    let letters = SIGNS.iter().find(|(sign, _)| *sign == c).map_or("", |(_, letters)| letters);
    std::iter::once(c).chain(letters.chars())
}

fn begins_with(text: &[char], word: &[char]) -> bool {
    super::count_step();
    let is_same = |(c, letter): (&char, &char)| readings(*c).any(|reading| reading == *letter);
    text.len() >= word.len() && text.iter().zip(word).all(is_same)
}

/// A list begins with lines that say where it comes from, up to the first empty one.
fn without_head(list: &str) -> impl Iterator<Item = &str> {
    list.lines().skip_while(|line| !line.is_empty()).skip(1)
}

/// Finds words with which a text begins. The lines are those that begin with what was `read` before the text, so that readings with which
/// no word begins end early.
fn find_in_lines(lines: &[&str], text: &[char], read: &mut String, found: &mut impl FnMut(usize, u32)) {
    // The word itself comes before those that begin with it.
    let Some(line) = lines.first() else { return };
    let (word, digit) = line.split_once(' ').unwrap_or((line, "0"));
    if word == read {
        found(read.chars().count(), digit.parse().unwrap_or_default());
    }
    let Some((first, rest)) = text.split_first() else { return };
    for reading in readings(*first) {
        read.push(reading);
        find_in_lines(beginning_with(lines, read), rest, read, found);
        read.pop();
    }
}

fn beginning_with<'a, 'b>(lines: &'a [&'b str], text: &str) -> &'a [&'b str] {
    let is_before = |line: &&str| {
        super::count_step();
        *line < text
    };
    let is_of_text = |line: &&str| {
        super::count_step();
        line.starts_with(text)
    };
    let lines = &lines[lines.partition_point(is_before)..];
    &lines[..lines.partition_point(is_of_text)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn words_of_the_lists_are_found_and_no_others() {
        let passwords: Vec<&str> = without_head(include_str!("passwords.txt")).collect();
        let is_allowed = |word: &str| word.chars().count() >= 12 && word == word.to_lowercase();
        assert!(passwords.len() == 5_000 && passwords.is_sorted());
        assert!(passwords.iter().all(|word| is_allowed(word)));
        let words: Vec<&str> = without_head(include_str!("words.txt")).collect();
        assert!(words.len() > 93_000 && words.is_sorted());

        let find = |word: &str| {
            let (length, mut least) = (word.chars().count(), None);
            find_in_lines(&LINES, &chars(word), &mut String::new(), &mut |found, digit| {
                least = least.into_iter().chain((found == length).then_some(digit)).min();
            });
            least
        };
        for line in passwords.iter().chain(&words).step_by(20) {
            let (word, digit) = line.split_once(' ').unwrap_or((line, "0"));
            assert!(find(word).is_some_and(|found| found <= digit.parse().unwrap()), "{word}");
            assert_eq!(find(&format!("{word}~~")), None);
        }
        for missing in ["", " ", "\n", "#", "~~~", "ä", "a\nb", "0 0", "password 0", "12345678901\n"] {
            assert_eq!(find(missing), None, "{missing:?}");
        }
    }

    #[test]
    fn disguised_words_are_read() {
        let guesses =
            |text: &str| Words::find(&chars(text), &[chars("müller")]).guesses(0, text.chars().count());
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
            "@udi@4",
        ] {
            assert!(guesses(word).is_some_and(|guesses| guesses <= 12_800), "{word}");
        }
        assert_eq!(guesses("wagonplum"), None);
        assert!(guesses("password") < guesses("quarry"));
    }

    #[test]
    fn words_are_found_in_all_places() {
        let words = Words::find(&chars("xxpasswordxrellümx"), &[chars("müller")]);
        assert_eq!(words.guesses(2, 8), Some(1));
        assert!(words.guesses(2, 4).is_some());
        assert_eq!(words.guesses(11, 6), Some(1));
        assert_eq!(words.guesses(10, 6), None);
        assert_eq!(words.guesses(0, 18), None);
    }
}

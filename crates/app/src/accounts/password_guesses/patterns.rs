//! Patterns that are guessed as a whole: repeats, sequences, runs on a keyboard, and dates. Texts are in lower case, except of
//! sequences.

/// What is tried for a date in all: its days, for the years in which people live are few.
const GUESSES_OF_DATE: u64 = 365;
const GUESSES_OF_YEAR: u64 = 20;

/// Returns the length of the shortest text that makes the whole one when it is repeated, and how often it is.
pub fn repeat(part: &[char]) -> Option<(usize, u64)> {
    let length = (1..=part.len() / 2).find(|length| {
        part.len().is_multiple_of(*length) && part.iter().zip(part.iter().skip(*length)).all(|(a, b)| a == b)
    })?;
    let times = u64::try_from(part.len() / length).unwrap_or(u64::MAX);
    Some((length, times))
}

/// Characters in equal distances of at most five, such as `abcdef`, `97531` or `дежз`. The first one may be there several times.
pub fn sequence(part: &[char]) -> Option<u64> {
    const MAX_DISTANCE: i64 = 5;
    let distance = |pair: &[char]| match pair {
        [a, b] => i64::from(u32::from(*b)) - i64::from(u32::from(*a)),
        _ => 0,
    };
    let mut distances = part.windows(2).map(distance).skip_while(|distance| *distance == 0);
    let first = distances.next().filter(|first| (1..=MAX_DISTANCE).contains(&first.abs()))?;
    let is_obvious = first.abs() == 1 || part.len() > 2;
    let starts: u64 = match part.first() {
        Some('a' | 'A' | 'z' | 'Z' | '0' | '1' | '9') => 4,
        Some(digit) if digit.is_ascii_digit() => 10,
        _ => 26,
    };
    let directions = if first < 0 { 2 } else { 1 };
    let length = u64::try_from(part.len()).unwrap_or(u64::MAX);
    (is_obvious && distances.all(|distance| distance == first))
        .then(|| (starts * directions).saturating_mul(length))
}

/// A year, or a day with its year in any usual order, with the same separators or none: `24.12.1985`, `19851224`, `1/1/91`.
pub fn date(part: &[char]) -> Option<u64> {
    if !(4..=10).contains(&part.len()) {
        return None;
    }
    let text: String = part.iter().collect();
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    if part.len() == 4 && is_number && (text.starts_with("19") || text.starts_with("20")) {
        return Some(GUESSES_OF_YEAR);
    }
    let separator = part.iter().find(|c| c.is_whitespace() || "/\\_.-".contains(**c));
    let is_date = match separator {
        Some(separator) => {
            let mut numbers = text.split(*separator);
            match [numbers.next(), numbers.next(), numbers.next(), numbers.next()] {
                [Some(first), Some(second), Some(third), None] => is_day(first, second, third),
                _ => false,
            }
        }
        // Digits take one byte each, so that places in the text are those of characters.
        None if is_number => (1..=4).any(|first| {
            (first + 1..=first + 2).any(|second| {
                match (text.get(..first), text.get(first..second), text.get(second..)) {
                    (Some(a), Some(b), Some(c)) => is_day(a, b, c),
                    _ => false,
                }
            })
        }),
        None => false,
    };
    is_date.then_some(GUESSES_OF_DATE)
}

/// Whether three numbers are a day, its month and its year: the year first or last, and the others in either order.
fn is_day(first: &str, second: &str, third: &str) -> bool {
    let number = |text: &str| -> Option<u32> {
        let is_number = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| is_number)
    };
    let (Some(first), Some(second), Some(third)) = (number(first), number(second), number(third)) else {
        return false;
    };
    let is_year = |year: u32| year < 100 || (1000..=2050).contains(&year);
    let is_month_day = |a: u32, b: u32| (1..=12).contains(&a) && (1..=31).contains(&b);
    let are_day_and_month = |a, b| is_month_day(a, b) || is_month_day(b, a);
    (is_year(third) && are_day_and_month(first, second))
        || (is_year(first) && are_day_and_month(second, third))
}

/// Keys by their rows, with what they give with shift in the same places. A space is no key.
struct Keyboard {
    rows: &'static [&'static str],
    shifted: &'static [&'static str],
    /// The directions from a key to its neighbours, as columns and rows. Rows of letters are shifted by half a key.
    directions: &'static [(i8, i8)],
    keys: u64,
}

const SLANTED: &[(i8, i8)] = &[(-1, 0), (0, -1), (1, -1), (1, 0), (0, 1), (-1, 1)];
const STRAIGHT: &[(i8, i8)] = &[(-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1)];

const KEYBOARDS: [Keyboard; 5] = [
    Keyboard {
        rows: &["`1234567890-=", " qwertyuiop[]\\", " asdfghjkl;'", " zxcvbnm,./"],
        shifted: &["~!@#$%^&*()_+", "           {}|", "          :\"", "        <>?"],
        directions: SLANTED,
        keys: 94,
    },
    // The German one.
    Keyboard {
        rows: &["^1234567890ß´", " qwertzuiopü+", " asdfghjklöä#", "<yxcvbnm,.-"],
        shifted: &["°!\"§$%&/()=?`", "            *", "            '", ">       ;:_"],
        directions: SLANTED,
        keys: 94,
    },
    // The one of Dvorak.
    Keyboard {
        rows: &["`1234567890[]", " ',.pyfgcrl/=\\", " aoeuidhtns-", " ;qjkxbmwvz"],
        shifted: &["~!@#$%^&*(){}", " \"<>       ?+|", "           _", " :"],
        directions: SLANTED,
        keys: 94,
    },
    // The blocks of digits, on two kinds of keyboards.
    Keyboard { rows: &[" /*-", "789+", "456", "123", " 0."], shifted: &[], directions: STRAIGHT, keys: 15 },
    Keyboard { rows: &[" =/*", "789-", "456+", "123", " 0."], shifted: &[], directions: STRAIGHT, keys: 15 },
];

/// Keys each of which is beside the one before. Each turn of the run is as if four neighbours were tried.
pub fn keyboard_run(part: &[char]) -> Option<u64> {
    const NEIGHBOURS_TRIED: u64 = 4;
    if part.len() < 3 {
        return None;
    }
    let of_keyboard = |keyboard: &Keyboard| {
        let turns = turns_of_run(part, keyboard)?;
        let lengths = u64::try_from(part.len() - 1).unwrap_or(u64::MAX);
        Some(NEIGHBOURS_TRIED.saturating_pow(turns).saturating_mul(keyboard.keys).saturating_mul(lengths))
    };
    KEYBOARDS.iter().filter_map(of_keyboard).min()
}

/// Counts the directions of a run, if the text is one. One with more than 8 is not easy to guess.
fn turns_of_run(part: &[char], keyboard: &Keyboard) -> Option<u32> {
    const MAX_TURNS: u32 = 8;
    let (mut turns, mut last) = (0, None);
    for pair in part.windows(2) {
        let [from, to] = pair else { return None };
        let (from, to) = (place(*from, keyboard)?, place(*to, keyboard)?);
        let direction = (to.0 - from.0, to.1 - from.1);
        if !keyboard.directions.contains(&direction) {
            return None;
        }
        if last != Some(direction) {
            turns += 1;
            last = Some(direction);
            if turns > MAX_TURNS {
                return None;
            }
        }
    }
    Some(turns)
}

/// Returns the column and the row of a key.
fn place(key: char, keyboard: &Keyboard) -> Option<(i8, i8)> {
    let in_rows = |rows: &[&str]| {
        rows.iter().zip(0..).find_map(|(row, y)| {
            let before = row.split_once(key).filter(|_| key != ' ')?.0;
            Some((i8::try_from(before.chars().count()).ok()?, y))
        })
    };
    in_rows(keyboard.rows).or_else(|| in_rows(keyboard.shifted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn repeats_have_a_shortest_unit() {
        let unit =
            |text: &str| repeat(&chars(text)).map(|(length, times)| (text[..length].to_owned(), times));
        assert_eq!(unit("aaaa"), Some(("a".to_owned(), 4)));
        assert_eq!(unit("ab1ab1ab1"), Some(("ab1".to_owned(), 3)));
        assert_eq!(unit("abcab"), None);
        assert_eq!(unit("a"), None);
        assert_eq!(unit(""), None);
    }

    #[test]
    fn sequences_go_up_and_down() {
        let across_capitals = ["?@ABCD", "XYZ[\\]^_`ab", "05:?DI"];
        for text in
            ["abcdef", "fedcba", "13579", "97531", "дежз", "ab", "112345"].into_iter().chain(across_capitals)
        {
            assert!(sequence(&chars(text)).is_some(), "{text}");
        }
        for text in ["abcdf", "aaaa", "ac", "a", "", "agm"] {
            assert_eq!(sequence(&chars(text)), None, "{text}");
        }
    }

    #[test]
    fn dates_have_a_day_a_month_and_a_year() {
        for text in [
            "24.12.1985",
            "12/24/85",
            "1985-12-24",
            "19851224",
            "241285",
            "1191",
            "1-1-2001",
            "1 1 91",
            "1\t1\t91",
        ] {
            assert_eq!(date(&chars(text)), Some(GUESSES_OF_DATE), "{text}");
        }
        assert_eq!(date(&chars("1987")), Some(GUESSES_OF_YEAR));
        for text in
            ["24.13.1985", "24.12-1985", "99999999", "24.12", "1.2.3.4", "3.ä.1985", "۱۹۸۵۱۲۲۴", "", "..1985"]
        {
            assert_eq!(date(&chars(text)), None, "{text}");
        }
    }

    #[test]
    fn runs_follow_neighbours() {
        let turns =
            |text: &str| KEYBOARDS.iter().filter_map(|keyboard| turns_of_run(&chars(text), keyboard)).min();
        assert_eq!(turns("qwertyuiop"), Some(1));
        assert_eq!(turns("qwertzuiopü"), Some(1));
        assert_eq!(turns("!@#$%^"), Some(1));
        assert_eq!(turns("1qaz"), Some(1));
        assert_eq!(turns("147896321"), Some(4));
        assert_eq!(turns("zaqwsx"), Some(3));
        assert_eq!(turns("121212121"), Some(8));
        assert_eq!(turns("1212121212"), None);
        assert_eq!(turns("qwrt"), None);
        assert_eq!(turns("q w"), None);
        assert_eq!(keyboard_run(&chars("qw")), None);
    }
}

//! What was refused of a file, by the code of the reason.

use std::collections::BTreeMap;

use domain::Invalid;

use crate::commands::progress::group_digits;

/// How many lines are shown of each code.
const MAX_SHOWN_PER_CODE: usize = 20;

/// What became of the lines of a file.
#[derive(Default)]
pub struct Report {
    /// Lines that are new.
    pub accepted: u64,
    /// Lines that were there already.
    pub duplicates: u64,
    rejected: BTreeMap<&'static str, RejectedLines>,
}

#[derive(Default)]
struct RejectedLines {
    count: u64,
    examples: Vec<(u64, String)>,
}

impl Report {
    /// A line is refused.
    pub fn reject(&mut self, line: u64, invalid: Invalid) {
        let refusals = self.rejected.entry(invalid.code).or_default();
        refusals.count += 1;
        refusals.examples.push((line, invalid.message.into()));
        // Lines may be told of out of order by a batch; the first of all are kept.
        if refusals.examples.len() > 2 * MAX_SHOWN_PER_CODE {
            refusals.examples.sort_unstable();
            refusals.examples.truncate(MAX_SHOWN_PER_CODE);
        }
    }

    /// How many were refused.
    pub fn rejected(&self) -> u64 {
        self.rejected.values().map(|refusals| refusals.count).sum()
    }

    /// How many lines there were.
    pub fn lines(&self) -> u64 {
        self.accepted + self.duplicates + self.rejected()
    }

    /// The refusals, most of them first, a line each.
    pub fn into_lines(mut self) -> Vec<String> {
        let mut told = Vec::new();
        for refusals in self.rejected.values_mut() {
            refusals.examples.sort_unstable();
            refusals.examples.truncate(MAX_SHOWN_PER_CODE);
        }
        let mut all: Vec<_> = self.rejected.into_iter().collect();
        all.sort_by_key(|(code, refusals)| (std::cmp::Reverse(refusals.count), *code));
        for (code, refusals) in all {
            told.push(format!("{} refused as {code}:", group_digits(refusals.count)));
            let shown = refusals.examples.len() as u64;
            told.extend(
                refusals.examples.into_iter().map(|(line, message)| format!("  line {line}: {message}")),
            );
            if refusals.count > shown {
                told.push(format!("  and {} more", group_digits(refusals.count - shown)));
            }
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_lines_of_each_code_are_shown() {
        let mut report = Report::default();
        for line in (1..=1_000).rev() {
            report.reject(line, Invalid::new("required", format!("uid: must be given ({line})")));
        }
        report.reject(7, Invalid::new("bad_time", "at: is too long ago"));
        assert_eq!(report.rejected(), 1_001);
        let told = report.into_lines();
        assert_eq!(told[0], "1,000 refused as required:");
        assert_eq!(
            (told[1].as_str(), told[20].as_str()),
            ("  line 1: uid: must be given (1)", "  line 20: uid: must be given (20)")
        );
        assert_eq!(
            &told[21..],
            ["  and 980 more", "1 refused as bad_time:", "  line 7: at: is too long ago"]
        );
    }
}

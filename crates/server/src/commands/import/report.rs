//! The result of an import, with the refused lines grouped by error code.

use std::collections::BTreeMap;

use domain::Invalid;

use crate::commands::progress::group_digits;

/// The number of lines that are shown for each code.
const MAX_SHOWN_PER_CODE: usize = 20;

#[derive(Default)]
pub struct Report {
    /// The number of new events.
    pub accepted: u64,
    /// The number of events that were known already.
    pub duplicates: u64,
    rejected: BTreeMap<&'static str, RejectedLines>,
}

#[derive(Default)]
struct RejectedLines {
    count: u64,
    examples: Vec<(u64, String)>,
}

impl Report {
    pub fn reject(&mut self, line: u64, invalid: Invalid) {
        let refusals = self.rejected.entry(invalid.code).or_default();
        refusals.count += 1;
        refusals.examples.push((line, invalid.message.into()));
        // A batch may report lines out of order; the first lines are kept.
        if refusals.examples.len() > 2 * MAX_SHOWN_PER_CODE {
            refusals.examples.sort_unstable();
            refusals.examples.truncate(MAX_SHOWN_PER_CODE);
        }
    }

    pub fn rejected(&self) -> u64 {
        self.rejected.values().map(|refusals| refusals.count).sum()
    }

    pub fn lines(&self) -> u64 {
        self.accepted + self.duplicates + self.rejected()
    }

    /// Returns the refusals as text, the most frequent code first.
    pub fn into_lines(mut self) -> Vec<String> {
        let mut shown_lines = Vec::new();
        for refusals in self.rejected.values_mut() {
            refusals.examples.sort_unstable();
            refusals.examples.truncate(MAX_SHOWN_PER_CODE);
        }
        let mut all: Vec<_> = self.rejected.into_iter().collect();
        all.sort_by_key(|(code, refusals)| (std::cmp::Reverse(refusals.count), *code));
        for (code, refusals) in all {
            shown_lines.push(format!("{} refused as {code}:", group_digits(refusals.count)));
            let shown = refusals.examples.len() as u64;
            shown_lines.extend(
                refusals.examples.into_iter().map(|(line, message)| format!("  line {line}: {message}")),
            );
            if refusals.count > shown {
                shown_lines.push(format!("  and {} more", group_digits(refusals.count - shown)));
            }
        }
        shown_lines
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
        let shown_lines = report.into_lines();
        assert_eq!(shown_lines[0], "1,000 refused as required:");
        assert_eq!(
            (shown_lines[1].as_str(), shown_lines[20].as_str()),
            ("  line 1: uid: must be given (1)", "  line 20: uid: must be given (20)")
        );
        assert_eq!(
            &shown_lines[21..],
            ["  and 980 more", "1 refused as bad_time:", "  line 7: at: is too long ago"]
        );
    }
}

//! Progress of long commands: a bar on a terminal, otherwise a line every few seconds.

use std::io::IsTerminal;

use domain::{Clock, Monotonic, Span};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

/// The interval between lines if there is no terminal.
const REPORT_INTERVAL: Span = Span::millis(3_000);

/// Reports progress on standard error.
pub struct Progress {
    clock: Clock,
    started: Monotonic,
    last_reported: Monotonic,
    total: u64,
    unit: &'static str,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Starts at zero; `whole` is the total in the given unit.
    pub fn new(clock: &Clock, whole: u64, unit: &'static str) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(whole);
            let template = "{bar:40} {percent:>3} %  {msg}  {eta} left";
            bar.set_style(
                ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
            bar
        });
        let begun = clock.monotonic();
        Self { clock: clock.clone(), started: begun, last_reported: begun, total: whole, unit, bar }
    }

    /// Draws the bar where the log is written above it.
    #[must_use]
    pub fn among(mut self, bars: &MultiProgress) -> Self {
        self.bar = self.bar.map(|bar| bars.add(bar));
        self
    }

    /// Sets how much is done, with a message for people.
    pub fn update(&mut self, done: u64, message: &str) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.set_message(message.to_owned());
            return;
        }
        let now = self.clock.monotonic();
        if now >= self.last_reported + REPORT_INTERVAL {
            self.last_reported = now;
            print_status(&format!("{done} of {} {}: {message}", self.total, self.unit));
        }
    }

    /// Removes the bar and returns the elapsed seconds.
    pub fn finish(self) -> f64 {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        seconds(self.clock.monotonic() - self.started)
    }
}

/// Returns a time in seconds that is never zero, so that rates can be computed.
#[expect(clippy::cast_precision_loss, reason = "for people to read")]
fn seconds(span: Span) -> f64 {
    span.micros().max(1) as f64 / 1e6
}

/// Returns a rate per second as an integer.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "for people to read"
)]
pub fn per_second(count: u64, seconds: f64) -> u64 {
    (count as f64 / seconds) as u64
}

/// Formats a number with a comma as the thousands separator.
pub fn group_digits(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[expect(clippy::print_stderr, reason = "standard output holds the result of the command")]
pub fn print_status(text: &str) {
    eprintln!("{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_three() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(group_digits(number), text);
        }
    }
}

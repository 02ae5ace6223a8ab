//! The texts of alerts: what an alarm says, the mails that say it, and the page on which someone leaves them.

mod explanations;
mod mails;
mod metrics;

pub use explanations::*;
pub use mails::*;
pub use metrics::*;

/// The texts of all parts, for the tests of the catalogue.
#[cfg(test)]
pub(crate) const ALL: &[crate::Text] = &{
    const PARTS: [&[crate::Text]; 3] = [explanations::ALL, mails::ALL, metrics::ALL];
    let mut all = [mails::ALL[0]; PARTS[0].len() + PARTS[1].len() + PARTS[2].len()];
    let (mut place, mut part) = (0, 0);
    while part < PARTS.len() {
        let mut number = 0;
        while number < PARTS[part].len() {
            all[place] = PARTS[part][number];
            (place, number) = (place + 1, number + 1);
        }
        part += 1;
    }
    all
};

#[cfg(test)]
pub(crate) const COUNTED: &[crate::Counted] = &{
    let mut all = [mails::COUNTED[0]; mails::COUNTED.len() + metrics::COUNTED.len()];
    let mut place = 0;
    while place < all.len() {
        all[place] = match place.checked_sub(mails::COUNTED.len()) {
            Some(place) => metrics::COUNTED[place],
            None => mails::COUNTED[place],
        };
        place += 1;
    }
    all
};

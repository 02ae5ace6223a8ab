//! The texts of alerts: what an alarm says, the mails that say it, and the page on which someone leaves them.

mod mails;
mod metrics;

pub use mails::*;
pub use metrics::*;

/// The texts of both parts, for the tests of the catalogue.
#[cfg(test)]
pub(crate) const ALL: &[crate::Text] = &{
    let mut all = [mails::ALL[0]; mails::ALL.len() + metrics::ALL.len()];
    let mut place = 0;
    while place < all.len() {
        all[place] = match place.checked_sub(mails::ALL.len()) {
            Some(place) => metrics::ALL[place],
            None => mails::ALL[place],
        };
        place += 1;
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

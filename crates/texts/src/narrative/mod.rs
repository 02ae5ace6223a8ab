//! The texts of written site reports.

mod sentences;
mod words;

pub use sentences::*;
pub use words::*;

#[cfg(test)]
pub(crate) use sentences::COUNTED;

/// The texts of both parts, for the tests of the catalogue.
#[cfg(test)]
pub(crate) const ALL: &[crate::Text] = &{
    let mut all = [sentences::ALL[0]; sentences::ALL.len() + words::ALL.len()];
    let mut place = 0;
    while place < all.len() {
        all[place] = match place.checked_sub(sentences::ALL.len()) {
            Some(place) => words::ALL[place],
            None => sentences::ALL[place],
        };
        place += 1;
    }
    all
};

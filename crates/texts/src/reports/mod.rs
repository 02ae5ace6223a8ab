//! The texts of reports: titles, findings, captions, tables, method and provenance.

mod captions;
mod findings;
mod headings;
mod method;
mod records;
mod tests_and_visits;

pub use captions::*;
pub use findings::*;
pub use headings::*;
pub use method::*;
pub use records::*;
pub use tests_and_visits::*;

/// The texts of all parts, for the tests of the catalogue.
#[cfg(test)]
pub(crate) const ALL: &[crate::Text] =
    &joined_texts::<
        {
            captions::ALL.len()
                + findings::ALL.len()
                + headings::ALL.len()
                + method::ALL.len()
                + records::ALL.len()
                + tests_and_visits::ALL.len()
        },
    >(&[captions::ALL, findings::ALL, headings::ALL, method::ALL, records::ALL, tests_and_visits::ALL]);

#[cfg(test)]
pub(crate) const COUNTED: &[crate::Counted] = findings::COUNTED;

#[cfg(test)]
const fn joined_texts<const N: usize>(parts: &[&[crate::Text]]) -> [crate::Text; N] {
    let mut all = [parts[0][0]; N];
    let (mut part, mut place) = (0, 0);
    while part < parts.len() {
        let mut text = 0;
        while text < parts[part].len() {
            all[place] = parts[part][text];
            place += 1;
            text += 1;
        }
        part += 1;
    }
    all
}

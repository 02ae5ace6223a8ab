//! Facts, questions and answers for tests of whoever answers questions: random ones from a seed, and an answer that is found by
//! looking at every row.

mod dice;
mod questions;
mod reference;
mod rows;

pub use dice::Dice;
pub use questions::question;
pub use rows::FactRows;

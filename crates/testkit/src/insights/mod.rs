//! Facts, questions and answers for tests of whoever answers questions: random ones from a seed, and an answer that is found by
//! looking at every row.

mod questions;
mod reference;
mod rows;
mod seeded_random;

pub use questions::random_question;
pub use rows::FactRows;
pub use seeded_random::SeededRandom;

//! Random facts and questions from a seed, and a reference implementation that answers questions by reading every row.

mod questions;
mod reference;
mod rows;
mod seeded_random;

pub use questions::random_question;
pub use rows::FactRows;
pub use seeded_random::SeededRandom;

//! Writing responses.

pub(crate) mod answer;
pub(crate) mod error;
pub(crate) mod face;
pub(crate) mod refusals;
pub mod words;

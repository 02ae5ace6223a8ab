//! Written site reports: facts with their numbers, and sentences that rest on them.
//!
//! [`write_by_rules`] writes from facts alone. A language model gets the same facts as a [`Prompt`], and [`check_answer`] lets only
//! those of its sentences pass that consist of phrases about the facts that they cite. Nothing here does I/O; names of people and
//! machines are tokens such as `{machine:7}` until someone reads them.

mod grounding;
mod names;
mod prompt;
mod roles;
mod rules;
mod sentence;
mod sheet;
#[cfg(test)]
mod tests;
mod written;

pub use grounding::{AnswerError, CheckedAnswer, DropReason, Dropped, check_answer};
pub use prompt::Prompt;
pub use roles::Roles;
pub use rules::{describe_fact, write_by_rules};
pub use sentence::{Sentence, SentenceRole, TextPart, parts_of, with_names};
pub use sheet::{
    Certainty, ComparedWith, Direction, Fact, FactComparison, FactKind, FactSheet, FactUnit, FactZone, Place,
    Subject, SubjectKind,
};

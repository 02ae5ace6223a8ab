//! People who wear tags, visitors and contact data.

pub mod contact;
pub mod person;
pub mod visit;

//! People who wear tags, and visitors.

pub mod contact;
pub mod person;
pub mod visit;

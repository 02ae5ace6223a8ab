//! People who wear tags, and visitors.

pub mod person;
pub mod presence;
pub mod visit;

//! How records name one another, the same at kiosks and desks.

pub use web::{Actor, NamedReference, PersonReference, Reference, TagReference};

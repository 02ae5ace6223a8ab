//! References from one record to another, shared by the calls of users and of tester devices.

pub use web::{Actor, NamedReference, PersonReference, Reference, TagReference};

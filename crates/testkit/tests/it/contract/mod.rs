//! Tests made of the OpenAPI documents: what they say is tried, on every operation. A new operation is covered by being
//! documented; if it names things in its path or lists them, `collections.rs` must say how such a thing comes to be.

mod collections;
mod document;
mod examples;
mod granting;
mod mass_assignment;
mod matrix;
mod paging;
mod proof;
mod restricted_attacks;
mod restricted_writes;
mod schema;
mod second_factor;
mod two_projects;
mod world;
mod wrong_fields;

pub use collections::PIXEL_PNG;
use document::{Operation, Scheme, operations};
use schema::Schema;
use world::{Caller, World};

//! Tests derived from the OpenAPI documents, on every operation. A new operation is covered as soon as it is documented; if it lists
//! resources or names them in its path, `collections.rs` must say how one is created.

mod alerts;
mod collections;
mod document;
mod examples;
mod granting;
mod mass_assignment;
mod matrix;
mod paging;
mod parameters;
mod proof;
mod restricted_attacks;
mod restricted_writes;
mod schema;
mod second_factor;
mod sending_back;
mod service_accounts;
mod two_projects;
mod world;
mod wrong_fields;

pub use collections::PIXEL_PNG;
use document::{Operation, Scheme, operations};
pub use schema::Schema;
use world::{Caller, World};

//! A worksite world that makes believable, seeded data: for demos, tests and load.
//!
//! Machines work shifts and move on tracks inside the boundary of their site, people walk, and where someone's way leads
//! through the zone of an antenna there is an incursion. Operators acknowledge with habits of their own, which fade over the
//! weeks; one machine and one person stand out, tags go untested, batteries run down, a station falls silent, visitors come
//! and some never check out, and data arrives late. The whole of it follows from a [`Plan`]: the same plan is the same
//! world, to the byte, on every machine and in whatever order its days are asked for.
//!
//! Pure and synchronous: it knows no store and no clock. A feeder registers what [`World::registry`] lists, then hands the
//! events of [`World::days`] to the same use case that devices reach over HTTP.
//!
//! What is simplified: encounters are drawn from rates and then built as exact geometry, rather than found by walking
//! everyone through the site (see `encounters`), so that a core makes hundreds of thousands a second. A person's way between two
//! encounters is not told, only that it takes time. A machine works one shift a day, and nobody works at night.

mod arrivals;
mod batteries;
mod calendar;
mod chance;
mod checked_values;
mod compass;
mod days;
mod encounters;
mod habits;
mod machines;
mod names;
mod people;
mod plan;
mod registry;
mod shifts;
mod site_geometry;
mod sites;
mod station_events;
mod tag_tests;
mod tracks;
mod visits;
mod world;
mod zones;

#[cfg(test)]
mod tests;

pub use arrivals::Arrival;
pub use days::{Day, Days};
pub use plan::{Plan, PlanError};
pub use registry::{
    Assignment, BaseStation, Installation, Machine, Person, Project, Registry, Site, Tag, TagTest, Visit,
};
pub use world::{Planted, World};

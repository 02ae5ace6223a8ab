//! A simulated world of worksites that generates plausible, seeded data for demos, tests and load.
//!
//! Machines work shifts and move on tracks inside the boundary of their worksite, people walk, and where a person's path crosses the zone
//! of an antenna there is an incursion. Operators acknowledge with habits of their own, which fade over the weeks. One machine and one
//! person stand out, tags go untested, batteries run down, a station falls silent, visitors come and some never check out, and data arrives
//! late. Everything follows from a [`Plan`]: the same plan is the same world, to the byte, on every machine and in whatever order its days
//! are requested.
//!
//! The crate is synchronous and knows neither store nor clock. The caller registers the contents of [`World::registry`], then passes the
//! events of [`World::days`], or of [`World::weeks`], the newest first, to the same use case that devices reach over HTTP. Who and what
//! exists is in `entities`, what happens day by day in `activity`, and what both are computed with in `primitives`.
//!
//! Simplifications: encounters are drawn from rates and then built as exact geometry, instead of simulating everyone's path (see
//! `encounters`), so that a core generates hundreds of thousands per second. A person's path between two encounters is not simulated, only
//! the time that it takes. A machine works one shift a day, and nobody works at night.

mod activity;
mod days;
mod entities;
mod plan;
mod primitives;
mod registry;
mod weeks;
mod world;

#[cfg(test)]
mod tests;

pub use activity::arrivals::Arrival;
pub use days::{Day, Days};
pub use plan::{Plan, PlanError};
pub use registry::{
    Assignment, BaseStation, Installation, Machine, Person, Project, Registry, Site, Tag, TagTest, Visit,
};
pub use weeks::Week;
pub use world::{Planted, World};

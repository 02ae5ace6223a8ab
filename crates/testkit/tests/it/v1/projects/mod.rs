//! /api/v1/projects

mod change;
mod create;
mod get;
mod list;

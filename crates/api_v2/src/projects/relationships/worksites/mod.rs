//! /api/v2/projects/{id}/relationships/worksites

pub mod add;
pub mod get;
pub mod remove;
pub mod replace;

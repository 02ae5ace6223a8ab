//! /api/v2/worksites/{id}/relationships/project

pub mod get;
pub mod replace;

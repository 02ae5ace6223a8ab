//! /api/v2/worksites/{id}/relationships/machines

pub mod add;
pub mod get;
pub mod remove;
pub mod replace;

//! /api/v2/people/{id}/relationships

pub mod tags;

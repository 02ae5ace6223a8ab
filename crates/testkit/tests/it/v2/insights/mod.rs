//! /api/v2/insights

mod charts;
mod figures;

//! /api/v2/advanced_insights

mod outliers;
mod pivot;

//! /api/v2/advanced_insights

mod exports;
mod outliers;
mod pivot;

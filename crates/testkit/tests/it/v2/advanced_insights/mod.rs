//! /api/v2/advanced_insights

mod pivot;

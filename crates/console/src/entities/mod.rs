//! What the pages of machines and people have in common: their lists, parts of their pages and the notes on them.

pub mod list;
pub mod notes;
pub mod parts;

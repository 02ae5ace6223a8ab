//! What the world is computed with: local days, random numbers, directions, and values of the domain.

pub(crate) mod calendar;
pub(crate) mod chance;
pub(crate) mod checked_values;
pub(crate) mod compass;

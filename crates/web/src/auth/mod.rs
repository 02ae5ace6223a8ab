//! From credentials to a caller.

pub(crate) mod caller;
pub(crate) mod gate;
pub(crate) mod who;

//! Authentication: from credentials to a caller.

pub(crate) mod auth_layer;
pub(crate) mod auth_outcome;
pub(crate) mod caller;
pub(crate) mod session;

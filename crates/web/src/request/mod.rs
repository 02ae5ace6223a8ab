//! Reading requests: bodies, query parameters, paths and preconditions.

pub(crate) mod body;
pub(crate) mod body_field;
pub(crate) mod csv_lines;
pub(crate) mod fields;
pub(crate) mod from_fields;
pub(crate) mod json;
pub(crate) mod last_event_id;
pub(crate) mod page;
pub(crate) mod params;
pub(crate) mod path;
pub(crate) mod preconditions;
pub(crate) mod range;
pub(crate) mod record;
pub(crate) mod references;
pub(crate) mod registry_list;

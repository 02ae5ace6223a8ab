//! Who and what exists in the world: worksites, machines, staff and visitors, with their names and places.

pub(crate) mod machines;
pub(crate) mod names;
pub(crate) mod people;
pub(crate) mod site_geometry;
pub(crate) mod sites;
pub(crate) mod visits;
pub(crate) mod zones;

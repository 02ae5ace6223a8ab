//! Maps of worksites and heat maps.

pub(crate) mod hexagon_map;
pub(crate) mod map_base;
pub(crate) mod site_map;

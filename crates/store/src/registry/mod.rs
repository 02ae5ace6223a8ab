//! The registry: brands, projects, worksites, machines, base stations and tags, and the dated links between them.

pub(crate) mod actor;
pub(crate) mod base_stations;
pub(crate) mod brand_settings;
pub(crate) mod brands;
pub(crate) mod devices;
pub(crate) mod entities;
pub(crate) mod gateways;
pub(crate) mod listing;
pub(crate) mod machine_assignments;
pub(crate) mod machines;
pub(crate) mod messages;
pub(crate) mod notes;
pub(crate) mod projects;
pub(crate) mod serials;
pub(crate) mod station_installations;
pub(crate) mod station_states;
pub(crate) mod station_visibility;
pub(crate) mod station_zones;
pub(crate) mod tag_assignments;
pub(crate) mod tag_details;
pub(crate) mod tag_tests;
pub(crate) mod tags;
pub(crate) mod tester_devices;
pub(crate) mod tokens;
pub(crate) mod worksite_terms;
pub(crate) mod worksites;

//! The registry: worksites, machines, base stations, tags and devices.

pub mod actor;
pub mod antenna;
pub mod base_station;
pub mod brand_settings;
pub mod device;
pub mod entity;
pub mod found;
pub mod listing;
pub mod machine;
pub mod message;
pub mod note;
pub mod project;
pub mod station_installation;
pub mod tag;
pub mod tag_assignment;
pub mod tag_state;
pub mod tag_test;
pub mod worksite;

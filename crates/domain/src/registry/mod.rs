//! The registry: worksites, machines, base stations, tags and devices.

pub mod antenna;
pub mod base_station;
pub mod device;
pub mod entity;
pub mod machine;
pub mod message;
pub mod tag;
pub mod tag_state;
pub mod worksite;

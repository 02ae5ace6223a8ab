//! The words of the house: ids, entities, roles, permissions, time and chance.
//!
//! Nothing here does I/O or knows async. Every other crate builds on these types, so a value that
//! reached one of them has already been checked.

pub mod access;
pub mod account_link;
pub mod antenna;
pub mod base_station;
pub mod brand;
pub mod change;
pub mod clock;
pub mod contact;
pub mod day;
pub mod device;
pub mod entity;
pub mod event;
pub mod ids;
pub mod incursion;
pub mod insights;
pub mod invalid;
pub mod machine;
pub mod message;
pub mod person;
pub mod picture;
pub mod place;
pub mod random;
pub mod secret;
pub mod tag;
pub mod tag_state;
pub mod text;
pub mod time;
pub mod timeline;
pub mod user;
pub mod video;
pub mod visit;
pub mod worksite;
pub mod zone;

pub use access::{Permission, Role};
pub use account_link::LinkPurpose;
pub use antenna::{AntennaZones, PartName, Reach};
pub use base_station::{Signs, Standing, StationStatus};
pub use change::Change;
pub use clock::Clock;
pub use contact::Email;
pub use day::{Cut, Day, Period};
pub use device::DeviceKind;
pub use entity::{Activity, EntityType};
pub use event::{Event, Fix, Report, TimeWindow, Uid};
pub use ids::*;
pub use incursion::{Review, Zone};
pub use invalid::Invalid;
pub use machine::{MachineKind, Year};
pub use message::{MessageState, MessageText};
pub use person::PersonKind;
pub use place::Place;
pub use random::Random;
pub use secret::Secret;
pub use tag::{Percent, Serial, TagRole};
pub use tag_state::{TagFacts, TagFlag, TagLimits, TagState};
pub use text::{Name, Prose};
pub use time::{Span, Timestamp};
pub use timeline::{TimelineId, TimelineKind};
pub use user::UserState;
pub use video::{ClipState, Footage, VideoType};
pub use worksite::{Colour, WorksiteKind};
pub use zone::{LocalTime, TimeZone};

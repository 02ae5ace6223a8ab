//! The registry of the world, before anything happens: plain records that refer to each other by index.

use domain::{
    AntennaZones, Colour, MachineKind, Name, PartName, Percent, PersonKind, Serial, TagRole, TimeZone,
    Timestamp, WorksiteKind, Year,
};
use serde_json::Value;

/// Everything that must be registered before events can be attributed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Registry {
    pub projects: Vec<Project>,
    pub sites: Vec<Site>,
    pub machines: Vec<Machine>,
    pub stations: Vec<BaseStation>,
    /// In order of their start.
    pub installations: Vec<Installation>,
    /// Staff first, then visitors.
    pub people: Vec<Person>,
    pub tags: Vec<Tag>,
    /// In order of their start.
    pub assignments: Vec<Assignment>,
    /// In order of check-in.
    pub visits: Vec<Visit>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    pub name: Name,
    pub code: Name,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    pub project: usize,
    pub name: Name,
    pub kind: WorksiteKind,
    pub colour: Colour,
    pub time_zone: TimeZone,
    /// Polygon or circle, in the form of the API.
    pub boundary: Value,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    pub site: usize,
    pub name: Name,
    pub kind: MachineKind,
    pub manufacturer: Name,
    pub model: Name,
    /// The manufacturer's serial number.
    pub serial_number: Name,
    pub year: Year,
}

/// A base station in its state on the first day. Later versions and zones come with its status events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseStation {
    pub serial: Serial,
    pub firmware: String,
    pub cameras: Vec<PartName>,
    pub zones: Vec<AntennaZones>,
}

/// The period in which a base station was on a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Installation {
    pub station: usize,
    pub machine: usize,
    pub from: Timestamp,
    /// Exclusive; none if it still is.
    pub to: Option<Timestamp>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    pub kind: PersonKind,
    pub name: Name,
    pub employee_id: Option<Name>,
    /// The employer.
    pub company: Option<Name>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    pub serial: Serial,
    pub role: TagRole,
}

/// The period in which a person wore a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assignment {
    pub tag: usize,
    pub person: usize,
    pub from: Timestamp,
    /// Exclusive; none if they still wear it.
    pub to: Option<Timestamp>,
    /// The visit that it belongs to: check-in creates it, check-out ends it.
    pub visit: Option<usize>,
}

/// A visit of a person to a worksite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    pub person: usize,
    /// The tag that they were given.
    pub tag: usize,
    pub site: usize,
    /// The company that sent them.
    pub company: Option<Name>,
    /// The time at which they planned to leave.
    pub expected_until: Option<Timestamp>,
    pub checked_in: Timestamp,
    /// None if they never checked out.
    pub checked_out: Option<Timestamp>,
}

/// A test of a tag at the gate of a worksite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagTest {
    pub tag: usize,
    pub site: usize,
    pub tested_at: Timestamp,
    pub passed: bool,
    pub battery: Percent,
}

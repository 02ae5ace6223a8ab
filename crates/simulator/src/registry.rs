//! What the world consists of, before anything happens: plain records that name one another by index.

use domain::{
    AntennaZones, Colour, MachineKind, Name, PartName, Percent, PersonKind, Serial, TagRole, TimeZone,
    Timestamp, WorksiteKind, Year,
};
use serde_json::Value;

/// Everything that has to be registered before events can be attributed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Registry {
    /// Projects.
    pub projects: Vec<Project>,
    /// Worksites.
    pub sites: Vec<Site>,
    /// Machines.
    pub machines: Vec<Machine>,
    /// Base stations.
    pub stations: Vec<BaseStation>,
    /// Which station is on which machine, in the order of their begin.
    pub installations: Vec<Installation>,
    /// Staff first, then visitors.
    pub people: Vec<Person>,
    /// Tags.
    pub tags: Vec<Tag>,
    /// Who wears which tag, in the order of their begin.
    pub assignments: Vec<Assignment>,
    /// Visits, in the order of check-in.
    pub visits: Vec<Visit>,
}

/// A project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// Its name.
    pub name: Name,
    /// Its code.
    pub code: Name,
}

/// A worksite.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// Its project.
    pub project: usize,
    /// Its name.
    pub name: Name,
    /// What is done there.
    pub kind: WorksiteKind,
    /// The colour to draw it with.
    pub colour: Colour,
    /// Whose clocks it goes by.
    pub time_zone: TimeZone,
    /// Polygon or circle, as the interface takes it.
    pub boundary: Value,
}

/// A machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Where it works.
    pub site: usize,
    /// Its name.
    pub name: Name,
    /// Its kind.
    pub kind: MachineKind,
    /// Who built it.
    pub manufacturer: Name,
    /// The model.
    pub model: Name,
    /// The number its maker gave it.
    pub serial_number: Name,
    /// When it was built.
    pub year: Year,
}

/// A base station, as it is when the days begin. Later versions and zones come with its status events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseStation {
    /// Its serial.
    pub serial: Serial,
    /// The version of its program.
    pub firmware: String,
    /// Its cameras.
    pub cameras: Vec<PartName>,
    /// How far its zones reach.
    pub zones: Vec<AntennaZones>,
}

/// A base station was on a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Installation {
    /// The station.
    pub station: usize,
    /// The machine.
    pub machine: usize,
    /// Since when.
    pub from: Timestamp,
    /// Until when, exclusive; none if it still is.
    pub to: Option<Timestamp>,
}

/// A person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// Staff or visitor.
    pub kind: PersonKind,
    /// The name.
    pub name: Name,
    /// The number of staff.
    pub employee_id: Option<Name>,
    /// Who sends them.
    pub company: Option<Name>,
}

/// A tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Its serial.
    pub serial: Serial,
    /// Whom it is meant for.
    pub role: TagRole,
}

/// A person wore a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The tag.
    pub tag: usize,
    /// The person.
    pub person: usize,
    /// Since when.
    pub from: Timestamp,
    /// Until when, exclusive; none if they still do.
    pub to: Option<Timestamp>,
    /// The visit it belongs to: checking in makes it, checking out ends it.
    pub visit: Option<usize>,
}

/// Someone came for a visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    /// Who.
    pub person: usize,
    /// The tag they were given.
    pub tag: usize,
    /// Where.
    pub site: usize,
    /// Who sent them.
    pub company: Option<Name>,
    /// When they meant to leave.
    pub expected_until: Option<Timestamp>,
    /// When they came.
    pub checked_in: Timestamp,
    /// When they left; none if they never checked out.
    pub checked_out: Option<Timestamp>,
}

/// A tag was tested at the entrance of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagTest {
    /// The tag.
    pub tag: usize,
    /// Where.
    pub site: usize,
    /// When.
    pub tested_at: Timestamp,
    /// Whether it works.
    pub passed: bool,
    /// How full its battery is.
    pub battery: Percent,
}

//! The resource of base stations in JSON:API documents.

use app::{App, BaseStationView, Caller, Error};
use domain::access::ReadRegistry;
use domain::{BaseStationFilter, MachineId, RegistryRows, SortKey, StationStatus, Timestamp};
use web::{PartialSchema, Query, enum_schemas};

use super::get::{PagePosition, PageZones};
use crate::json_api::{
    Collection, Filter, Identifier, Include, Included, IncludedType, Linkage, Relationship, Resource,
    ResourceDefinition, ResourceObject, several,
};
use crate::machines::{self, Machine};
use crate::related;
use crate::tags::RecentIncursions;

/// Attributes of a base station. It is installed on a machine and detects tags.
#[web::answer(sparse)]
#[schema(as = BaseStationAttributes)]
pub struct BaseStation {
    /// Serial number printed on the base station. It is unique in the brand, ignoring case.
    #[schema(example = "BS-0042")]
    serial: String,
    /// Name of the base station, if it has one.
    #[schema(example = "Crane 4, mast")]
    name: Option<String>,
    /// Firmware version, as the base station reported it.
    #[schema(example = "4.2.1")]
    firmware: Option<String>,
    /// Names of the cameras.
    #[schema(example = json!(["front", "rear"]))]
    cameras: Vec<String>,
    /// Current radii of the zones, by antenna.
    zones: Vec<PageZones>,
    /// Time since which the base station has been on its machine, RFC 3339 in UTC; null if it is on none.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    installed_since: Option<Timestamp>,
    /// Current status: the first of the possible values that applies.
    #[schema(value_type = enum_schemas::StationStatus, example = "online")]
    status: &'static str,
    /// Time of the last contact with the base station, RFC 3339 in UTC; null if there has been none.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-03-01T08:00:00Z")]
    last_seen_at: Option<Timestamp>,
    /// Last known position; null if the base station never reported one.
    last_position: Option<PagePosition>,
    /// Summary of the incursions that the base station detected, as far as you can see them.
    incursions: RecentIncursions,
    /// Time at which the base station was added, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    created_at: Timestamp,
    /// Time of the last change, RFC 3339 in UTC.
    #[schema(value_type = String, format = DateTime, example = "2026-03-01T08:00:00Z")]
    updated_at: Timestamp,
}

pub const DEFINITION: ResourceDefinition = ResourceDefinition {
    kind: "base_stations",
    path: Some("/api/v2/base_stations"),
    attributes: &[
        "serial",
        "name",
        "firmware",
        "cameras",
        "zones",
        "installed_since",
        "status",
        "last_seen_at",
        "last_position",
        "incursions",
        "created_at",
        "updated_at",
    ],
    relationships: &[Relationship::to_one("machine", "machines", "Machine")],
};

impl Resource for BaseStation {
    const NAME: &'static str = "BaseStation";
    const DEFINITION: &'static ResourceDefinition = &DEFINITION;
    const INCLUDES: &'static [&'static str] = &["machine"];
    const INCLUDED_TYPES: &'static [IncludedType] = &[IncludedType::of::<Machine>()];

    type Listed = Self;
}

/// Builds the resource object of a base station.
pub fn object(view: BaseStationView) -> ResourceObject {
    let BaseStationView { station, zones, health, position, incursions, .. } = view;
    let machine = station.machine.as_ref().map(|(id, ..)| Identifier::new(machines::DEFINITION.kind, id.0));
    let attributes = BaseStation {
        serial: station.serial,
        name: station.name,
        firmware: station.firmware,
        cameras: station.cameras,
        zones: zones.into_iter().map(PageZones::from).collect(),
        installed_since: station.machine.map(|(.., since)| since),
        status: health.status.as_str(),
        last_seen_at: station.heartbeat.last_seen_at,
        last_position: position.map(PagePosition::from),
        incursions: incursions.into(),
        created_at: station.created_at,
        updated_at: station.updated_at,
    };
    let mut object = ResourceObject::with_all_attributes(station.id.0, &attributes);
    object.link("machine", Linkage::One(machine));
    object
}

/// Builds the resource objects of base stations and adds what `include` asks for.
pub async fn objects(
    app: &App,
    caller: &Caller<ReadRegistry>,
    stations: Vec<BaseStationView>,
    include: &Include,
    included: &mut Included,
) -> Result<Vec<ResourceObject>, Error> {
    if include.includes("machine") {
        let machines = stations.iter().filter_map(|view| view.station.machine.as_ref()).map(|(id, ..)| *id);
        related::include_machines(app, caller, machines.collect(), included).await?;
    }
    Ok(stations.into_iter().map(object).collect())
}

impl Collection for BaseStation {
    type Filter = BaseStationFilter;

    const FILTERS: &'static [Filter] = &[
        Filter::BY_ID,
        Filter {
            name: "filter[status]",
            description: "Returns base stations with these current statuses only, separated by commas.",
            schema: several::<enum_schemas::StationStatus>,
        },
        Filter {
            name: "filter[machine]",
            description: "Returns base stations that are installed on the machines with these ids only, separated by commas; at most 100.",
            schema: several::<String>,
        },
        Filter {
            name: "filter[installed]",
            description: "With `true`, returns base stations on a machine only; with `false`, those on none.",
            schema: bool::schema,
        },
        Filter {
            name: "filter[q]",
            description: "Returns base stations whose serial number or name contains this text, regardless of case and accents.",
            schema: String::schema,
        },
    ];

    const SORTS: &'static [(&'static str, SortKey)] =
        &[("serial", SortKey::Name), ("created_at", SortKey::CreatedAt), ("updated_at", SortKey::UpdatedAt)];

    const HAS_VERSIONS: bool = true;

    fn filter(query: &mut Query) -> Result<BaseStationFilter, Error> {
        let machines = query.comma_ids("filter[machine]")?.unwrap_or_default();
        Ok(BaseStationFilter {
            q: query.search("filter[q]")?,
            statuses: query.comma_list("filter[status]", StationStatus::ALL.len(), StationStatus::parse)?,
            machines: machines.into_iter().map(MachineId).collect(),
            installed: query.optional_flag("filter[installed]")?,
            rows: RegistryRows { ids: query.comma_ids("filter[id]")?, changed: None },
        })
    }
}

//! Names of entities and people. The words are everyday ones or invented; the companies and manufacturers do not exist.

use domain::{MachineKind, WorksiteKind};

use crate::primitives::chance::Chance;

const FIRST_NAMES: [&str; 64] = [
    "Ada", "Aiko", "Alasdair", "Amara", "Anton", "Aroha", "Asha", "Beatriz", "Bram", "Carys", "Chidi",
    "Clara", "Dario", "Dilnoza", "Eamon", "Elif", "Emeka", "Esther", "Farid", "Femke", "Gita", "Goran",
    "Hana", "Hemi", "Hugo", "Ines", "Isaac", "Ivana", "Jamal", "Jarrah", "Jonas", "Kaito", "Katya", "Kofi",
    "Lars", "Leila", "Linh", "Lucia", "Mateo", "Mele", "Milan", "Nadia", "Niamh", "Nikhil", "Oskar",
    "Paloma", "Petra", "Rafael", "Rangi", "Rosa", "Samir", "Sanna", "Sione", "Sofia", "Tane", "Tariq",
    "Thandi", "Tomasz", "Uma", "Viktor", "Wen", "Yusuf", "Zanele", "Zoran",
];

const LAST_NAMES: [&str; 64] = [
    "Abara", "Aldous", "Amsel", "Arkwell", "Baptiste", "Barrowby", "Belova", "Bergvall", "Calder",
    "Castella", "Chaudhry", "Dallow", "Deniz", "Dlamini", "Drummond", "Eklund", "Estrada", "Faleolo",
    "Farrow", "Fenmore", "Ferreira", "Galvao", "Ghorbani", "Hartwig", "Havili", "Hollis", "Ibarra", "Imai",
    "Janowik", "Kahana", "Kerrigan", "Kimura", "Kowal", "Lindmark", "Lorimer", "Madaki", "Marchesi",
    "Mbatha", "Moreau", "Nakata", "Ngoane", "Novak", "Okonjo", "Orsini", "Paewai", "Pellegri", "Quist",
    "Rahimi", "Rasmus", "Santoro", "Sefton", "Sithole", "Solberg", "Tamahori", "Tavares", "Thorne", "Ueda",
    "Varga", "Vellace", "Wairua", "Winterby", "Yilmaz", "Zapata", "Zielin",
];

const COMPANY_NAMES: [&str; 16] = [
    "Alderby", "Briarby", "Copperby", "Dunmore", "Eastmere", "Fenwater", "Gullby", "Hartsby", "Inverlee",
    "Kestrel", "Larkmoor", "Marrow", "Osterby", "Quillow", "Stonely", "Tamarow",
];

const TRADES: [&str; 10] = [
    "Civil",
    "Groundworks",
    "Plant Hire",
    "Surveying",
    "Scaffolds",
    "Concrete",
    "Traffic",
    "Haulage",
    "Inspections",
    "Drainage",
];

const MANUFACTURERS: [&str; 8] =
    ["Tarvik", "Oremoto", "Haldane Works", "Kestovar", "Norrvale", "Ishimura Juki", "Valdoro", "Brunnhof"];

const PLACE_NAMES: [&str; 24] = [
    "Ashdown",
    "Beacon",
    "Birchfield",
    "Cinder Hill",
    "Copper Creek",
    "Dryford",
    "Eastgate",
    "Fallow",
    "Gannet Point",
    "Harrow",
    "Kingfisher",
    "Lantern",
    "Millrace",
    "Northbank",
    "Old Quarry",
    "Pinewater",
    "Quarterdeck",
    "Rushmere",
    "Saltmarsh",
    "Three Oaks",
    "Upland",
    "Vinegar Hill",
    "Westhaven",
    "Yarrow",
];

const PROJECT_NAMES: [&str; 12] = [
    "Harbour Link",
    "Northern Loop",
    "Valley Corridor",
    "Riverside Quarter",
    "Orchard Estates",
    "Airport Approach",
    "Coastal Works",
    "Central Exchange",
    "Highland Renewal",
    "Southern Gateway",
    "Lakeside Town",
    "Ridge Line",
];

pub(crate) fn person(chance: &mut Chance) -> String {
    let (first, last) = (*chance.pick(&FIRST_NAMES), *chance.pick(&LAST_NAMES));
    format!("{first} {last}")
}

pub(crate) fn company(chance: &mut Chance) -> String {
    let (name, trade) = (*chance.pick(&COMPANY_NAMES), *chance.pick(&TRADES));
    format!("{name} {trade}")
}

/// Returns the manufacturer of a machine and one of its models.
pub(crate) fn manufacturer_and_model(kind: MachineKind, chance: &mut Chance) -> (&'static str, String) {
    let letters = match kind {
        MachineKind::Excavator => "EX",
        MachineKind::Loader => "WL",
        MachineKind::DumpTruck => "DT",
        MachineKind::Crane => "CR",
        MachineKind::Roller => "RO",
        MachineKind::Telehandler => "TH",
        MachineKind::Forklift => "FL",
        MachineKind::Dozer => "DZ",
        MachineKind::Truck => "TK",
        MachineKind::Other => "SP",
    };
    (*chance.pick(&MANUFACTURERS), format!("{letters} {}", 5 * chance.integer(6, 90)))
}

/// Returns the common name of a kind of machine.
pub(crate) const fn machine(kind: MachineKind) -> &'static str {
    match kind {
        MachineKind::Excavator => "Excavator",
        MachineKind::Loader => "Loader",
        MachineKind::DumpTruck => "Dump truck",
        MachineKind::Crane => "Crane",
        MachineKind::Roller => "Roller",
        MachineKind::Telehandler => "Telehandler",
        MachineKind::Forklift => "Forklift",
        MachineKind::Dozer => "Dozer",
        MachineKind::Truck => "Truck",
        MachineKind::Other => "Sweeper",
    }
}

/// Returns the name and code of a project, which are unique.
pub(crate) fn project(index: usize, offset: usize) -> (String, String) {
    let (name, round) = (PROJECT_NAMES[(index + offset) % PROJECT_NAMES.len()], index / PROJECT_NAMES.len());
    let letters: String = name.split(' ').filter_map(|word| word.chars().next()).collect();
    let name = if round == 0 { name.to_owned() } else { format!("{name} Stage {}", round + 1) };
    (name, format!("{letters}-{:02}", index + 1))
}

/// Returns the name of a worksite, which is unique.
pub(crate) fn site(kind: WorksiteKind, index: usize, offset: usize) -> String {
    let (place, round) = (PLACE_NAMES[(index + offset) % PLACE_NAMES.len()], index / PLACE_NAMES.len());
    let works = match kind {
        WorksiteKind::Infrastructure => "Bypass",
        WorksiteKind::ResidentialConstruction => "Homes",
        WorksiteKind::CommercialConstruction => "Centre",
        WorksiteKind::RailMaintenance => "Track Renewal",
        WorksiteKind::WasteRecycling => "Recycling Yard",
        WorksiteKind::Agriculture => "Farm",
        WorksiteKind::Forestry => "Plantation",
        WorksiteKind::Logistics => "Freight Hub",
        WorksiteKind::Other => "Depot",
    };
    if round == 0 { format!("{place} {works}") } else { format!("{place} {works} {}", round + 1) }
}

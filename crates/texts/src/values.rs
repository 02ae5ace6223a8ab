//! The words of the trade: measures, dimensions, kinds, zones, reviews, days and months, and reasons.
//!
//! The functions take the words that are stored and sent in API responses. The English texts of measures, dimensions and
//! groups are those that the API returns.

use crate::calendar::{MONTHS, SHORT_MONTHS, SHORT_WEEKDAYS, WEEKDAYS};
use crate::text::{counted, find, texts};
use crate::{Language, reasons};

texts! {
    UNKNOWN = "Unknown", "Unbekannt";
    OTHER = "Other", "Sonstige";

    INCURSIONS = "Incursions", "Annäherungen";
    ACKNOWLEDGED = "Acknowledged", "Quittiert";
    UNACKNOWLEDGED = "Not acknowledged", "Nicht quittiert";
    ACKNOWLEDGEMENT_RATE = "Acknowledgement rate", "Quittierungsquote";
    AVERAGE_DURATION = "Average duration", "Mittlere Dauer";
    TIME_IN_ZONES = "Time in zones", "Zeit in Zonen";
    AVERAGE_ACK_TIME = "Average time to acknowledge", "Mittlere Zeit bis zur Quittierung";
    MEDIAN_DURATION = "Median duration", "Median der Dauer";
    P95_DURATION = "95th percentile of duration", "95. Perzentil der Dauer";
    MACHINES = "Machines", "Maschinen";
    PEDESTRIANS = "People on foot", "Personen zu Fuß";
    OPERATORS = "Operators", "Maschinenführer";
    RUNTIME = "Runtime", "Betriebszeit";
    INCURSIONS_PER_RUNTIME_HOUR = "Incursions per runtime hour", "Annäherungen je Betriebsstunde";

    PROJECT = "Project", "Projekt";
    WORKSITE = "Worksite", "Standort";
    WORKSITE_KIND = "Worksite kind", "Art des Standorts";
    MACHINE = "Machine", "Maschine";
    MACHINE_KIND = "Machine kind", "Maschinenart";
    BASE_STATION = "Base station", "Basisstation";
    PEDESTRIAN = "Pedestrian", "Person zu Fuß";
    OPERATOR = "Operator", "Maschinenführer";
    PERSON_KIND = "Person kind", "Personenart";
    TAG = "Tag", "Transponder";
    ZONE = "Zone", "Zone";
    REVIEW = "Review", "Prüfung";
    HOUR = "Hour", "Stunde";
    HOUR_OF_DAY = "Hour of day", "Stunde des Tages";
    DAY_OF_WEEK = "Day of week", "Wochentag";
    DAY = "Day", "Tag";
    WEEK = "Week", "Woche";
    MONTH = "Month", "Monat";
    DURATION = "Duration", "Dauer";
    CELL = "Cell", "Sechseck";
    PERSON = "Person", "Person";

    NO_PROJECT = "No project", "Kein Projekt";
    NO_WORKSITE = "No worksite", "Kein Standort";
    NO_MACHINE = "No machine", "Keine Maschine";
    NO_POSITION = "No position", "Keine Position";
    NO_END = "No end", "Kein Ende";

    WARNING = "Warning", "Warnzone";
    DANGER = "Danger", "Gefahrenzone";

    UNREVIEWED = "Unreviewed", "Ungeprüft";
    CONFIRMED = "Confirmed", "Bestätigt";
    DISMISSED = "Dismissed", "Verworfen";
    FALSE_DETECTION = "False detection", "Fehlerkennung";

    STAFF = "Staff", "Personal";
    VISITOR = "Visitor", "Besucher";

    EXCAVATOR = "Excavator", "Bagger";
    LOADER = "Loader", "Lader";
    DUMP_TRUCK = "Dump truck", "Muldenkipper";
    CRANE = "Crane", "Kran";
    ROLLER = "Roller", "Walze";
    TELEHANDLER = "Telehandler", "Teleskoplader";
    FORKLIFT = "Forklift", "Gabelstapler";
    DOZER = "Dozer", "Planierraupe";
    TRUCK = "Truck", "Lastwagen";

    INFRASTRUCTURE = "Infrastructure", "Infrastruktur";
    RESIDENTIAL_CONSTRUCTION = "Residential construction", "Wohnungsbau";
    COMMERCIAL_CONSTRUCTION = "Commercial construction", "Gewerbebau";
    RAIL_MAINTENANCE = "Rail maintenance", "Gleisinstandhaltung";
    WASTE_RECYCLING = "Waste recycling", "Abfallverwertung";
    AGRICULTURE = "Agriculture", "Landwirtschaft";
    FORESTRY = "Forestry", "Forstwirtschaft";
    LOGISTICS = "Logistics", "Logistik";

    /// Why a measure has no value.
    NO_INCURSIONS = "no incursions", "keine Annäherungen";
    NO_RUNTIME = "no runtime", "keine Betriebszeit";
    NO_DATA = "no data", "keine Daten";
    NOT_YET = "not yet", "noch in der Zukunft";
    NOT_IN_PERIOD = "not in period", "nicht im Zeitraum";

    /// A date with the name of its month.
    LONG_DATE = "{day} {month} {year}", "{day}. {month} {year}";
}

counted! {}

/// Returns the name of a measure.
pub fn measure(language: Language, word: &str) -> &'static str {
    let table = [
        ("incursions", INCURSIONS),
        ("acknowledged", ACKNOWLEDGED),
        ("unacknowledged", UNACKNOWLEDGED),
        ("acknowledgement_rate", ACKNOWLEDGEMENT_RATE),
        ("average_duration", AVERAGE_DURATION),
        ("exposure", TIME_IN_ZONES),
        ("average_ack_time", AVERAGE_ACK_TIME),
        ("median_duration", MEDIAN_DURATION),
        ("p95_duration", P95_DURATION),
        ("machines", MACHINES),
        ("pedestrians", PEDESTRIANS),
        ("operators", OPERATORS),
        ("runtime_hours", RUNTIME),
        ("incursions_per_runtime_hour", INCURSIONS_PER_RUNTIME_HOUR),
    ];
    find(language, word, &table).unwrap_or(UNKNOWN.get(language))
}

/// Returns the name of a dimension.
pub fn dimension(language: Language, word: &str) -> &'static str {
    let table = [
        ("project", PROJECT),
        ("worksite", WORKSITE),
        ("worksite_kind", WORKSITE_KIND),
        ("machine", MACHINE),
        ("machine_kind", MACHINE_KIND),
        ("base_station", BASE_STATION),
        ("pedestrian", PEDESTRIAN),
        ("operator", OPERATOR),
        ("person_kind", PERSON_KIND),
        ("person", PERSON),
        ("tag", TAG),
        ("zone", ZONE),
        ("acknowledged", ACKNOWLEDGED),
        ("review", REVIEW),
        ("hour", HOUR),
        ("hour_of_day", HOUR_OF_DAY),
        ("day_of_week", DAY_OF_WEEK),
        ("day", DAY),
        ("week", WEEK),
        ("month", MONTH),
        ("duration", DURATION),
        ("cell", CELL),
    ];
    find(language, word, &table).unwrap_or(UNKNOWN.get(language))
}

/// Returns the name of the group that has no value of a dimension.
pub fn no_value(language: Language, dimension: &str) -> &'static str {
    let table = [
        ("project", NO_PROJECT),
        ("worksite", NO_WORKSITE),
        ("worksite_kind", NO_WORKSITE),
        ("machine", NO_MACHINE),
        ("machine_kind", NO_MACHINE),
        ("cell", NO_POSITION),
        ("duration", NO_END),
    ];
    find(language, dimension, &table).unwrap_or(UNKNOWN.get(language))
}

pub fn zone(language: Language, word: &str) -> &'static str {
    find(language, word, &[("warning", WARNING), ("danger", DANGER)]).unwrap_or(UNKNOWN.get(language))
}

/// Returns the name of a group of the dimension `acknowledged`.
pub fn acknowledged(language: Language, is_acknowledged: bool) -> &'static str {
    if is_acknowledged { ACKNOWLEDGED.get(language) } else { UNACKNOWLEDGED.get(language) }
}

pub fn review(language: Language, word: &str) -> &'static str {
    let table = [
        ("unreviewed", UNREVIEWED),
        ("confirmed", CONFIRMED),
        ("dismissed", DISMISSED),
        ("false_detection", FALSE_DETECTION),
    ];
    find(language, word, &table).unwrap_or(UNKNOWN.get(language))
}

pub fn person_kind(language: Language, word: &str) -> &'static str {
    find(language, word, &[("staff", STAFF), ("visitor", VISITOR)]).unwrap_or(UNKNOWN.get(language))
}

pub fn machine_kind(language: Language, word: &str) -> &'static str {
    let table = [
        ("excavator", EXCAVATOR),
        ("loader", LOADER),
        ("dump_truck", DUMP_TRUCK),
        ("crane", CRANE),
        ("roller", ROLLER),
        ("telehandler", TELEHANDLER),
        ("forklift", FORKLIFT),
        ("dozer", DOZER),
        ("truck", TRUCK),
        ("other", OTHER),
    ];
    find(language, word, &table).unwrap_or(UNKNOWN.get(language))
}

pub fn worksite_kind(language: Language, word: &str) -> &'static str {
    let table = [
        ("infrastructure", INFRASTRUCTURE),
        ("residential_construction", RESIDENTIAL_CONSTRUCTION),
        ("commercial_construction", COMMERCIAL_CONSTRUCTION),
        ("rail_maintenance", RAIL_MAINTENANCE),
        ("waste_recycling", WASTE_RECYCLING),
        ("agriculture", AGRICULTURE),
        ("forestry", FORESTRY),
        ("logistics", LOGISTICS),
        ("other", OTHER),
    ];
    find(language, word, &table).unwrap_or(UNKNOWN.get(language))
}

/// Returns the name of a weekday, 0 for Monday.
pub fn weekday(language: Language, day: impl TryInto<usize>) -> &'static str {
    WEEKDAYS.find(language, day).unwrap_or(UNKNOWN.get(language))
}

/// Returns the short name of a weekday, 0 for Monday.
pub fn weekday_short(language: Language, day: impl TryInto<usize>) -> &'static str {
    SHORT_WEEKDAYS.find(language, day).unwrap_or(UNKNOWN.get(language))
}

/// Returns the name of a month, 0 for January.
pub fn month(language: Language, month: impl TryInto<usize>) -> &'static str {
    MONTHS.find(language, month).unwrap_or(UNKNOWN.get(language))
}

/// Returns the short name of a month, 0 for January.
pub fn month_short(language: Language, month: impl TryInto<usize>) -> &'static str {
    SHORT_MONTHS.find(language, month).unwrap_or(UNKNOWN.get(language))
}

/// Returns why a measure has no value, or, as a sentence, why a report has no file.
pub fn reason(language: Language, word: &str) -> &'static str {
    let table = [
        ("no_incursions", NO_INCURSIONS),
        ("no_runtime", NO_RUNTIME),
        ("no_data", NO_DATA),
        ("not_yet", NOT_YET),
        ("not_in_period", NOT_IN_PERIOD),
    ];
    find(language, word, &table).unwrap_or_else(|| reasons::sentence(language, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_months_are_found_by_their_numbers() {
        assert_eq!(weekday(Language::German, 0_i64), "Montag");
        assert_eq!(weekday_short(Language::English, 6_usize), "Sun");
        assert_eq!(month(Language::German, 2), "März");
        assert_eq!(month_short(Language::German, 11_u8), "Dez");
        assert_eq!(weekday(Language::English, 7), "Unknown");
        assert_eq!(month(Language::German, -1), "Unbekannt");
    }
}

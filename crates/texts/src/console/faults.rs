//! What is wrong with a field of a form or with a filter, by the codes of the API.

use super::settings::{access, base_stations, users};
use super::{alerts, incursions, parts, report_schedules, reports, sites};
use crate::text::{counted, find, texts};
use crate::{Language, values};

texts! {
    REQUIRED = "Please fill this in.", "Bitte füllen Sie dieses Feld aus.";
    WRONG_TYPE = "This is not the kind of value that is expected here.",
        "Hier wird ein anderer Wert erwartet.";
    INVALID_NUMBER = "Please write a number such as 1,000 or 0.5.",
        "Bitte geben Sie eine Zahl an, zum Beispiel 1.000 oder 0,5.";
    TOO_LONG = "This is too long.", "Das ist zu lang.";
    OUT_OF_RANGE = "This is outside of the allowed range.", "Das liegt außerhalb des erlaubten Bereichs.";
    TOO_MANY = "These are too many.", "Das sind zu viele.";
    REPEATED = "This is in the list more than once.", "Das steht mehr als einmal in der Liste.";
    CONTROL_CHARACTER = "This contains characters that cannot be stored.",
        "Das enthält Zeichen, die nicht gespeichert werden können.";
    NOT_ALLOWED = "This cannot be given together with the rest.",
        "Das kann zusammen mit den übrigen Angaben nicht angegeben werden.";
    READ_ONLY = "This cannot be changed.", "Das kann nicht geändert werden.";
    UNKNOWN_FIELD = "There is no such field.", "Ein solches Feld gibt es nicht.";
    UNKNOWN_PARAMETER = "This page has no such filter.", "Einen solchen Filter hat diese Seite nicht.";
    REPEATED_PARAMETER = "This may be given only once.", "Das darf nur einmal angegeben werden.";
    INVALID_ID = "This is not the number of a record.", "Das ist keine Nummer eines Eintrags.";
    INVALID_CURSOR = "This does not belong to this list. Start with its first page.",
        "Das gehört nicht zu dieser Liste. Beginnen Sie mit der ersten Seite.";
    INVALID_TIME = "Please enter a date and a time.", "Bitte geben Sie ein Datum und eine Uhrzeit ein.";
    BAD_TIME = "This time does not fit the others.", "Diese Zeit passt nicht zu den übrigen Angaben.";
    INVALID_PERIOD = "The end must be after the start.", "Das Ende muss nach dem Anfang liegen.";
    INVALID_TIME_OF_DAY = "Please enter a time of day, such as 08:00.",
        "Bitte geben Sie eine Uhrzeit ein, zum Beispiel 08:00.";
    INVALID_TIME_ZONE = "There is no such time zone. An example is Europe/Berlin.",
        "Diese Zeitzone gibt es nicht. Ein Beispiel ist Europe/Berlin.";
    INVALID_LOCALE = "There is no such language.", "Diese Sprache gibt es nicht.";
    INVALID_EMAIL = "This is not an email address.", "Das ist keine E-Mail-Adresse.";
    EMAIL_TAKEN = "There is already an account with this email address.",
        "Mit dieser E-Mail-Adresse gibt es schon ein Konto.";
    NAME_TAKEN = "This name is taken.", "Dieser Name ist schon vergeben.";
    SERIAL_TAKEN = "This serial number is taken.", "Diese Seriennummer ist schon vergeben.";
    EMPLOYEE_ID_TAKEN = "Somebody else has this employee number.",
        "Jemand anderes hat diese Personalnummer.";
    EMPLOYEE_ID_SHARED = "Several people share an employee number.",
        "Mehrere Personen haben dieselbe Personalnummer.";
    INVALID_SERIAL = "This is not a serial number.", "Das ist keine Seriennummer.";
    INVALID_COLOUR = "This is not a colour, such as #c2410c.",
        "Das ist keine Farbe wie zum Beispiel #c2410c.";
    INVALID_PICTURE = "This is not a PNG image that can be used.", "Das ist kein brauchbares PNG-Bild.";
    INVALID_POLYGON = "This is not a boundary: its line must be closed and must not cross itself.",
        "Das ist keine Grenze: Die Linie muss geschlossen sein und darf sich nicht kreuzen.";
    TOO_MANY_VERTICES = "The boundary has too many corners.", "Die Grenze hat zu viele Ecken.";
    PASSWORD_TOO_SHORT = "The password is too short.", "Das Passwort ist zu kurz.";
    PASSWORD_TOO_LONG = "The password is too long.", "Das Passwort ist zu lang.";
    PASSWORD_TOO_COMMON = "This password is too easy to guess. Four words that do not belong together are a good one.",
        "Dieses Passwort ist zu leicht zu erraten. Gut sind vier Wörter, die nicht zusammengehören.";
    WRONG_PASSWORD = "This is not your password.", "Das ist nicht Ihr Passwort.";
    WRONG_CODE = "This code is wrong, or was used before.",
        "Dieser Code ist falsch oder wurde schon verwendet.";
    UNKNOWN_PROJECT = "There is no such project that you see.",
        "Ein solches Projekt gibt es nicht, oder Sie sehen es nicht.";
    UNKNOWN_WORKSITE = "There is no such site that you see.",
        "Einen solchen Standort gibt es nicht, oder Sie sehen ihn nicht.";
    UNKNOWN_MACHINE = "There is no such machine that you see.",
        "Eine solche Maschine gibt es nicht, oder Sie sehen sie nicht.";
    UNKNOWN_PERSON = "There is no such person that you see.",
        "Eine solche Person gibt es nicht, oder Sie sehen sie nicht.";
    UNKNOWN_TAG = "There is no such tag.", "Einen solchen Transponder gibt es nicht.";
    UNKNOWN_BASE_STATION = "There is no such base station that you see.",
        "Eine solche Basisstation gibt es nicht, oder Sie sehen sie nicht.";
    UNKNOWN_USER = "There is no such active user.", "Einen solchen aktiven Benutzer gibt es nicht.";
    UNKNOWN_SAVED_VIEW = "There is no such saved view that you see.",
        "Eine solche gespeicherte Ansicht gibt es nicht, oder Sie sehen sie nicht.";
    PROJECT_ARCHIVED = "This project is archived.", "Dieses Projekt ist archiviert.";
    WORKSITE_ARCHIVED = "This site is archived.", "Dieser Standort ist archiviert.";
    MACHINE_ARCHIVED = "This machine is archived.", "Diese Maschine ist archiviert.";
    PERSON_ARCHIVED = "This person is archived.", "Diese Person ist archiviert.";
    PERSON_ERASED = "The data of this person has been erased.", "Die Daten dieser Person wurden gelöscht.";
    TAG_RETIRED = "This tag is out of service.", "Dieser Transponder ist außer Betrieb.";
    TAG_ALREADY_ASSIGNED = "Somebody else wears this tag.", "Jemand anderes trägt diesen Transponder.";
    ALREADY_CHECKED_IN = "This visitor has checked in already.", "Dieser Besucher ist schon angemeldet.";
    NOT_A_VISITOR = "This person is not a visitor.", "Diese Person ist kein Besucher.";
    OVERLAP = "This overlaps another period.", "Das überschneidet sich mit einem anderen Zeitraum.";
    OUTSIDE_VISIT = "This must lie within the visit.", "Das muss innerhalb des Besuchs liegen.";
    NOT_YOURS_THEN = "At that time, the base station was in none of your projects.",
        "Zu dieser Zeit war die Basisstation in keinem Ihrer Projekte.";
    INVALID_URL = "This is not an address.", "Das ist keine Adresse.";
    NOT_HTTPS = "The address must begin with https://.", "Die Adresse muss mit https:// beginnen.";
    PRIVATE_ADDRESS = "This address cannot be reached from everywhere.",
        "Diese Adresse ist nicht von überall erreichbar.";
    DUPLICATE = "This is in the list already.", "Das steht schon in der Liste.";
    EMPTY_SCOPE = "Nothing of this is visible to you.", "Davon ist für Sie nichts sichtbar.";
    UNKNOWN_CAMERA = "This base station has no such camera.",
        "Eine solche Kamera hat diese Basisstation nicht.";
    REPEATED_DIMENSION = "Each dimension can be used once.",
        "Jede Dimension kann nur einmal verwendet werden.";
    NOT_MEASURED = "Sort by one of the chosen measures.",
        "Sortieren Sie nach einer der gewählten Kennzahlen.";
    TOO_WIDE = "Choose a shorter period for this order.",
        "Wählen Sie für diese Reihenfolge einen kürzeren Zeitraum.";
    TOO_MANY_POINTS = "Choose a shorter period or longer steps.",
        "Wählen Sie einen kürzeren Zeitraum oder größere Schritte.";
    UNKNOWN_FORMAT = "Reports of this kind do not have this format.",
        "Berichte dieser Art gibt es nicht in diesem Format.";
    WRONG_LENGTH = "This line has another number of columns than the first.",
        "Diese Zeile hat eine andere Zahl von Spalten als die erste.";
    REPEATED_COLUMN = "This column is in the file more than once.", "Diese Spalte steht mehr als einmal in der Datei.";
    BROKEN_CSV = "This is not a CSV file in UTF-8.", "Das ist keine CSV-Datei in UTF-8.";
    TOO_MANY_LINES = "The file has too many lines. Split it.", "Die Datei hat zu viele Zeilen. Teilen Sie sie auf.";
    PROJECTS_OF_ALL = "Choose that only ticked projects are visible, or untick these.",
        "Wählen Sie, dass nur angekreuzte Projekte sichtbar sind, oder entfernen Sie diese Häkchen.";
    INVALID_ZONES = "Please write an antenna and two numbers of metres, such as front; 6.5; 3.",
        "Bitte geben Sie eine Antenne und zwei Zahlen in Metern an, zum Beispiel vorn; 6,5; 3.";
    TOO_MANY_ROWS = "These are more rows than this format can hold.",
        "Das sind mehr Zeilen, als dieses Format fasst.";
    TOO_MANY_COLUMNS = "These are more columns than this format can hold.",
        "Das sind mehr Spalten, als dieses Format fasst.";
    WRONG_CONFIRMATION = "This is another name.", "Das ist ein anderer Name.";
}

counted! {}

/// The sentences by their codes.
const TABLE: &[(&str, crate::Text)] = &[
    ("required", REQUIRED),
    ("wrong_type", WRONG_TYPE),
    ("invalid_number", INVALID_NUMBER),
    ("too_long", TOO_LONG),
    ("out_of_range", OUT_OF_RANGE),
    ("too_many", TOO_MANY),
    ("repeated", REPEATED),
    ("control_character", CONTROL_CHARACTER),
    ("not_allowed", NOT_ALLOWED),
    ("read_only", READ_ONLY),
    ("unknown_field", UNKNOWN_FIELD),
    ("unknown_parameter", UNKNOWN_PARAMETER),
    ("repeated_parameter", REPEATED_PARAMETER),
    ("invalid_id", INVALID_ID),
    ("invalid_cursor", INVALID_CURSOR),
    ("invalid_time", INVALID_TIME),
    ("bad_time", BAD_TIME),
    ("invalid_period", INVALID_PERIOD),
    ("invalid_time_of_day", INVALID_TIME_OF_DAY),
    ("invalid_time_zone", INVALID_TIME_ZONE),
    ("invalid_locale", INVALID_LOCALE),
    ("invalid_email", INVALID_EMAIL),
    ("email_taken", EMAIL_TAKEN),
    ("name_taken", NAME_TAKEN),
    ("serial_taken", SERIAL_TAKEN),
    ("employee_id_taken", EMPLOYEE_ID_TAKEN),
    ("employee_id_shared", EMPLOYEE_ID_SHARED),
    ("invalid_serial", INVALID_SERIAL),
    ("invalid_colour", INVALID_COLOUR),
    ("invalid_picture", INVALID_PICTURE),
    ("invalid_polygon", INVALID_POLYGON),
    ("too_many_vertices", TOO_MANY_VERTICES),
    ("password_too_short", PASSWORD_TOO_SHORT),
    ("password_too_long", PASSWORD_TOO_LONG),
    ("password_too_common", PASSWORD_TOO_COMMON),
    ("wrong_password", WRONG_PASSWORD),
    ("wrong_code", WRONG_CODE),
    ("unknown_project", UNKNOWN_PROJECT),
    ("unknown_worksite", UNKNOWN_WORKSITE),
    ("unknown_machine", UNKNOWN_MACHINE),
    ("unknown_person", UNKNOWN_PERSON),
    ("unknown_tag", UNKNOWN_TAG),
    ("unknown_base_station", UNKNOWN_BASE_STATION),
    ("unknown_user", UNKNOWN_USER),
    ("unknown_saved_view", UNKNOWN_SAVED_VIEW),
    ("project_archived", PROJECT_ARCHIVED),
    ("worksite_archived", WORKSITE_ARCHIVED),
    ("machine_archived", MACHINE_ARCHIVED),
    ("person_archived", PERSON_ARCHIVED),
    ("person_erased", PERSON_ERASED),
    ("tag_retired", TAG_RETIRED),
    ("tag_already_assigned", TAG_ALREADY_ASSIGNED),
    ("already_checked_in", ALREADY_CHECKED_IN),
    ("not_a_visitor", NOT_A_VISITOR),
    ("overlap", OVERLAP),
    ("outside_visit", OUTSIDE_VISIT),
    ("not_yours_then", NOT_YOURS_THEN),
    ("invalid_url", INVALID_URL),
    ("not_https", NOT_HTTPS),
    ("private_address", PRIVATE_ADDRESS),
    ("duplicate", DUPLICATE),
    ("empty_scope", EMPTY_SCOPE),
    ("unknown_camera", UNKNOWN_CAMERA),
    ("repeated_dimension", REPEATED_DIMENSION),
    ("not_measured", NOT_MEASURED),
    ("too_wide", TOO_WIDE),
    ("too_many_points", TOO_MANY_POINTS),
    ("unknown_format", UNKNOWN_FORMAT),
    ("wrong_length", WRONG_LENGTH),
    ("repeated_column", REPEATED_COLUMN),
    ("broken_csv", BROKEN_CSV),
    ("too_many_lines", TOO_MANY_LINES),
    ("wrong_confirmation", WRONG_CONFIRMATION),
    ("projects_of_all", PROJECTS_OF_ALL),
    ("invalid_zones", INVALID_ZONES),
    ("too_many_rows", TOO_MANY_ROWS),
    ("too_many_columns", TOO_MANY_COLUMNS),
];

/// Codes whose English messages name the limits, such as `must be a whole number from 1 to 9`.
const PRECISE: &[&str] = &[
    "out_of_range",
    "too_long",
    "too_many",
    "overlap",
    "bad_time",
    "wrong_length",
    "not_allowed",
    "employee_id_shared",
    "too_many_rows",
    "too_many_columns",
];

/// Returns the sentence of a fault. Without one, the message of the API is shown, which is English; so it is to English readers where it
/// says more.
pub fn of(language: Language, code: &str) -> Option<&'static str> {
    if language == Language::English && PRECISE.contains(&code) {
        return None;
    }
    find(language, code, TABLE)
}

/// Returns the name of a field that a form does not show, by its name in the API. It is the label that the field has on the forms that show
/// it.
pub fn field(language: Language, name: &str) -> Option<&'static str> {
    let table = [
        ("name", sites::NAME),
        ("serial", base_stations::SERIAL),
        ("kind", sites::KIND),
        ("comment", incursions::COMMENT),
        ("review", incursions::REVIEW),
        ("boundary", sites::BOUNDARY),
        ("colour", sites::COLOUR),
        ("technical_contact", sites::CONTACT),
        ("effective_from", sites::SINCE),
        ("time_zone", sites::TIME_ZONE),
        ("project_id", sites::PROJECT),
        ("project_ids", alerts::PROJECTS),
        ("worksite_id", parts::SITE),
        ("worksite_ids", alerts::SITES),
        ("machine_id", values::MACHINE),
        ("machine_ids", alerts::MACHINES),
        ("person_id", values::PERSON),
        ("person_ids", alerts::PEOPLE),
        ("tag_id", values::TAG),
        ("tag_ids", alerts::TAGS),
        ("base_station_id", base_stations::STATION),
        ("base_station_ids", alerts::BASE_STATIONS),
        ("zones", alerts::ZONES),
        ("scope", alerts::SCOPE),
        ("metric", alerts::JUDGED),
        ("comparison", alerts::COMPARISON),
        ("threshold", alerts::THRESHOLD),
        ("window", alerts::WINDOW),
        ("window_minutes", alerts::WINDOW_MINUTES),
        ("minimum_count", alerts::MINIMUM_COUNT),
        ("split_by", alerts::SPLIT),
        ("severity", alerts::SEVERITY),
        ("cool_down_minutes", alerts::COOL_DOWN),
        ("notify_on_clear", alerts::NOTIFY_ON_CLEAR),
        ("active_hours", alerts::ACTIVE_HOURS),
        ("days", alerts::DAYS),
        ("outside_hours", alerts::OUTSIDE_HOURS),
        ("recipients", report_schedules::RECIPIENTS),
        ("period", parts::PERIOD),
        ("from", alerts::FROM),
        ("to", alerts::TO),
        ("format", reports::FORMAT),
        ("email", users::EMAIL),
        ("role", access::ROLE),
    ];
    find(language, name, &table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_has_a_sentence_in_the_language_of_the_reader() {
        assert_eq!(of(Language::German, "required"), Some("Bitte füllen Sie dieses Feld aus."));
        assert_eq!(of(Language::English, "out_of_range"), None);
        assert!(of(Language::German, "out_of_range").is_some());
        assert_eq!(of(Language::German, "no_such_code"), None);
        assert!(PRECISE.iter().all(|code| TABLE.iter().any(|(known, _)| known == code)));
    }
}

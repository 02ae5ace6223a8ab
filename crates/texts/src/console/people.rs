//! The pages of people: the list and one person.

use crate::Language;
use crate::text::{counted, find, texts};
use crate::values::UNKNOWN;

texts! {
    TITLE = "People", "Personen";
    NO_PEOPLE = "There are no people yet", "Es gibt noch keine Personen";
    NO_PEOPLE_REASON = "A person is shown here once they have been added to the registry or checked in as a visitor.",
        "Eine Person erscheint hier, sobald sie im Register angelegt oder als Besucher angemeldet ist.";
    ADD_PEOPLE = "Add people", "Personen anlegen";
    NAMES_HIDDEN = "Names are hidden from you. People are shown by their number.",
        "Namen sind für Sie verborgen. Personen werden mit ihrer Nummer gezeigt.";
    PERSON_ERASED = "The personal data of this person was erased. The incursions stay.",
        "Die personenbezogenen Daten dieser Person wurden gelöscht. Die Annäherungen bleiben erhalten.";
    PERSON_ARCHIVED = "This person has been archived since {at}.", "Diese Person ist seit {at} archiviert.";
    ABOUT = "About the person", "Zur Person";
    COMPANY = "Company", "Firma";
    EMPLOYEE_ID = "Employee number", "Personalnummer";
    EMAIL = "Email address", "E-Mail-Adresse";

    ROLES = "On foot and driving", "Zu Fuß und am Steuer";
    FIGURE = "Figure", "Kennzahl";
    ON_FOOT = "On foot", "Zu Fuß";
    DRIVING = "Driving", "Am Steuer";
    NOT_FOR_ROLE = "–", "–";

    LENGTHS = "Lengths of the incursions", "Längen der Annäherungen";
    LENGTHS_ALT = "Number of incursions by their length; the table below has the numbers",
        "Anzahl der Annäherungen nach ihrer Länge; die Tabelle darunter enthält die Zahlen";
    LENGTH = "Length", "Länge";
    SECONDS_BETWEEN = "{from} to {to} s", "{from} bis {to} s";
    SECONDS_OVER = "{from} s and longer", "{from} s und länger";
    WITHOUT_END = "Without an end", "Ohne Ende";
    SCORE = "Acknowledgement score while driving", "Quittierungsquote am Steuer";
    SCORE_ALT = "Share of incursions that this person acknowledged as operator, by day",
        "Anteil der Annäherungen, die diese Person am Steuer quittierte, nach Tagen";
    MACHINES_MET = "Machines met most", "Am häufigsten begegnete Maschinen";
    NO_MACHINES_MET = "No machine was met in this period", "In diesem Zeitraum gab es keine Begegnung mit einer Maschine";
    NO_MACHINES_MET_REASON = "Choose a longer period.", "Wählen Sie einen längeren Zeitraum.";

    TAGS = "Tags that are worn now", "Jetzt getragene Transponder";
    BATTERY = "Battery level", "Batteriestand";
    LAST_TEST = "Last test", "Letzter Test";
    ATTENTION = "To do", "Zu tun";
    NO_TAGS = "No tag is worn now", "Jetzt wird kein Transponder getragen";
    NO_TAGS_REASON = "Without a tag nobody is warned of this person.",
        "Ohne Transponder wird niemand vor dieser Person gewarnt.";
    TESTS = "Tests while this person wore a tag", "Tests, während diese Person einen Transponder trug";
    TESTED_AT = "Tested", "Getestet";
    RESULT = "Result", "Ergebnis";
    PASSED = "Passed", "Bestanden";
    NOT_PASSED = "Not passed", "Nicht bestanden";
    NO_TESTS = "There are no tests", "Es gibt keine Tests";
    NO_TESTS_REASON = "Tags are tested at a tester device or at a base station.",
        "Transponder werden an einem Testgerät oder an einer Basisstation getestet.";
    TEST_OVERDUE = "Test overdue", "Test überfällig";
    TEST_DUE = "Test due", "Test fällig";
    NEVER_TESTED = "Never tested", "Nie getestet";
    LOW_BATTERY = "Battery low", "Batterie schwach";
    CRITICAL_BATTERY = "Battery nearly empty", "Batterie fast leer";
    TAG_SILENT = "Silent", "Stumm";
    LINKS = "Tags until now", "Transponder bisher";
    NOTE_ADDED = "The note about the person was added.", "Die Notiz zur Person wurde hinzugefügt.";
    VISITS = "Visits of this person", "Besuche dieser Person";
}

counted! {}

/// Returns what is to be done about a tag.
pub fn tag_flag(language: Language, word: &str) -> &'static str {
    let table = [
        ("test_overdue", TEST_OVERDUE),
        ("test_due", TEST_DUE),
        ("never_tested", NEVER_TESTED),
        ("low_battery", LOW_BATTERY),
        ("critical_battery", CRITICAL_BATTERY),
        ("silent", TAG_SILENT),
    ];
    find(language, word, &table).unwrap_or(UNKNOWN.get(language))
}

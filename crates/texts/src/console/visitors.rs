//! The pages of visitors: who is on site, check-in, one visit.

use crate::text::{counted, texts};

texts! {
    TITLE = "Visitors", "Besucher";
    CHECK_IN = "Check in", "Anmelden";
    CHECK_IN_TITLE = "Check a visitor in", "Besucher anmelden";
    CHECK_OUT = "Check out", "Abmelden";
    NAME = "Name of the visitor", "Name des Besuchers";
    NAME_HINT = "Leave it empty if the visitor is chosen below.",
        "Leer lassen, wenn der Besucher unten gewählt wird.";
    EMAIL = "Email address", "E-Mail-Adresse";
    EMAIL_HINT = "A visitor with the same address is recognised.",
        "Ein Besucher mit derselben Adresse wird wiedererkannt.";
    KNOWN = "Was here before", "War schon einmal hier";
    NEW_VISITOR = "No, a new visitor", "Nein, ein neuer Besucher";
    TAG_SERIAL = "Serial number of the tag", "Seriennummer des Transponders";
    TAG_HINT = "It is printed on the tag that the visitor gets.",
        "Sie steht auf dem Transponder, den der Besucher bekommt.";
    WORKSITE = "Site that is visited", "Besuchter Standort";
    COMPANY = "Company", "Firma";
    NOTES = "Remarks", "Bemerkungen";
    EXPECTED_UNTIL = "Expected until", "Erwartet bis";
    UNTIL_HINT = "By the clock of the site; without a site, by that of {zone}.",
        "Nach der Uhr am Standort; ohne Standort nach der von {zone}.";
    NO_SITE = "No site", "Kein Standort";
    NAMES_HIDDEN = "Names are hidden from you. Visitors are shown by their number.",
        "Namen sind für Sie verborgen. Besucher werden mit ihrer Nummer gezeigt.";
    CHECKED_IN = "The visitor is checked in.", "Der Besucher ist angemeldet.";
    CHECKED_OUT = "The visitor is checked out.", "Der Besucher ist abgemeldet.";
    REOPENED = "The visitor is on site again.", "Der Besucher ist wieder vor Ort.";
    CORRECTED = "The visit was corrected.", "Der Besuch wurde berichtigt.";

    ON_SITE = "On site now", "Jetzt vor Ort";
    HISTORY = "Visits that ended", "Beendete Besuche";
    NOBODY = "Nobody is on site", "Niemand ist vor Ort";
    NOBODY_REASON = "A visitor is listed here from check-in to check-out.",
        "Ein Besucher steht hier von der Anmeldung bis zur Abmeldung.";
    NO_HISTORY = "No visit ended in this period", "In diesem Zeitraum endete kein Besuch";
    NO_HISTORY_REASON = "Choose a longer period or another site.",
        "Wählen Sie einen längeren Zeitraum oder einen anderen Standort.";
    VISITOR = "Visitor", "Besucher";
    SINCE = "Checked in", "Angemeldet";
    UNTIL = "Checked out", "Abgemeldet";
    STAY = "Time on site", "Zeit vor Ort";
    STATE = "State", "Zustand";
    OVERDUE = "Overdue", "Überfällig";
    HERE = "On site", "Vor Ort";
    LEFT = "Left", "Gegangen";
    CLOSED_AUTOMATICALLY = "Closed automatically", "Automatisch beendet";

    VISIT_OF = "Visit of {name}", "Besuch von {name}";
    VISIT = "The visit", "Der Besuch";
    BY_WHOM = "Checked in by", "Angemeldet durch";
    OUT_BY_WHOM = "Checked out by", "Abgemeldet durch";
    CLOCK_HINT = "By the clock of {zone}.", "Nach der Uhr von {zone}.";
    CORRECT = "Correct the visit", "Besuch berichtigen";
    CHECKED_IN_AT = "Time of check-in", "Zeit der Anmeldung";
    CHECKED_OUT_AT = "Time of check-out", "Zeit der Abmeldung";
    STILL_HERE_HINT = "Empty while the visitor is on site.", "Leer, solange der Besucher vor Ort ist.";
    SAVE = "Save", "Speichern";
    AGAIN = "Check in again", "Erneut anmelden";
    INCURSIONS = "Incursions of this visit", "Annäherungen dieses Besuchs";
    NO_INCURSIONS = "There were no incursions during this visit", "Während dieses Besuchs gab es keine Annäherungen";
    NO_INCURSIONS_REASON = "That is how it should be.", "So soll es sein.";
    ALL_INCURSIONS = "The incursions of this visit in the list", "Die Annäherungen dieses Besuchs in der Liste";
    BACK = "All visitors", "Alle Besucher";
}

counted! {
    ON_SITE_COUNT = ("One visitor on site", "{n} visitors on site"), ("Ein Besucher vor Ort", "{n} Besucher vor Ort");
}

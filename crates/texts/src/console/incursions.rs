//! Incursions: the list with its filters, and one incursion with its reviews.

use crate::text::{counted, find, texts};
use crate::{Language, values};

texts! {
    TITLE = "Incursions", "Annäherungen";
    INCURSION = "Incursion", "Annäherung";
    EXPORT = "Exports", "Exporte";
    EXPORT_HAS_ALL = "An export has all {total} incursions, in the order in which they started.",
        "Ein Export enthält alle {total} Annäherungen, in der Reihenfolge ihres Beginns.";
    EXPORT_ALL = "Export them", "Exportieren";
    FILTERS = "More filters", "Weitere Filter";
    SHOW = "Show", "Anzeigen";
    WITHOUT_FILTERS = "Without these filters", "Ohne diese Filter";
    TAKE_AWAY = "Remove", "Entfernen";
    EITHER = "either", "beides";
    ALL_MACHINES = "all", "alle";
    PERSON = "Person, on foot or as operator", "Person, zu Fuß oder als Maschinenführer";
    SEARCH_HINT = "For a person, a tag or a base station, part of the name or of the serial number is enough.",
        "Für eine Person, einen Transponder oder eine Basisstation genügt ein Teil des Namens oder der Seriennummer.";
    SEARCH_HINT_WITHOUT_NAMES = "People are found as your pages call them, such as “Person 12”; for a tag, part of the serial \
        number is enough, and for a base station part of the serial number or of the name.",
        "Personen werden so gefunden, wie Ihre Seiten sie nennen, etwa „Person 12“; für einen Transponder genügt ein \
        Teil der Seriennummer, für eine Basisstation ein Teil der Seriennummer oder des Namens.";
    WHICH_ONE = "{field}: which one do you mean by “{text}”?", "{field}: Was ist mit „{text}“ gemeint?";
    SEVERAL_MATCH = "Several match. Choose one below, or write more.",
        "Mehrere passen. Wählen Sie unten aus, oder schreiben Sie mehr.";
    NOTHING_MATCHES = "Nothing matches. Check the spelling, or write less.",
        "Nichts passt. Prüfen Sie die Schreibweise, oder schreiben Sie weniger.";
    MORE_MATCH = "There are more. Write more to see them.",
        "Es gibt weitere. Schreiben Sie mehr, um sie zu sehen.";
    MACHINE_KIND = "Kind of machine", "Art der Maschine";
    MIN_LENGTH = "At least this long, in seconds", "Mindestens so lang, in Sekunden";
    MAX_LENGTH = "At most this long, in seconds", "Höchstens so lang, in Sekunden";
    NO_MATCH = "No incursions match", "Keine Annäherung passt";
    NO_MATCH_REASON = "There are none in this period with these filters. Dismissed ones and false detections are \
        listed only if you choose them under review.",
        "Im Zeitraum gibt es keine mit diesen Filtern. Verworfene und Fehlerkennungen erscheinen nur, wenn Sie sie bei \
        der Prüfung auswählen.";
    ALL_INCURSIONS = "Show all of the last 365 days", "Alle der letzten 365 Tage zeigen";

    STARTED = "Started", "Begonnen";
    ENDED = "Ended", "Beendet";
    LENGTH = "Length", "Dauer";
    ZONE = "Innermost zone", "Innerste Zone";
    CLOSEST = "Closest distance", "Kleinster Abstand";
    ACKNOWLEDGED = "Acknowledged", "Quittiert";
    ACKNOWLEDGED_AFTER = "in the cab after {after}", "in der Kabine nach {after}";
    NOT_ACKNOWLEDGED = "not acknowledged in the cab", "in der Kabine nicht quittiert";
    NOT = "not", "nicht";
    NO_END = "no end", "kein Ende";
    STILL_OPEN = "no end was reported yet", "noch kein Ende gemeldet";
    END_NEVER_REPORTED = "the end was never reported", "das Ende wurde nie gemeldet";
    MACHINE = "Machine", "Maschine";
    PEDESTRIAN = "Person on foot", "Person zu Fuß";
    OPERATOR = "Operator", "Maschinenführer";
    SITE = "Site", "Standort";
    PROJECT = "Project", "Projekt";
    BASE_STATION = "Base station", "Basisstation";
    TAG = "Tag", "Transponder";
    REVIEW = "Review", "Prüfung";
    NONE = "none", "keine Angabe";

    BACK_TO_LIST = "Back to the list", "Zurück zur Liste";
    PREVIOUS = "Previous", "Vorige";
    NEXT = "Next", "Nächste";
    WHAT_HAPPENED = "What happened", "Was geschah";
    WHERE = "Where", "Wo";
    MAP_ALT = "Map with the place of the incursion and the track of the machine",
        "Karte mit dem Ort der Annäherung und dem Weg der Maschine";
    NO_POSITION = "The base station reported no position.", "Die Basisstation hat keine Position gemeldet.";
    VIDEO = "Video", "Videoaufnahme";
    ASK_FOR_CLIP = "Ask for the video", "Video anfordern";
    CLIP_ASKED = "The video was asked for. It appears here when the base station has sent it.",
        "Das Video wurde angefordert. Es erscheint hier, sobald die Basisstation es gesendet hat.";

    REVIEW_BY_OFFICE = "Review by the office", "Prüfung durch das Büro";
    COMMENT = "Comment", "Kommentar";
    COMMENT_HINT = "Kept with the review; only those who see names can read it.",
        "Bleibt bei der Prüfung; nur wer Namen sieht, kann ihn lesen.";
    CONFIRM = "Confirm", "Bestätigen";
    DISMISS = "Dismiss", "Verwerfen";
    FALSE_DETECTION = "False detection", "Fehlerkennung";
    WITHDRAW = "Withdraw the review", "Prüfung zurücknehmen";
    MAY_NOT_REVIEW = "Your role reads incursions and does not review them.",
        "Ihre Rolle liest Annäherungen und prüft sie nicht.";
    KEYS = "Keys", "Tasten";
    KEYS_TEXT = "n next, p previous, c confirm, d dismiss, f false detection, u withdraw, ? these keys. \
        Escape leaves the comment.",
        "n nächste, p vorige, c bestätigen, d verwerfen, f Fehlerkennung, u zurücknehmen, ? diese Tasten. \
        Escape verlässt den Kommentar.";
    REVIEWED = "The review was saved.", "Die Prüfung wurde gespeichert.";
    UNDONE = "The review was undone.", "Die Prüfung wurde rückgängig gemacht.";

    REVIEWS = "Reviews", "Prüfungen";
    AT = "When", "Wann";
    BY = "By", "Von";
    NO_REVIEWS = "Not reviewed yet", "Noch nicht geprüft";
    NO_REVIEWS_REASON = "What the office says about it is listed here, the newest first.",
        "Was das Büro dazu sagt, steht hier, das Neueste zuerst.";
    CHANGES = "History", "Verlauf";
    CAUSE = "Cause", "Anlass";
    BEFORE = "Before", "Davor";
    WAS = "{zone}, {review}", "{zone}, {review}";
    NOT_VISIBLE = "in a project that you do not see", "in einem Projekt, das Sie nicht sehen";
    NO_CHANGES = "Never changed", "Nie geändert";
    NO_CHANGES_REASON = "It is as it was first reported.", "Sie ist, wie sie zuerst gemeldet wurde.";

    CAUSE_REPORT = "the base station reported more", "die Basisstation meldete mehr";
    CAUSE_ATTRIBUTION = "a link was corrected", "eine Zuordnung wurde berichtigt";
    CAUSE_REVIEW = "it was reviewed", "sie wurde geprüft";
    CAUSE_CLOSING = "its end was never reported", "ihr Ende wurde nie gemeldet";
}

counted! {}

/// Returns why an incursion changed.
pub fn cause(language: Language, word: &str) -> &'static str {
    let table = [
        ("report", CAUSE_REPORT),
        ("attribution", CAUSE_ATTRIBUTION),
        ("review", CAUSE_REVIEW),
        ("closing", CAUSE_CLOSING),
    ];
    find(language, word, &table).unwrap_or(values::UNKNOWN.get(language))
}

//! Sentences that say why a report, or a link to one, has no file.

use crate::Language;
use crate::text::{counted, find, texts};

texts! {
    CANCELLED = "The report was cancelled before it was finished.",
        "Der Bericht wurde abgebrochen, bevor er fertig war.";
    DELETED = "The report was deleted.", "Der Bericht wurde gelöscht.";
    RETENTION_ENDED = "The report was deleted because its retention period is over.",
        "Der Bericht wurde gelöscht, weil seine Aufbewahrungsfrist abgelaufen ist.";
    PERSON_ERASED = "A person in the report has been erased.",
        "Eine Person, die im Bericht vorkommt, wurde gelöscht.";
    USER_DEACTIVATED = "The author of the report has been deactivated.",
        "Das Konto des Verfassers wurde deaktiviert.";
    PERMISSION_MISSING = "The author of the report is no longer allowed to see these figures.",
        "Der Verfasser darf diese Zahlen nicht mehr sehen.";
    TOO_MANY_ROWS = "There are more rows than such a file can have. Narrow the filters, or choose another \
        format.",
        "Es gibt mehr Zeilen, als eine solche Datei haben kann. Schränken Sie die Filter ein, oder wählen Sie \
        ein anderes Format.";
    TOO_MANY_COLUMNS = "There are more columns than such a file can have. Move a dimension to the rows, or choose \
        another format.",
        "Es gibt mehr Spalten, als eine solche Datei haben kann. Verschieben Sie eine Dimension in die Zeilen, oder \
        wählen Sie ein anderes Format.";
    TOO_MANY_GROUPS = "There are more groups than can be computed. Narrow the filters, or remove a dimension.",
        "Es gibt mehr Gruppen, als berechnet werden können. Schränken Sie die Filter ein, oder entfernen Sie eine \
        Dimension.";
    TOO_MANY_PAGES = "The document would have too many pages. Narrow the filters, or choose another format.",
        "Das Dokument hätte zu viele Seiten. Schränken Sie die Filter ein, oder wählen Sie ein anderes Format.";
    TOOK_TOO_LONG = "Making the file took too long in several attempts. Narrow the filters, choose another format, or request \
        the report again when less is going on.",
        "Die Datei zu erstellen hat in mehreren Versuchen zu lange gedauert. Schränken Sie die Filter ein, wählen Sie ein \
        anderes Format, oder fordern Sie den Bericht noch einmal an, wenn weniger los ist.";
    GIVEN_UP = "The report could not be made in several attempts. Request it again later.",
        "Der Bericht konnte auch in mehreren Versuchen nicht erstellt werden. Fordern Sie ihn später noch \
        einmal an.";
    NUMBERS_BEHIND = "The figures were not up to date yet. Request the report again in a few minutes.",
        "Die Zahlen waren noch nicht auf dem neuesten Stand. Fordern Sie den Bericht in einigen Minuten noch \
        einmal an.";
    SUBJECT_GONE = "What the report is about no longer exists, or its author may no longer see it.",
        "Das, wovon der Bericht handelt, gibt es nicht mehr, oder sein Verfasser darf es nicht mehr sehen.";
    FIGURES_LOST = "The stored figures of the report are missing.",
        "Die gespeicherten Zahlen des Berichts fehlen.";
    OTHERWISE = "The report could not be made; the log has the details.",
        "Der Bericht konnte nicht erstellt werden; Näheres steht im Protokoll.";

    /// The title of the page that a link leads to if it has no file.
    NO_FILE = "There is no file behind this link", "Hinter diesem Link ist keine Datei";
    LINK_UNKNOWN = "This link does not exist. Copy it from the mail completely, up to its end.",
        "Diesen Link gibt es nicht. Kopieren Sie ihn vollständig aus der Mail, bis zu seinem Ende.";
    LINK_EXPIRED = "This link has expired. The person who is named in the mail can give you the report.",
        "Dieser Link ist abgelaufen. Die Person, die in der Mail genannt ist, kann Ihnen den Bericht geben.";
    LINKED_REPORT_GONE = "The report behind this link was deleted or has expired.",
        "Der Bericht hinter diesem Link wurde gelöscht oder ist abgelaufen.";
    LINKED_REPORT_NOT_READY = "The report behind this link is being made again. Open the link again in a few minutes.",
        "Der Bericht hinter diesem Link wird gerade neu erstellt. Öffnen Sie den Link in einigen Minuten noch \
        einmal.";
}

counted! {}

/// Returns the sentence of a reason. A reason that has none is an error of the program, which is in its log.
pub(crate) fn sentence(language: Language, word: &str) -> &'static str {
    let table = [
        ("cancelled", CANCELLED),
        ("deleted", DELETED),
        ("expired", RETENTION_ENDED),
        ("person_erased", PERSON_ERASED),
        ("user_deactivated", USER_DEACTIVATED),
        ("permission_missing", PERMISSION_MISSING),
        ("too_many_rows", TOO_MANY_ROWS),
        ("too_many_columns", TOO_MANY_COLUMNS),
        ("too_many_groups", TOO_MANY_GROUPS),
        ("too_many_cells", TOO_MANY_GROUPS),
        ("too_many_pages", TOO_MANY_PAGES),
        ("took_too_long", TOOK_TOO_LONG),
        ("given_up", GIVEN_UP),
        ("numbers_behind", NUMBERS_BEHIND),
        ("unknown_project", SUBJECT_GONE),
        ("unknown_worksite", SUBJECT_GONE),
        ("unknown_machine", SUBJECT_GONE),
        ("unknown_base_station", SUBJECT_GONE),
        ("unknown_person", SUBJECT_GONE),
        ("unknown_tag", SUBJECT_GONE),
        ("unknown_site_report", SUBJECT_GONE),
        ("report_expired", FIGURES_LOST),
        ("figures_missing", FIGURES_LOST),
    ];
    find(language, word, &table).unwrap_or(OTHERWISE.get(language))
}

/// Returns the sentence that says why a link has no file, by the code of the error; none for errors that have nothing to do with the link.
pub fn of_link(language: Language, code: &str) -> Option<&'static str> {
    let table = [
        ("not_found", LINK_UNKNOWN),
        ("link_expired", LINK_EXPIRED),
        ("report_expired", LINKED_REPORT_GONE),
        ("report_failed", LINKED_REPORT_GONE),
        ("not_ready", LINKED_REPORT_NOT_READY),
    ];
    find(language, code, &table)
}

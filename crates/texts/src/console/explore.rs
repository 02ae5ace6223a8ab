//! The texts of /explore: the pivot, saved views, exports, and the incursions behind a number.

use crate::text::{counted, find, texts};
use crate::{Language, values};

texts! {
    TITLE = "Explore", "Auswertung";
    NEW_TABLE = "New table", "Neue Tabelle";
    ALL_VIEWS = "All saved views", "Alle gespeicherten Ansichten";
    MY_EXPORTS = "My exports", "Meine Exporte";

    EDITOR = "Rows, columns and measures", "Zeilen, Spalten und Kennzahlen";
    ROW_ONE = "Rows", "Zeilen";
    ROW_TWO = "Rows, then by", "Zeilen, danach nach";
    ROW_THREE = "Rows, third level", "Zeilen, dritte Ebene";
    ROW_FOUR = "Rows, fourth level", "Zeilen, vierte Ebene";
    COLUMN_ONE = "Columns", "Spalten";
    COLUMN_TWO = "Columns, then by", "Spalten, danach nach";
    MEASURES = "Measures", "Kennzahlen";
    NOTHING_CHOSEN = "none", "keine";
    SORT = "Order of rows", "Reihenfolge der Zeilen";
    BY_NAME = "by name or time", "nach Name oder Zeit";
    HIGHEST_FIRST = "{measure}, highest first", "{measure}, höchste zuerst";
    LEAST_FIRST = "{measure}, lowest first", "{measure}, niedrigste zuerst";
    LIMIT = "Rows under each heading", "Zeilen je Überschrift";
    TOTALS = "Totals", "Summen";
    WITH_TOTALS = "with subtotals and totals", "mit Zwischen- und Gesamtsummen";
    WITHOUT_TOTALS = "only the innermost rows", "nur die innersten Zeilen";
    FILTERS = "More filters", "Weitere Filter";
    WITHOUT_FILTERS = "Without these filters", "Ohne diese Filter";
    TAKE_AWAY = "Remove", "Entfernen";
    SWAP = "Swap rows and columns", "Zeilen und Spalten tauschen";
    SHOW = "Show the table", "Tabelle anzeigen";

    CAPTION = "{measures} by {dimensions}", "{measures} nach {dimensions}";
    CAPTION_TOTALS = "{measures} in total", "{measures} insgesamt";
    TOTAL = "Total", "Gesamt";
    ALL_COLUMNS = "All", "Alle";
    INCOMPLETE = "incomplete", "unvollständig";
    HOW_TO_READ = "A name leads deeper into its part, a number to the incursions behind it.",
        "Ein Name führt tiefer in seinen Teil, eine Zahl zu den Annäherungen dahinter.";
    SHADES = "The more strongly a rate is shaded, the higher it is within this table.",
        "Je kräftiger eine Quote unterlegt ist, desto höher ist sie innerhalb dieser Tabelle.";
    AS_CSV = "Take all rows along as CSV", "Alle Zeilen als CSV mitnehmen";
    CSV_TOO_LARGE = "A CSV has all rows of a table, and those of this one are too many. Remove a dimension, narrow the \
        filters, or export what is shown.",
        "Eine CSV enthält alle Zeilen einer Tabelle, und diese hat zu viele. Entfernen Sie eine Dimension, schränken Sie \
        die Filter ein, oder exportieren Sie, was gezeigt ist.";
    TOO_WIDE = "This table would be too large. Remove a dimension, narrow the filters, or show fewer rows.",
        "Diese Tabelle wäre zu groß. Entfernen Sie eine Dimension, schränken Sie die Filter ein, oder zeigen Sie weniger \
        Zeilen.";
    MISSING = "The filters name records that do not exist or that you may not see: {records}. They still restrict the \
        numbers.",
        "Die Filter nennen Einträge, die es nicht gibt oder die Sie nicht sehen dürfen: {records}. Sie schränken die Zahlen \
        trotzdem ein.";
    NOTHING = "No incursions and no runtime", "Keine Annäherungen und keine Betriebszeit";
    NOTHING_REASON = "There is nothing in this period with these filters.",
        "Im Zeitraum gibt es mit diesen Filtern nichts.";
    LONGER_PERIOD = "Show the last 365 days", "Die letzten 365 Tage zeigen";

    VIEWS = "Saved views", "Gespeicherte Ansichten";
    NO_VIEWS = "No view is saved yet", "Noch keine Ansicht gespeichert";
    NO_VIEWS_REASON = "Build a table and save it under a name. It then opens with one click, for you or for everyone.",
        "Stellen Sie eine Tabelle zusammen, und speichern Sie sie unter einem Namen. Dann öffnet sie sich mit einem Klick, \
        für Sie oder für alle.";
    BUILD_TABLE = "Build a table", "Tabelle zusammenstellen";
    SAVE_AS = "Save as a view", "Als Ansicht speichern";
    VIEW_NAME = "Name", "Name";
    VIEW_SHARED = "Everyone in the brand may use it", "Alle in der Marke dürfen sie verwenden";
    PERIOD_HINT = "Days of your own are saved with it. A preset is not: the view then shows the period that is picked when \
        it is opened.",
        "Eigene Tage werden mitgespeichert. Eine Vorgabe nicht: Die Ansicht zeigt dann den Zeitraum, der beim Öffnen \
        gewählt ist.";
    REPLACE = "Keep the table as it is now", "Die Tabelle so übernehmen, wie sie jetzt ist";
    SAVE = "Save", "Speichern";
    DELETE_VIEW = "Delete the view", "Ansicht löschen";
    THIS_VIEW = "View “{name}”", "Ansicht „{name}“";
    VIEW_CHANGED = "The table differs from the saved view.", "Die Tabelle weicht von der gespeicherten Ansicht ab.";
    BACK_TO_VIEW = "Back to what was saved", "Zurück zum Gespeicherten";
    NOT_YOUR_VIEW = "Somebody shared this view. Save a view of your own to keep changes.",
        "Jemand hat diese Ansicht geteilt. Um Änderungen zu behalten, speichern Sie eine eigene.";
    SAVED = "The view was saved.", "Die Ansicht wurde gespeichert.";
    CHANGED = "The view was changed.", "Die Ansicht wurde geändert.";
    DELETED = "The view was deleted.", "Die Ansicht wurde gelöscht.";
    KIND = "Shows", "Zeigt";
    KIND_PIVOT = "a table", "eine Tabelle";
    KIND_FILTER = "incursions", "Annäherungen";
    OWNER = "Whose", "Wessen";
    YOURS = "yours", "Ihre";
    SOMEBODYS = "shared by somebody else", "von jemandem geteilt";
    SHARED = "shared", "geteilt";
    PRIVATE = "only you", "nur Sie";
    SEEN_BY = "Seen by", "Sichtbar für";
    UPDATED = "Changed", "Geändert";

    EXPORT = "Export", "Exportieren";
    EXPORTS = "Exports", "Exporte";
    EXPORT_INCURSIONS = "Export incursions", "Annäherungen exportieren";
    EXPORT_INTRO = "One row for each incursion of the period, project and site that are picked above. The file is written in \
        the background; nobody else sees it.",
        "Eine Zeile je Annäherung des oben gewählten Zeitraums, Projekts und Standorts. Die Datei wird im Hintergrund \
        geschrieben; niemand sonst sieht sie.";
    EXPORT_FILTERED = "The filters of the list of incursions apply, too.",
        "Auch die Filter der Liste der Annäherungen gelten.";
    EXPORT_LIST = "Show the list", "Liste zeigen";
    CONTENT = "Content", "Inhalt";
    CONTENT_TABLE = "This table", "Diese Tabelle";
    CONTENT_INCURSIONS = "The incursions behind it, one per row", "Die Annäherungen dahinter, je eine Zeile";
    OF_TABLE = "Table", "Tabelle";
    OF_INCURSIONS = "Incursions", "Annäherungen";
    FORMAT = "Format", "Format";
    FORMAT_XLSX = "Excel workbook (XLSX)", "Excel-Arbeitsmappe (XLSX)";
    FORMAT_CSV = "CSV", "CSV";
    FORMAT_NDJSON = "one JSON object per line (NDJSON)", "ein JSON-Objekt je Zeile (NDJSON)";
    FORMAT_PARQUET = "Parquet, for data programs", "Parquet, für Datenprogramme";
    ORDER_EXPORT = "Write the file", "Datei schreiben";
    EXPORT_ORDERED = "The export was ordered.", "Der Export wurde bestellt.";
    EXPORT_DELETED = "The export was deleted.", "Der Export wurde gelöscht.";
    NO_EXPORTS = "No exports yet", "Noch keine Exporte";
    NO_EXPORTS_REASON = "Order one above, or from a table in Explore. Files are kept for some days.",
        "Bestellen Sie oben einen, oder aus einer Tabelle in der Auswertung. Dateien bleiben einige Tage.";
    FILE = "File", "Datei";
    STATE = "State", "Stand";
    SIZE = "Size", "Größe";
    ORDERED = "Ordered", "Bestellt";
    PERIOD = "Period", "Zeitraum";
    DAYS = "{from} – {to}", "{from} – {to}";
    ROW_COUNT = "Rows", "Zeilen";
    KEPT_UNTIL = "Kept until", "Aufbewahrt bis";
    REASON = "Why there is no file", "Warum es keine Datei gibt";
    DOWNLOAD = "Download", "Herunterladen";
    CANCEL_EXPORT = "Cancel", "Abbrechen";
    DELETE_EXPORT = "Delete", "Löschen";
    ACTIONS = "Actions", "Aktionen";
    STATE_QUEUED = "waiting", "wartet";
    STATE_RUNNING = "{percent} % written", "zu {percent} % geschrieben";
    STATE_DONE = "ready", "fertig";
    STATE_FAILED = "failed", "gescheitert";
    STATE_EXPIRED = "deleted", "gelöscht";

    WHY_CANCELLED = "It was cancelled before it was finished.", "Er wurde abgebrochen, bevor er fertig war.";
    WHY_DELETED = "The file was deleted.", "Die Datei wurde gelöscht.";
    WHY_PERSON_ERASED = "A person in the file has been erased.", "Eine Person in der Datei wurde gelöscht.";
    WHY_PERMISSION = "You may no longer see these figures.", "Sie dürfen diese Zahlen nicht mehr sehen.";
    WHY_TOO_LARGE = "There is more than such a file can hold. Narrow the filters, or choose another format.",
        "Es gibt mehr, als eine solche Datei fasst. Schränken Sie die Filter ein, oder wählen Sie ein anderes Format.";
    WHY_GIVEN_UP = "It could not be written in several attempts. Order it again later.",
        "Auch in mehreren Versuchen konnte sie nicht geschrieben werden. Bestellen Sie sie später noch einmal.";
    WHY_EXPIRED = "Its time was over, and the file was deleted.", "Die Frist war um, und die Datei wurde gelöscht.";

    BEHIND = "Incursions behind the number", "Annäherungen hinter der Zahl";
    BEHIND_FILTER = "Only: {what}", "Nur: {what}";
    WITHOUT = "without {dimension}", "ohne {dimension}";
    BACK_TO_TABLE = "Back to Explore", "Zurück zur Auswertung";
    BEHIND_NONE = "No incursions match", "Keine Annäherung passt";
    BEHIND_NONE_REASON = "They may have changed since the table was made.",
        "Sie können sich geändert haben, seit die Tabelle entstand.";
    STARTED = "Started", "Begonnen";
    SITE = "Site", "Standort";
    MACHINE = "Machine", "Maschine";
    PEDESTRIAN = "Person on foot", "Person zu Fuß";
    OPERATOR = "Operator", "Maschinenführer";
    ZONE = "Innermost zone", "Innerste Zone";
    LENGTH = "Length", "Dauer";
    ACKNOWLEDGED_AFTER = "Acknowledged after", "Quittiert nach";
}

counted! {
    MORE_ROWS = ("{n} more row is not shown", "{n} more rows are not shown"),
        ("{n} weitere Zeile ist nicht gezeigt", "{n} weitere Zeilen sind nicht gezeigt");
    CUT_ROWS = (
        "{n} row is left out here, because the page would be too large. The export has it.",
        "{n} rows are left out here, because the page would be too large. The export has them."
    ), (
        "{n} Zeile fehlt hier, weil die Seite zu groß würde. Der Export enthält sie.",
        "{n} Zeilen fehlen hier, weil die Seite zu groß würde. Der Export enthält sie."
    );
    BEHIND_FOUND = ("{n} incursion", "{n} incursions"), ("{n} Annäherung", "{n} Annäherungen");
    BEHIND_SEARCHED = (
        "Only {n} incursion was looked through. Choose a shorter period to see all.",
        "Only the newest {n} incursions were looked through. Choose a shorter period to see all."
    ), (
        "Nur {n} Annäherung wurde durchgesehen. Wählen Sie einen kürzeren Zeitraum, um alle zu sehen.",
        "Nur die neuesten {n} Annäherungen wurden durchgesehen. Wählen Sie einen kürzeren Zeitraum, um alle zu sehen."
    );
}

/// Returns why an export has no file.
pub fn export_reason(language: Language, word: &str) -> &'static str {
    let table = [
        ("cancelled", WHY_CANCELLED),
        ("deleted", WHY_DELETED),
        ("person_erased", WHY_PERSON_ERASED),
        ("user_deactivated", WHY_PERMISSION),
        ("permission_missing", WHY_PERMISSION),
        ("too_many_rows", WHY_TOO_LARGE),
        ("too_many_columns", WHY_TOO_LARGE),
        ("too_many_groups", WHY_TOO_LARGE),
        ("too_many_cells", WHY_TOO_LARGE),
    ];
    find(language, word, &table).unwrap_or(WHY_GIVEN_UP.get(language))
}

/// Returns the name of a file format.
pub fn format(language: Language, word: &str) -> &'static str {
    let table =
        [("xlsx", FORMAT_XLSX), ("csv", FORMAT_CSV), ("ndjson", FORMAT_NDJSON), ("parquet", FORMAT_PARQUET)];
    find(language, word, &table).unwrap_or(values::UNKNOWN.get(language))
}

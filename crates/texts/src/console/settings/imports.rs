//! Texts of the pages that import files.

use crate::text::{counted, texts};

texts! {
    MACHINES = "Import machines", "Maschinen importieren";
    PEOPLE = "Import people", "Personen importieren";
    TAGS = "Import tags", "Transponder importieren";
    BASE_STATIONS = "Import base stations", "Basisstationen importieren";
    LEAD = "The file is checked first and shown as a table. Nothing is added until you confirm it, and then all lines or none.",
        "Die Datei wird zuerst geprüft und als Tabelle gezeigt. Bis Sie es bestätigen, wird nichts hinzugefügt, und dann alle \
        Zeilen oder keine.";
    FILE = "CSV file", "CSV-Datei";
    FILE_HINT = "In UTF-8, separated by commas or semicolons, with a first line that names the columns. At most 5,000 lines \
        and 1 MiB.",
        "In UTF-8, mit Kommas oder Semikolons getrennt und mit einer ersten Zeile, die die Spalten nennt. Höchstens \
        5.000 Zeilen und 1 MiB.";
    COLUMNS = "Columns that the file may have: {columns}.", "Spalten, die die Datei haben kann: {columns}.";
    EXAMPLE = "An example", "Ein Beispiel";
    CHECK = "Check the file", "Datei prüfen";
    RESTRICTED = "You are restricted to some projects and would not see what you import.",
        "Sie sind auf einige Projekte beschränkt und würden nicht sehen, was Sie importieren.";

    CHECKED = "What was checked", "Was geprüft wurde";
    LINE = "Line", "Zeile";
    OUTCOME = "Result", "Ergebnis";
    WILL_BE_ADDED = "Will be added", "Wird hinzugefügt";
    HAS_FAULTS = "Has faults", "Ist fehlerhaft";
    ONLY_FIRST = "Only the first {n} of these lines are shown.", "Nur die ersten {n} dieser Zeilen werden gezeigt.";
    CHOOSE_AGAIN = "Put the file right and choose it again.", "Berichtigen Sie die Datei und wählen Sie sie erneut.";
    NO_LINES = "There are no lines", "Es gibt keine Zeilen";
    ANOTHER = "Choose another file", "Eine andere Datei wählen";

    MACHINES_IMPORTED = "All machines of the file were added.", "Alle Maschinen der Datei wurden hinzugefügt.";
    PEOPLE_IMPORTED = "All people of the file were added.", "Alle Personen der Datei wurden hinzugefügt.";
    TAGS_IMPORTED = "All tags of the file were added.", "Alle Transponder der Datei wurden hinzugefügt.";
    BASE_STATIONS_IMPORTED = "All base stations of the file were added.",
        "Alle Basisstationen der Datei wurden hinzugefügt.";
}

counted! {
    CAN_BE_ADDED = ("The line can be added. Nothing has been added yet.",
        "All {n} lines can be added. Nothing has been added yet."),
        ("Die Zeile kann hinzugefügt werden. Noch wurde nichts hinzugefügt.",
        "Alle {n} Zeilen können hinzugefügt werden. Noch wurde nichts hinzugefügt.");
    FAULTY_LINES = ("1 line has faults. Nothing has been added.", "{n} lines have faults. Nothing has been added."),
        ("1 Zeile ist fehlerhaft. Es wurde nichts hinzugefügt.",
        "{n} Zeilen sind fehlerhaft. Es wurde nichts hinzugefügt.");
    ADD_ALL = ("Add 1 line", "Add {n} lines"), ("1 Zeile hinzufügen", "{n} Zeilen hinzufügen");
}

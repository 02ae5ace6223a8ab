//! The texts of /reports: the list, one report, and the form that orders one.

use crate::text::{counted, find, texts};
use crate::{Language, Text, values};

texts! {
    TITLE = "Reports", "Berichte";
    REPORT = "Report", "Bericht";
    ALL_REPORTS = "All reports", "Alle Berichte";
    NEW = "New report", "Neuer Bericht";
    SCHEDULES = "Schedules", "Zeitpläne";
    SITE_REPORTS = "Written site reports", "Geschriebene Standortberichte";
    NONE_YET = "No reports yet", "Noch keine Berichte";
    NONE_YET_REASON = "A report says what happened in a period, to print or to work with. Order the first one.",
        "Ein Bericht sagt, was in einem Zeitraum geschehen ist, zum Drucken oder zum Weiterrechnen. Fordern Sie den \
        ersten an.";
    NO_MATCH = "No reports match", "Keine Berichte gefunden";
    NO_MATCH_REASON = "No report that you see is of this kind, in this state and about this site.",
        "Kein Bericht, den Sie sehen, ist von dieser Art, in diesem Zustand und über diesen Standort.";
    SHOW = "Show", "Anzeigen";
    SHOW_ALL = "Show all", "Alle anzeigen";
    ALL_OF_THEM = "All", "Alle";
    MINE = "Only mine", "Nur eigene";
    OF_SCHEDULE = "Only those of one schedule.", "Nur die eines Zeitplans.";

    KIND = "Kind", "Art";
    ABOUT = "About", "Worüber";
    EVERYTHING = "everything", "alles";
    PERIOD = "Period", "Zeitraum";
    STATE = "State", "Zustand";
    AUTHOR = "Ordered by", "Angefordert von";
    ORDERED_AT = "Ordered", "Angefordert";
    FORMAT = "Format", "Format";
    ACTIONS = "Actions", "Aktionen";
    DAYS = "{from} to {to}", "{from} bis {to}";

    STATE_QUEUED = "Waiting", "Wartet";
    STATE_RUNNING = "Being made, {percent} %", "Wird erstellt, {percent} %";
    STATE_READY = "Ready", "Fertig";
    STATE_FAILED = "Failed", "Fehlgeschlagen";
    STATE_EXPIRED = "No longer stored", "Nicht mehr gespeichert";

    FILES = "The report", "Der Bericht";
    OPEN_PDF = "Open the PDF", "PDF öffnen";
    DOWNLOAD = "Download", "Herunterladen";
    DOWNLOAD_AS = "Download: {format}", "Herunterladen: {format}";
    MADE_WHEN_ASKED = "A format that was not ordered is made when it is first downloaded. It says the same.",
        "Ein Format, das nicht angefordert war, entsteht beim ersten Herunterladen. Es sagt dasselbe.";
    OLD_FILES = "It is being made again. The files below are the ones before.",
        "Er wird neu erstellt. Die Dateien unten sind die bisherigen.";
    KEY_FIGURES = "Key figures", "Wichtigste Zahlen";
    DETAILS = "Details", "Einzelheiten";
    NO_FILE = "There is no file", "Es gibt keine Datei";
    ORDER_AGAIN = "Order such a report again", "Einen solchen Bericht neu anfordern";
    NAMES_PEOPLE = "Names people", "Nennt Namen";
    YES = "Yes", "Ja";
    NO = "No", "Nein";
    SIZE = "Size", "Größe";
    ZONES = "Days are those of", "Tage nach der Uhr von";
    PROGRAM = "Computed by", "Berechnet von";
    FINISHED = "Finished", "Fertig seit";
    KEPT_UNTIL = "Stored until", "Gespeichert bis";
    OF_THE_SCHEDULE = "Schedule", "Zeitplan";
    TO_SCHEDULE = "To the schedule", "Zum Zeitplan";
    TO_SITE_REPORT = "To the written text", "Zum geschriebenen Text";
    REMAKE = "Make it again with the names of today", "Mit den heutigen Namen neu erstellen";
    REMAKE_HINT = "The numbers stay the same.", "Die Zahlen bleiben gleich.";
    CANCEL_REPORT = "Cancel the report", "Bericht abbrechen";
    DELETE = "Delete", "Löschen";
    DELETE_HINT = "The files and the figures are deleted for everyone. What was mailed cannot be recalled.",
        "Die Dateien und die Zahlen werden für alle gelöscht. Was verschickt wurde, lässt sich nicht zurückholen.";

    ORDERED = "The report is being made.", "Der Bericht wird erstellt.";
    REMADE = "The report is being made again.", "Der Bericht wird neu erstellt.";
    DELETED = "The report was deleted.", "Der Bericht wurde gelöscht.";

    CHOOSE_KIND = "What is the report to be about?", "Wovon soll der Bericht handeln?";
    OTHER_KIND = "Another kind", "Eine andere Art";
    ORDER = "Order the report", "Bericht anfordern";
    NARROWED = "Narrow it down", "Eingrenzen";
    PROJECT = "Project", "Projekt";
    SITE = "Site", "Standort";
    MACHINE = "Machine", "Maschine";
    PERSON = "Person", "Person";
    ANY = "any", "beliebig";
    CHOOSE = "Please choose", "Bitte wählen";
    FIRST_DAY = "First day", "Erster Tag";
    FIRST_DAY_HINT = "Without an entry, the report covers four weeks.",
        "Ohne Angabe umfasst der Bericht vier Wochen.";
    LAST_DAY = "Last day", "Letzter Tag";
    LAST_DAY_HINT = "Without an entry, the report ends now.", "Ohne Angabe endet der Bericht jetzt.";
    OF_VIEW_HINT = "Without an entry, the days are those of the saved view.",
        "Ohne Angabe gelten die Tage der gespeicherten Ansicht.";
    SAVED_VIEW = "Saved view", "Gespeicherte Ansicht";
    SAVED_VIEW_HINT = "Build the table on the page Explore and save it there.",
        "Bauen Sie die Tabelle auf der Seite Auswertung, und speichern Sie sie dort.";
    AS_IT_IS = "the table as it is now", "die Tabelle, wie sie jetzt ist";
    WRITTEN = "Written site report", "Geschriebener Standortbericht";
    WRITTEN_HINT = "Only those that are ready can be chosen.", "Zur Wahl stehen die, die fertig sind.";
    FILE = "File", "Datei";
    PAPER = "Paper", "Papier";
    PAPER_USUAL = "as usual in your region", "wie in Ihrer Region üblich";
    PAPER_A4 = "A4 paper", "Papier A4";
    PAPER_LETTER = "Letter paper", "US-Papier Letter";
    FILTERS = "Which incursions count", "Welche Annäherungen zählen";
    UNKNOWN_RECORD = "{what} {id}", "{what} {id}";

    FORMAT_PDF = "PDF to print and to pass on", "PDF zum Drucken und Weitergeben";
    FORMAT_XLSX = "Excel workbook (XLSX)", "Excel-Datei (XLSX)";
    FORMAT_CSV = "Table for programs (CSV)", "Tabelle für Programme (CSV)";
    FORMAT_JSON = "Numbers for programs (JSON)", "Zahlen für Programme (JSON)";

    ABOUT_SITE_SAFETY = "One site: what changed, where and when it was worst, and what to do.",
        "Ein Standort: was sich verändert hat, wo und wann es am schlimmsten war und was zu tun ist.";
    ABOUT_PROJECT_SUMMARY = "The sites of a project compared with the period before. Nobody is named.",
        "Die Standorte eines Projekts, verglichen mit dem Zeitraum davor. Niemand wird genannt.";
    ABOUT_MACHINE = "One machine: runtime, people, places and zones, compared with its kind.",
        "Eine Maschine: Betriebszeit, Personen, Orte und Zonen, verglichen mit anderen ihrer Art.";
    ABOUT_PERSON = "One person on foot and driving, side by side, with the tests of their tags.",
        "Eine Person zu Fuß und als Maschinenführer nebeneinander, mit den Tests ihrer Transponder.";
    ABOUT_TAG_TESTS = "Each tag: how often it was worn with a valid test.",
        "Jeder Transponder: wie oft er mit gültigem Test getragen wurde.";
    ABOUT_VISITORS = "Who visited, when, and what happened meanwhile.",
        "Wer wann zu Besuch war und was dabei geschehen ist.";
    ABOUT_INCURSIONS = "Single incursions, one line each.", "Einzelne Annäherungen, je eine Zeile.";
    ABOUT_PIVOT = "A table that you built on the page Explore.",
        "Eine Tabelle, die Sie auf der Seite Auswertung gebaut haben.";
    ABOUT_WRITTEN = "A written site report as a document.", "Ein geschriebener Standortbericht als Dokument.";
}

counted! {}

/// Returns what a report of a kind contains.
pub fn about_kind(language: Language, word: &str) -> &'static str {
    let table: [(&str, Text); 9] = [
        ("site_safety", ABOUT_SITE_SAFETY),
        ("project_summary", ABOUT_PROJECT_SUMMARY),
        ("machine", ABOUT_MACHINE),
        ("person", ABOUT_PERSON),
        ("tag_test_compliance", ABOUT_TAG_TESTS),
        ("visitor_log", ABOUT_VISITORS),
        ("incursions", ABOUT_INCURSIONS),
        ("pivot", ABOUT_PIVOT),
        ("site_report", ABOUT_WRITTEN),
    ];
    find(language, word, &table).unwrap_or(values::UNKNOWN.get(language))
}

/// Returns what a format is for.
pub fn format(language: Language, word: &str) -> &'static str {
    let table = [("pdf", FORMAT_PDF), ("xlsx", FORMAT_XLSX), ("csv", FORMAT_CSV), ("json", FORMAT_JSON)];
    find(language, word, &table).unwrap_or(values::UNKNOWN.get(language))
}

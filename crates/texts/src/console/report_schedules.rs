//! The texts of /reports/schedules.

use crate::text::{counted, find, texts};
use crate::{Language, values};

texts! {
    TITLE = "Schedules of reports", "Zeitpläne für Berichte";
    SCHEDULE = "The schedule", "Der Zeitplan";
    ALL_SCHEDULES = "All schedules", "Alle Zeitpläne";
    NEW = "New schedule", "Neuer Zeitplan";
    NEW_OF = "New schedule: {kind}", "Neuer Zeitplan: {kind}";
    CHOOSE_KIND = "Which report is to be made regularly?", "Welcher Bericht soll regelmäßig entstehen?";
    OTHER_KIND = "Another report", "Ein anderer Bericht";
    LEAD = "A schedule makes a report every day, week or month and mails it.",
        "Ein Zeitplan erstellt jeden Tag, jede Woche oder jeden Monat einen Bericht und verschickt ihn.";
    NONE_YET = "No schedules yet", "Noch keine Zeitpläne";
    NONE_YET_REASON = "Set one up, and the report comes by mail by itself.",
        "Richten Sie einen ein, und der Bericht kommt von selbst per Mail.";
    NO_MATCH = "No schedules match", "Keine Zeitpläne gefunden";
    NO_MATCH_REASON = "No schedule has such a name and such a state.",
        "Kein Zeitplan hat einen solchen Namen und einen solchen Zustand.";
    FIND = "Find", "Suchen";
    NAME_CONTAINS = "Name contains", "Name enthält";
    SHOW_ALL = "Show all", "Alle anzeigen";
    EITHER = "either", "beides";
    WHOSE = "Whose", "Wessen";
    EVERYBODYS = "everybody's", "die von allen";
    ONLY_MINE = "only mine", "nur eigene";

    NAME = "Name", "Name";
    NAME_HINT = "The subjects of the mails begin with it.", "Damit beginnen die Betreffzeilen der Mails.";
    REPORT = "Report", "Bericht";
    STATE = "State", "Zustand";
    ACTIVE = "Active", "Aktiv";
    PAUSED = "Paused", "Pausiert";
    RUNS = "Runs", "Läuft";
    NEXT_RUN = "Next run", "Nächster Lauf";
    LAST_RUN = "Last run", "Letzter Lauf";
    NEVER_RAN = "not yet", "noch nie";
    NOT_PLANNED = "none while it is paused", "keiner, solange er pausiert";
    REPORTS_OF_IT = "Its reports", "Seine Berichte";
    AUTHOR = "Set up by", "Eingerichtet von";
    RECIPIENTS = "Recipients", "Empfänger";
    NO_RECIPIENTS = "Nobody", "Niemand";
    NO_RECIPIENTS_REASON = "The addresses of all recipients were erased. Change the schedule and add one.",
        "Die Adressen aller Empfänger wurden gelöscht. Ändern Sie den Zeitplan, und tragen Sie eine ein.";
    ADDRESS = "Address", "Adresse";
    RECIPIENTS_HINT = "One address on each line, at most 50. Everyone gets a mail of their own.",
        "Eine Adresse je Zeile, höchstens 50. Jeder bekommt eine eigene Mail.";
    PERIOD = "Period of each report", "Zeitraum jedes Berichts";
    USUAL_PERIOD = "the day, week or month before", "der Tag, die Woche oder der Monat davor";

    WHEN = "When it runs", "Wann er läuft";
    CADENCE = "How often", "Wie oft";
    DAILY = "every day", "jeden Tag";
    WEEKLY = "every week", "jede Woche";
    MONTHLY = "every month", "jeden Monat";
    WEEKDAY = "Day of the week", "Wochentag";
    WEEKDAY_HINT = "Only for every week.", "Nur für jede Woche.";
    DAY_OF_MONTH = "Day of the month", "Tag des Monats";
    DAY_OF_MONTH_HINT = "Only for every month, from 1 to 28.", "Nur für jeden Monat, von 1 bis 28.";
    TIME = "Time", "Uhrzeit";
    TIME_HINT = "Such as 07:30.", "Zum Beispiel 07:30.";
    CLOCK = "By the clock of", "Nach der Uhr von";
    CLOCK_HINT = "Without an entry it is that of the report's site, or else of the brand.",
        "Ohne Angabe ist es die des Standorts im Bericht, sonst die der Marke.";
    EVERY_DAY = "Every day at {time} ({zone})", "Jeden Tag um {time} ({zone})";
    EVERY_WEEK = "Every {day} at {time} ({zone})", "Jeden {day} um {time} ({zone})";
    EVERY_MONTH = "On day {day} of every month at {time} ({zone})",
        "Am {day}. jedes Monats um {time} ({zone})";

    SET_UP = "Set up the schedule", "Zeitplan einrichten";
    SAVE = "Save", "Speichern";
    EDIT = "Change", "Ändern";
    EDIT_OF = "Change {name}", "{name} ändern";
    PAUSE = "Pause", "Pausieren";
    RESUME = "Resume", "Fortsetzen";
    RUN_NOW = "Run now and mail the report", "Jetzt laufen lassen und verschicken";
    DELETE = "Delete", "Löschen";
    DELETE_HINT = "Its reports stay. Mails that were not sent yet are not sent any more.",
        "Seine Berichte bleiben. Mails, die noch nicht verschickt sind, werden nicht mehr verschickt.";

    CREATED = "The schedule was set up.", "Der Zeitplan wurde eingerichtet.";
    SAVED = "The schedule was saved.", "Der Zeitplan wurde gespeichert.";
    WAS_PAUSED = "The schedule is paused.", "Der Zeitplan pausiert.";
    WAS_RESUMED = "The schedule runs again.", "Der Zeitplan läuft wieder.";
    WAS_RUN = "The report is being made. It will be mailed when it is ready.",
        "Der Bericht wird erstellt. Er wird verschickt, sobald er fertig ist.";
    WAS_DELETED = "The schedule was deleted.", "Der Zeitplan wurde gelöscht.";

    PREVIOUS_DAY = "the day before", "der Tag davor";
    PREVIOUS_WEEK = "the week before", "die Woche davor";
    PREVIOUS_MONTH = "the month before", "der Monat davor";
    LAST_7_DAYS = "the seven days before", "die sieben Tage davor";
    LAST_28_DAYS = "the four weeks before", "die vier Wochen davor";

    BY_USER = "Someone paused it.", "Jemand hat ihn pausiert.";
    AUTHOR_DEACTIVATED = "Who set it up was deactivated.", "Wer ihn eingerichtet hat, wurde deaktiviert.";
    PERMISSION_MISSING = "Who set it up may no longer schedule reports.",
        "Wer ihn eingerichtet hat, darf keine Berichte mehr planen.";
    LAST_RECIPIENT_ERASED = "It has no recipients any more.", "Er hat keine Empfänger mehr.";

    RUN_RUNNING = "The report is being made", "Der Bericht wird erstellt";
    RUN_DONE = "Made and mailed", "Erstellt und verschickt";
    RUN_FAILED = "Failed", "Fehlgeschlagen";
}

counted! {
    ADDRESSES = ("{n} address", "{n} addresses"), ("{n} Adresse", "{n} Adressen");
}

/// Returns which days a report of a schedule covers.
pub fn period(language: Language, word: &str) -> &'static str {
    let table = [
        ("previous_day", PREVIOUS_DAY),
        ("previous_week", PREVIOUS_WEEK),
        ("previous_month", PREVIOUS_MONTH),
        ("last_7_days", LAST_7_DAYS),
        ("last_28_days", LAST_28_DAYS),
    ];
    find(language, word, &table).unwrap_or(values::UNKNOWN.get(language))
}

/// Says why a schedule is paused.
pub fn pause_reason(language: Language, word: &str) -> &'static str {
    let table = [
        ("by_user", BY_USER),
        ("author_deactivated", AUTHOR_DEACTIVATED),
        ("permission_missing", PERMISSION_MISSING),
        ("no_recipients", LAST_RECIPIENT_ERASED),
    ];
    find(language, word, &table).unwrap_or(values::UNKNOWN.get(language))
}

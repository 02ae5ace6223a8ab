//! The overview: indicators, trend, what stands out and what needs attention.

use crate::text::{counted, texts};

texts! {
    TITLE = "Overview", "Übersicht";
    INDICATORS = "Leading indicators", "Frühindikatoren";
    COMPARED = "{period} · compared with {from} – {to}", "{period} · verglichen mit {from} – {to}";
    FRESH = "up to date as of {at}", "Stand {at}";
    RELOAD = "Reload", "Neu laden";

    RATE = "Incursions per runtime hour", "Annäherungen je Betriebsstunde";
    ACKNOWLEDGED = "Acknowledged", "Quittiert";
    INCURSIONS = "Incursions", "Annäherungen";
    EXPOSURE = "Time near machines", "Zeit in Maschinennähe";
    ACK_TIME = "Time to acknowledge", "Zeit bis zur Quittierung";

    /// What an indicator was computed from.
    IN_HOURS = "{number} in {hours} h", "{number} in {hours} Std.";
    PART_OF = "{part} of {whole}", "{part} von {whole}";
    MET = "{machines}, {people}", "{machines}, {people}";
    LENGTHS = "median {median}, 95 % up to {most}", "Median {median}, 95 % bis {most}";
    MEAN_OF = "mean of {number}", "Mittelwert aus {number}";

    BY_HOUR = "Acknowledged and not, hour by hour", "Quittiert und nicht quittiert, Stunde für Stunde";
    BY_DAY = "Acknowledged and not, day by day", "Quittiert und nicht quittiert, Tag für Tag";
    BY_WEEK = "Acknowledged and not, week by week", "Quittiert und nicht quittiert, Woche für Woche";
    BY_MONTH = "Acknowledged and not, month by month", "Quittiert und nicht quittiert, Monat für Monat";
    TREND_ALT = "Incursions over time, acknowledged and not, with the acknowledgement rate; the numbers are below",
        "Annäherungen im Zeitverlauf, quittiert und nicht quittiert, mit der Quittierungsquote; die Zahlen stehen darunter";
    TREND_CAPTION = "Incursions over time, acknowledged and not",
        "Annäherungen im Zeitverlauf, quittiert und nicht quittiert";
    WEEK = "Hours of the week", "Stunden der Woche";
    WEEK_ALT = "Incursions by day of the week and hour; the numbers are below",
        "Annäherungen nach Wochentag und Stunde; die Zahlen stehen darunter";
    WEEK_CAPTION = "Incursions by day of the week and hour, each site by its own clock",
        "Annäherungen nach Wochentag und Stunde, jeder Standort nach seiner Uhr";
    WEEK_FROM = "week of {day}", "Woche ab {day}";
    NUMBERS = "Numbers", "Zahlen";

    NOTHING = "Nothing recorded", "Nichts aufgezeichnet";
    NOTHING_REASON = "Base stations reported neither incursions nor runtime for what you have picked.",
        "Für Ihre Auswahl haben Basisstationen weder Annäherungen noch Betriebszeit gemeldet.";
    NOTHING_RANKED = "No incursions match what you have picked.", "Keine Annäherungen passen zu Ihrer Auswahl.";
    ADD_DEVICES = "Set up base stations", "Basisstationen einrichten";
    LONGER_PERIOD = "Show the last 365 days", "Die letzten 365 Tage zeigen";

    SITES = "Sites", "Standorte";
    SITES_CAPTION = "Sites by their figures", "Standorte nach ihren Kennzahlen";
    MACHINES = "Machines with the highest rate", "Maschinen mit der höchsten Rate";
    MACHINES_CAPTION = "Machines by their figures", "Maschinen nach ihren Kennzahlen";
    SITE = "site", "Standort";
    MACHINE = "machine", "Maschine";
    PER_HOUR = "per runtime hour", "je Betriebsstunde";
    COUNT = "incursions", "Annäherungen";
    ACKNOWLEDGED_COUNT = "acknowledged", "quittiert";
    UNACKNOWLEDGED_COUNT = "not acknowledged", "nicht quittiert";
    SHARE = "share acknowledged", "Anteil quittiert";
    MEAN_LENGTH = "mean length", "mittlere Dauer";
    RUNTIME = "runtime", "Betriebszeit";

    ATTENTION = "Needs attention", "Zu beachten";
    NO_ATTENTION = "Nothing stands out: no outliers, no open alarms, all devices in contact, no tests overdue.",
        "Nichts fällt auf: keine Ausreißer, keine offenen Alarme, alle Geräte in Kontakt, kein Test überfällig.";
    OUTLIER = "{times} times as many incursions as its peers would have: {observed} instead of {expected}",
        "{times}-mal so viele Annäherungen wie vergleichbare: {observed} statt {expected}";
    OUTLIER_AT = "outlier, q = {q}", "auffällig, q = {q}";
    OUTLIER_BELOW = "outlier, q < {q}", "auffällig, q < {q}";
    ALARM = "alarm · {severity}", "Alarm · {severity}";
    ALARMS = "alarms", "Alarme";
    ALARM_SINCE = "since {at}, at {value}", "seit {at}, bei {value}";
    MORE_ALARMS_TEXT = "the alerts page lists all of them", "die Seite der Alarme führt alle auf";
    SILENT = "{name} is silent", "{name} ist stumm";
    FAULTY = "{name} reports faults", "{name} meldet Störungen";
    LAST_CONTACT = "last contact {ago}", "letzter Kontakt {ago}";
    NEVER = "never", "nie";
    ON_MACHINE = "on {machine}, {state}", "auf {machine}, {state}";
    BASE_STATION = "base station", "Basisstation";
    MORE_STATIONS_TEXT = "not in contact, or with faults", "ohne Kontakt oder mit Störungen";
    TAGS = "tags", "Transponder";
    TAGS_OVERDUE_TEXT = "have them tested before they are worn again",
        "vor dem nächsten Tragen testen lassen";
    TAGS_DUE_TEXT = "the last day of the test interval", "der letzte Tag der Testfrist";

    LAST_REPORTS = "Last reports", "Letzte Berichte";
    NO_REPORTS = "No report was ordered yet.", "Es wurde noch kein Bericht bestellt.";
    ALL_REPORTS = "All reports", "Alle Berichte";
    REPORT_QUEUED = "waiting", "wartet";
    REPORT_RUNNING = "{percent} % done", "zu {percent} % fertig";
    REPORT_READY = "ready", "fertig";
    REPORT_FAILED = "failed", "gescheitert";
    REPORT_EXPIRED = "expired", "abgelaufen";

    DEVICES = "Waiting for someone", "Wartet auf jemanden";
    DEVICES_OF_ALL = "Base stations and tags are those of all projects and sites.",
        "Basisstationen und Transponder sind die aller Projekte und Standorte.";
    OPEN_ALARMS = "Open alarms", "Offene Alarme";
    TROUBLED_STATIONS = "Base stations silent or faulty", "Basisstationen stumm oder gestört";
    OVERDUE_TAGS = "Tags past their test", "Transponder mit überfälligem Test";
    DUE_TAGS = "Tags due for their test", "Transponder mit fälligem Test";
    UNTESTED_TAGS = "Tags never tested", "Nie getestete Transponder";
}

counted! {
    MACHINES_MET = ("{n} machine", "{n} machines"), ("{n} Maschine", "{n} Maschinen");
    PEOPLE_MET = ("{n} person", "{n} people"), ("{n} Person", "{n} Personen");
    MORE_SITES = ("{n} more site", "{n} more sites"), ("{n} weiterer Standort", "{n} weitere Standorte");
    MORE_MACHINES = ("{n} more machine", "{n} more machines"), ("{n} weitere Maschine", "{n} weitere Maschinen");
    MORE_ALARMS = ("{n} more open alarm", "{n} more open alarms"),
        ("{n} weiterer offener Alarm", "{n} weitere offene Alarme");
    MORE_STATIONS = ("{n} more base station", "{n} more base stations"),
        ("{n} weitere Basisstation", "{n} weitere Basisstationen");
    TAGS_OVERDUE = ("{n} tag is past its test", "{n} tags are past their test"),
        ("Bei {n} Transponder ist der Test überfällig", "Bei {n} Transpondern ist der Test überfällig");
    TAGS_DUE = ("{n} tag is due for its test", "{n} tags are due for their test"),
        ("Bei {n} Transponder ist der Test fällig", "Bei {n} Transpondern ist der Test fällig");
    MORE_TAGS_DUE = ("{n} more is due now", "{n} more are due now"),
        ("bei {n} weiteren ist er jetzt fällig", "bei {n} weiteren ist er jetzt fällig");
}

//! Texts of the page of the brand.

use crate::text::{counted, texts};

texts! {
    TITLE = "Brand", "Marke";
    LEAD = "What holds for everybody: names and formats, limits, privacy, security, and how long data is stored.",
        "Was für alle gilt: Namen und Formate, Grenzwerte, Datenschutz, Sicherheit und wie lange Daten gespeichert werden.";
    RESTRICTED = "You are restricted to some projects. Only an admin who sees the whole brand can change its settings.",
        "Sie sind auf einige Projekte beschränkt. Nur ein Administrator, der die ganze Marke sieht, kann ihre \
        Einstellungen ändern.";
    SAVED = "The settings of the brand were saved.", "Die Einstellungen der Marke wurden gespeichert.";

    GENERAL = "Name and formats", "Name und Formate";
    NAME = "Name of the brand", "Name der Marke";
    LANGUAGE = "Language", "Sprache";
    LANGUAGE_HINT = "For everybody who has not chosen another one.", "Für alle, die keine andere gewählt haben.";
    TIME_ZONE = "Time zone", "Zeitzone";
    TIME_ZONE_HINT = "A name such as Europe/Berlin. It holds for everything that has no site.",
        "Ein Name wie Europe/Berlin. Sie gilt für alles, was keinen Standort hat.";
    DATE_FORMAT = "Dates", "Datumsangaben";

    LIMITS = "Limits", "Grenzwerte";
    TEST_INTERVAL = "Days between two tests of a tag", "Tage zwischen zwei Tests eines Transponders";
    LOW_BATTERY = "A battery is low at or below, in percent", "Eine Batterie ist schwach bei höchstens, in Prozent";
    CRITICAL_BATTERY = "A battery is almost empty at or below, in percent",
        "Eine Batterie ist fast leer bei höchstens, in Prozent";
    SILENCE = "Hours without contact until a device counts as silent",
        "Stunden ohne Kontakt, bis ein Gerät als stumm gilt";

    VISITS = "Visitors", "Besucher";
    CLOSES_VISITS = "End overdue visits automatically", "Überfällige Besuche von selbst beenden";
    CLOSES_VISITS_HINT = "Visits without an expected end are ended at midnight of their site.",
        "Besuche ohne erwartetes Ende werden um Mitternacht ihres Standorts beendet.";
    VISIT_LIMIT = "Minutes after the expected end", "Minuten nach dem erwarteten Ende";

    PRIVACY = "Privacy", "Datenschutz";
    VIEWERS_SEE_NAMES = "Viewers see the names of people", "Leser sehen die Namen von Personen";
    UNIQUE_EMPLOYEE_IDS = "An employee number belongs to one person only",
        "Eine Personalnummer gehört nur zu einer Person";
    AI_SEES_NAMES = "The language model that writes site reports gets names of people",
        "Das Sprachmodell, das Standortberichte schreibt, erhält Namen von Personen";
    AI_SEES_NAMES_HINT = "Otherwise it gets roles such as operator A.",
        "Sonst erhält es Rollen wie Maschinenführer A.";
    ALERTS_SHOW_NAMES = "Alerts name people to plain email addresses and webhooks",
        "Alarme nennen Personen gegenüber bloßen E-Mail-Adressen und Webhooks";
    ALERTS_SHOW_NAMES_HINT = "Otherwise they say Person 7. Users are always shown what they may see.",
        "Sonst steht dort Person 7. Benutzer sehen immer, was sie sehen dürfen.";

    SECURITY = "Security", "Sicherheit";
    SECOND_FACTOR = "These roles must have a second factor", "Diese Rollen brauchen einen zweiten Faktor";
    SECOND_FACTOR_HINT = "It takes effect immediately: who has none must add one before doing anything else.",
        "Das gilt sofort: Wer keinen hat, muss einen einrichten, bevor er etwas anderes tun kann.";

    RETENTION = "How long data is stored, in days", "Wie lange Daten gespeichert werden, in Tagen";
    FOREVER = "Blank means forever. Older data is deleted and cannot be brought back.",
        "Leer bedeutet unbegrenzt. Ältere Daten werden gelöscht und lassen sich nicht zurückholen.";
    KEEP_INCURSIONS = "Incursions and their reviews", "Annäherungen und ihre Prüfungen";
    KEEP_RUNTIME = "Runtime of machines", "Laufzeiten von Maschinen";
    KEEP_TRACKS = "Positions", "Positionen von Maschinen";
    KEEP_EVENTS = "Alarms, logs, states and messages of devices", "Alarme, Protokolle, Zustände und Meldungen von Geräten";
    KEEP_TESTS = "Tests of tags", "Tests von Transpondern";
    KEEP_TESTS_HINT = "Blank means forever. The last test of each tag stays in any case.",
        "Leer bedeutet unbegrenzt. Der letzte Test jedes Transponders bleibt auf jeden Fall.";
    KEEP_VIDEO = "Video, since its upload", "Videos, seit dem Hochladen";

    LOGO = "Logo", "Logo der Marke";
    LOGO_OF = "The logo of {brand}", "Das Logo von {brand}";
    NO_LOGO = "There is no logo. Reports show only the name of the brand.",
        "Es gibt kein Logo. Berichte zeigen nur den Namen der Marke.";
    LOGO_SINCE = "Uploaded on {at}.", "Hochgeladen am {at}.";
    LOGO_FILE = "PNG image", "PNG-Bild";
    LOGO_HINT = "At most 1 MiB, and at most 4096 pixels on each side.",
        "Höchstens 1 MiB und höchstens 4096 Pixel auf jeder Seite.";
    UPLOAD = "Upload the logo", "Logo hochladen";
    REMOVE_LOGO = "Remove the logo", "Logo entfernen";
    LOGO_SAVED = "The logo was saved.", "Das Logo wurde gespeichert.";
    LOGO_REMOVED = "The logo was removed.", "Das Logo wurde entfernt.";
}

counted! {}

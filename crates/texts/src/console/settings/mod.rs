//! Texts of the settings, and those that their pages share.

pub mod access;
pub mod audit_log;
pub mod base_stations;
pub mod brand;
pub mod gateways;
pub mod imports;
pub mod machines;
pub mod people;
pub mod preferences;
pub mod projects;
pub mod service_accounts;
pub mod sessions;
pub mod tags;
pub mod users;

use crate::text::{counted, texts};

texts! {
    SETTINGS = "Settings", "Einstellungen";

    DEVICES = "Devices", "Geräte";
    REGISTRIES = "Registries", "Verzeichnisse";
    ACCESS = "Brand and access", "Marke und Zugang";
    OWN = "My own", "Eigene Einstellungen";

    TESTER_DEVICES = "Tester devices", "Testgeräte";
    BASE_STATIONS = "Base stations", "Basisstationen";
    GATEWAYS = "Gateways", "Gateway-Geräte";
    TAGS = "Tags", "Transponder";
    PROJECTS = "Projects", "Projekte";
    MACHINES = "Machines", "Maschinen";
    PEOPLE = "People", "Personen";
    USERS = "Users", "Benutzer";
    SERVICE_ACCOUNTS = "Service accounts", "Dienstkonten";
    WEBHOOKS = "Webhooks", "Webhook-Adressen";
    BRAND = "Brand", "Marke";
    AUDIT_LOG = "Audit log", "Prüfprotokoll";
    PREFERENCES = "Preferences", "Anzeige und Sprache";
    PASSWORD = "Password", "Passwort";
    SECOND_FACTOR = "Second factor", "Zweiter Faktor";
    SESSIONS = "Sessions", "Sitzungen";

    ABOUT_TESTER_DEVICES = "Kiosks where tags are tested, and their tokens.",
        "Kioske, an denen Transponder getestet werden, und ihre Zugangstokens.";
    ABOUT_BASE_STATIONS = "The devices on machines: zones, cameras, installations and tokens.",
        "Die Geräte auf den Maschinen: Zonen, Kameras, Einbauten und Zugangstokens.";
    ABOUT_GATEWAYS = "Devices that report for many base stations, and their tokens.",
        "Geräte, die für viele Basisstationen melden, und ihre Zugangstokens.";
    ABOUT_TAGS = "What people wear: who has which tag, tests and batteries.",
        "Was Personen tragen: wer welchen Transponder hat, Tests und Batterien.";
    ABOUT_PROJECTS = "Group worksites, and decide who sees what.",
        "Fassen Standorte zusammen und bestimmen, wer was sieht.";
    ABOUT_MACHINES = "Add, rename, archive and import machines.",
        "Maschinen hinzufügen, umbenennen, archivieren und importieren.";
    ABOUT_PEOPLE = "Add, change, archive, erase and import people.",
        "Personen hinzufügen, ändern, archivieren, löschen und importieren.";
    ABOUT_USERS = "Invite people to Keepclear, and set their role and projects.",
        "Personen zu Keepclear einladen und ihre Rolle und Projekte festlegen.";
    ABOUT_SERVICE_ACCOUNTS = "Access for programs, and their tokens.",
        "Zugang für Programme und ihre Zugangstokens.";
    ABOUT_WEBHOOKS = "Addresses that are called when an alarm fires.",
        "Adressen, die bei einem Alarm aufgerufen werden.";
    ABOUT_BRAND = "Logo, language, time zone, limits and security.",
        "Logo, Sprache, Zeitzone, Grenzwerte und Sicherheit.";
    ABOUT_AUDIT_LOG = "Who changed what, and when.", "Wer wann was geändert hat.";
    ABOUT_PREFERENCES = "Language, time zone, formats and the first page.",
        "Sprache, Zeitzone, Formate und die erste Seite.";
    ABOUT_PASSWORD = "Choose another password.", "Ein anderes Passwort wählen.";
    ABOUT_SECOND_FACTOR = "Codes from an app, in addition to the password.",
        "Codes aus einer App, zusätzlich zum Passwort.";
    ABOUT_SESSIONS = "Where you are signed in, and how to end it.",
        "Wo Sie angemeldet sind und wie Sie das beenden.";

    SEARCH = "Search", "Suchen";
    FIND = "Show", "Anzeigen";
    NONE = "None", "Keine Angabe";
    CHOOSE = "Choose …", "Bitte wählen …";
    ALL_OF_THEM = "All", "Alle";
    YES = "Yes", "Ja";
    NO = "No", "Nein";
    ADDED_AT = "Added", "Hinzugefügt";
    NO_MATCH = "Nothing matches", "Nichts gefunden";
    NO_MATCH_REASON = "No entry matches the search. Try a shorter word.",
        "Kein Eintrag passt zur Suche. Versuchen Sie es mit einem kürzeren Wort.";
    SHOW_ALL = "Show all", "Alle anzeigen";
    SHOWN = "Shown", "Anzeige";
    ACTIVE = "Active", "Aktiv";
    ARCHIVED = "Archived", "Archiviert";

    SAVE = "Save", "Speichern";
    ADD = "Add", "Hinzufügen";
    ARCHIVE = "Archive", "Archivieren";
    RESTORE = "Restore", "Wiederherstellen";
    IMPORT = "Import a CSV file", "CSV-Datei importieren";

    TOKEN = "Token", "Zugangstoken";
    NO_TOKEN = "There is no token. Nothing can sign in with one.",
        "Es gibt kein Zugangstoken. Damit kann sich nichts anmelden.";
    TOKEN_USED = "The token that begins with {hint} was issued on {at} and last used {used}.",
        "Das Zugangstoken, das mit {hint} beginnt, wurde am {at} ausgestellt und zuletzt {used} benutzt.";
    TOKEN_UNUSED = "The token that begins with {hint} was issued on {at}. It has not been used yet.",
        "Das Zugangstoken, das mit {hint} beginnt, wurde am {at} ausgestellt. Es wurde noch nicht benutzt.";
    HAS_TOKEN = "Has a token", "Hat ein Zugangstoken";
    WITHOUT_TOKEN = "No token", "Kein Zugangstoken";
    SHOWN_ONCE = "This is the new token. Copy it now: it is not shown again.",
        "Dies ist das neue Zugangstoken. Kopieren Sie es jetzt: Es wird nicht noch einmal angezeigt.";
    COPY = "Copy", "Kopieren";
    GENERATE = "Generate a token", "Zugangstoken erzeugen";
    GENERATE_HINT = "The token is shown once, on the next page.",
        "Das Zugangstoken wird einmal angezeigt, auf der nächsten Seite.";
    ROTATE = "Replace the token", "Zugangstoken ersetzen";
    ROTATE_HINT = "A new token replaces the old one, which stops working immediately.",
        "Ein neues Zugangstoken ersetzt das alte, das sofort ungültig wird.";
    REVOKE = "Revoke the token", "Zugangstoken widerrufen";
    ISSUED_BEFORE = "The form was sent twice. One token was issued, and shown in answer to the first time. If you have not \
        seen it, replace it.",
        "Das Formular wurde zweimal gesendet. Es wurde ein Zugangstoken ausgestellt und als Antwort auf das erste Mal \
        angezeigt. Wenn Sie es nicht gesehen haben, ersetzen Sie es.";
}

counted! {}

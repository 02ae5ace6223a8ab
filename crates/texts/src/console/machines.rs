//! The pages of machines: the list, one machine, its timeline and its video clips.

use crate::Language;
use crate::text::{counted, find, texts};
use crate::values::UNKNOWN;

texts! {
    TITLE = "Machines", "Maschinen";
    SEARCH = "Name contains", "Name enthält";
    ACTIVITY = "Activity", "Aktivität";
    NOT_ARCHIVED = "All but archived", "Alle außer archivierten";
    SHOW = "Show", "Anzeigen";
    LAST_SEEN = "Last seen", "Zuletzt gesehen";
    NEVER_SEEN = "never", "nie";
    OPEN_ALARMS = "Open alarms", "Offene Alarme";
    NO_MACHINES = "There are no machines yet", "Es gibt noch keine Maschinen";
    NO_MACHINES_REASON = "A machine is shown here once it has been added to the registry.",
        "Eine Maschine erscheint hier, sobald sie im Register angelegt ist.";
    ADD_MACHINES = "Add machines", "Maschinen anlegen";
    NO_MATCH = "Nothing matches these filters", "Nichts passt zu diesen Filtern";
    NO_MATCH_REASON = "Choose another project, site or activity, or search for another name.",
        "Wählen Sie ein anderes Projekt, einen anderen Standort oder eine andere Aktivität, oder suchen Sie nach einem anderen Namen.";
    ALL_OF_THEM = "Show all", "Alle anzeigen";

    ACTIVE = "Active", "Aktiv";
    IDLE = "Idle", "Untätig";
    SILENT = "Silent", "Stumm";
    ARCHIVED = "Archived", "Archiviert";

    MACHINE = "About the machine", "Zur Maschine";
    KIND = "Kind", "Art";
    SERIAL_NUMBER = "Serial number", "Seriennummer";
    MANUFACTURER = "Manufacturer", "Hersteller";
    MODEL = "Model", "Modell";
    YEAR = "Year of manufacture", "Baujahr";
    NUMBER_PLATE = "Number plate", "Kennzeichen";
    NO_SITE = "at no site", "an keinem Standort";
    ARCHIVED_SINCE = "This machine has been archived since {at}. Its figures stay.",
        "Diese Maschine ist seit {at} archiviert. Ihre Zahlen bleiben erhalten.";
    EDIT = "Edit", "Bearbeiten";

    SCORE = "Acknowledgement score by day", "Quittierungsquote nach Tagen";
    SCORE_ALT = "Share of incursions that were acknowledged, for each day of the period; the table below has the numbers",
        "Anteil der quittierten Annäherungen an jedem Tag des Zeitraums; die Tabelle darunter enthält die Zahlen";
    NUMBERS = "Numbers", "Zahlen";
    DAYS = "The days of the period", "Die Tage des Zeitraums";
    MAP = "Where it happened", "Wo es geschah";
    MAP_ALT = "Map of the incursions of this machine", "Karte der Annäherungen dieser Maschine";
    TO_INCURSIONS = "All incursions of this period", "Alle Annäherungen dieses Zeitraums";
    RUNTIME_BY_DAY = "Runtime by day", "Betriebszeit nach Tagen";
    RUNTIME_ALT = "Hours that the machine ran on each day; the table above has the numbers",
        "Betriebsstunden der Maschine an jedem Tag; die Tabelle darüber enthält die Zahlen";
    GANTT = "Who drove when", "Wer wann fuhr";
    GANTT_ALT = "Spans of runtime with their operators; the table below sums them up",
        "Betriebszeiten mit ihren Maschinenführern; die Tabelle darunter fasst sie zusammen";
    GANTT_TOO_LONG = "Spans of runtime are shown for at most 31 days. Choose a shorter period.",
        "Einzelne Betriebszeiten werden für höchstens 31 Tage gezeigt. Wählen Sie einen kürzeren Zeitraum.";
    OPERATORS = "Operators of the machine", "Maschinenführer der Maschine";
    NO_OPERATORS = "Nobody drove it in this period", "Niemand fuhr sie in diesem Zeitraum";
    NO_OPERATORS_REASON = "An operator is known if they wore a tag in the cab while the machine ran.",
        "Ein Maschinenführer ist bekannt, wenn er in der Kabine einen Transponder trug, während die Maschine lief.";
    UNKNOWN_OPERATOR = "Not known", "Nicht bekannt";
    TRACK = "Track of the last 24 hours", "Strecke der letzten 24 Stunden";
    TRACK_OF_PERIOD = "Track in this period", "Strecke in diesem Zeitraum";
    TRACK_ALT = "The positions that the base station reported, as a line",
        "Die gemeldeten Positionen der Basisstation als Linie";

    STATION = "Base station", "Basisstation";
    NO_STATION = "There is no base station on this machine", "An dieser Maschine ist keine Basisstation";
    NO_STATION_REASON = "Without one there are no incursions, no track, no messages and no video.",
        "Ohne sie gibt es keine Annäherungen, keine Strecke, keine Nachrichten und keine Videos.";
    INSTALL_STATION = "Install a base station", "Basisstation einbauen";
    STATION_STATUS = "State", "Zustand";
    STATUS_SINCE = "since {at}", "seit {at}";
    ONLINE = "Online", "Erreichbar";
    FAULTY = "Faulty", "Gestört";
    STATION_NEVER_SEEN = "Never seen", "Nie gesehen";
    FAULTS = "Reported faults", "Gemeldete Störungen";
    FIRMWARE = "Firmware version", "Firmware-Version";
    INSTALLED_SINCE = "Installed since", "Eingebaut seit";
    ZONE_SIZES = "Sizes of the zones", "Größe der Zonen";
    ANTENNA = "Antenna", "Antenne";
    WARNING_REACH = "Warning zone", "Warnzone";
    DANGER_REACH = "Danger zone", "Gefahrenzone";
    FROM = "From", "Von";
    TO = "Until", "Bis";
    STILL = "still", "noch";
    NO_ZONES = "No zone sizes are known", "Es sind keine Zonengrößen bekannt";
    NO_ZONES_REASON = "The base station reports them with its first status.",
        "Die Basisstation meldet sie mit ihrem ersten Status.";

    LINKS = "Base stations and sites until now", "Basisstationen und Standorte bisher";
    LINK = "What", "Was";
    LINK_STATION = "Base station {label}", "Basisstation {label}";
    LINK_SITE = "Site {label}", "Standort {label}";
    LINK_TAG = "Tag {label}", "Transponder {label}";
    NO_LINKS = "Nothing was linked to it yet", "Es wurde noch nichts zugeordnet";
    NO_LINKS_REASON = "Devices and sites are assigned in the settings.",
        "Geräte und Standorte werden in den Einstellungen zugeordnet.";
    MORE_LINKS = "Older ones are left out.", "Ältere sind weggelassen.";
    SITE_ALARMS_KIND = "Site", "Standort";

    NOTES = "Notes", "Notizen";
    NOTE = "New note", "Neue Notiz";
    ADD_NOTE = "Add note", "Notiz hinzufügen";
    NOTE_ADDED = "The note was added.", "Die Notiz wurde hinzugefügt.";
    NO_NOTES = "There are no notes", "Es gibt keine Notizen";
    NO_NOTES_REASON = "Write down what others should know.", "Schreiben Sie auf, was andere wissen sollten.";
    ERASED = "erased", "gelöscht";
    HIDDEN = "hidden", "verborgen";
    BY = "By", "Durch";
    WRITTEN = "Written", "Geschrieben";
    SOMEONE = "someone", "jemand";
    BY_SERVICE = "Keepclear itself", "Keepclear selbst";
    BY_COMMAND_LINE = "the command line", "die Kommandozeile";

    MESSAGES = "Messages to the cab", "Nachrichten an die Kabine";
    MESSAGE = "Message", "Nachricht";
    MESSAGE_HINT = "One line of at most 200 characters. The operator reads it while driving.",
        "Eine Zeile mit höchstens 200 Zeichen. Der Maschinenführer liest sie beim Fahren.";
    LIFETIME = "Give up after", "Aufgeben nach";
    LIFETIME_HINT = "Minutes to wait for the base station; a day if empty.",
        "Minuten, die auf die Basisstation gewartet wird; ein Tag, wenn leer.";
    SEND = "Send", "Senden";
    SENT = "Sent", "Gesendet";
    SENT_EARLIER = "to base station {serial} before it came to this machine",
        "an die Basisstation {serial}, bevor sie auf diese Maschine kam";
    MESSAGE_SENT = "The message is on its way to the cab.", "Die Nachricht ist auf dem Weg in die Kabine.";
    NO_MESSAGES = "No message was sent yet", "Es wurde noch keine Nachricht gesendet";
    NO_MESSAGES_REASON = "A message is shown in the cab, and its reading can be confirmed there.",
        "Eine Nachricht wird in der Kabine gezeigt und kann dort bestätigt werden.";
    QUEUED = "Waiting", "Wartet";
    DELIVERED = "Delivered", "Zugestellt";
    DISPLAYED = "Shown in the cab", "In der Kabine gezeigt";
    CONFIRMED_IN_CAB = "Confirmed in the cab", "In der Kabine bestätigt";
    EXPIRED = "Expired", "Abgelaufen";

    CLIPS = "Video clips", "Videoclips";
    CLIP = "Video clip of {camera}, {at}", "Videoclip von {camera}, {at}";
    CAMERA = "Camera", "Kamera";
    SECONDS = "Length in seconds", "Länge in Sekunden";
    RECORDED = "Recorded", "Aufgenommen";
    ZONE_OF_TIME = "Time zone of this time", "Zeitzone dieser Zeit";
    ASK_CLIP = "Ask for a clip", "Clip anfordern";
    ASK_CLIP_HINT = "The base station keeps its recordings for a short time; at most 7 days back.",
        "Die Basisstation behält ihre Aufnahmen nur kurze Zeit; höchstens 7 Tage zurück.";
    CLIP_ASKED = "The clip was asked for. It appears here once the base station has sent it.",
        "Der Clip ist angefordert. Er erscheint hier, sobald die Basisstation ihn gesendet hat.";
    NO_CLIPS = "There are no video clips", "Es gibt keine Videoclips";
    NO_CLIPS_REASON = "A clip is sent by the base station when someone asks for it.",
        "Ein Clip wird von der Basisstation gesendet, wenn ihn jemand anfordert.";
    ASKED_BY = "Asked for by", "Angefordert durch";
    ASKED_AT = "Asked for", "Angefordert";
    KEPT_UNTIL = "Kept until", "Aufbewahrt bis";
    REQUESTED = "Waiting for the base station", "Wartet auf die Basisstation";
    UPLOADING = "Being sent", "Wird gesendet";
    AVAILABLE = "Can be watched", "Kann angesehen werden";
    DELETED = "Deleted after its time", "Nach Ablauf gelöscht";
    FAILED = "Failed", "Fehlgeschlagen";
    FAILED_BECAUSE = "Failed: {reason}", "Fehlgeschlagen: {reason}";
    NO_RECORDING = "the base station has no recording of this time",
        "die Basisstation hat keine Aufnahme von dieser Zeit";
    NEVER_UPLOADED = "the base station did not send it in time", "die Basisstation hat ihn nicht rechtzeitig gesendet";
    WAITING = "The base station is asked whenever it is in contact. This page looks again every five seconds.",
        "Die Basisstation wird gefragt, sobald sie Kontakt hat. Diese Seite sieht alle fünf Sekunden nach.";
    LOOK_AGAIN = "Look again now", "Jetzt nachsehen";
    DOWNLOAD = "Save the video", "Video speichern";
    TO_INCURSION = "The incursion of this clip", "Die Annäherung zu diesem Clip";
    BACK_TO = "Back to {name}", "Zurück zu {name}";

    TIMELINE = "Timeline", "Zeitachse";
    WHOLE_TIMELINE = "Whole timeline with filter", "Ganze Zeitachse mit Filter";
    TIMELINE_OF = "Timeline of {name}", "Zeitachse von {name}";
    TIMELINE_SINCE = "What base station {serial} has seen since it came to this machine, {at}.",
        "Was die Basisstation {serial} gesehen hat, seit sie auf dieser Maschine ist, {at}.";
    TIMELINE_WHILE = "What base station {serial} saw while it was on this machine, from {from} to {to}.",
        "Was die Basisstation {serial} gesehen hat, während sie auf dieser Maschine war, von {from} bis {to}.";
    WENT_WITH_STATION = "still waiting when base station {serial} left this machine, and went with it",
        "wartete noch, als die Basisstation {serial} diese Maschine verließ, und ging mit ihr mit";
    KINDS = "Kinds of entries", "Arten von Einträgen";
    NO_ENTRIES = "Nothing happened in this period", "In diesem Zeitraum geschah nichts";
    NO_ENTRIES_REASON = "Choose a longer period or other kinds of entries.",
        "Wählen Sie einen längeren Zeitraum oder andere Arten von Einträgen.";
    NOTHING_LATELY = "Nothing happened in the last seven days", "In den letzten sieben Tagen geschah nichts";
    NOTHING_LATELY_REASON =
        "No base station on this machine reported anything in that time. The whole timeline goes further back.",
        "Keine Basisstation auf dieser Maschine hat in dieser Zeit etwas gemeldet. Die ganze Zeitachse reicht weiter zurück.";
    INCURSION = "Incursion", "Annäherung";
    ALARM = "Alarm of the station", "Alarm der Station";
    LOG = "Log entry", "Protokolleintrag";
    STATUS_REPORT = "Status report", "Statusmeldung";
    TAG_BATTERY = "Battery of a tag", "Batterie eines Transponders";
    TAG_TEST = "Test of a tag", "Test eines Transponders";
    CLIP_ENTRY = "Video clip", "Videoclip";
    RUNTIME_ENTRY = "Runtime", "Betriebszeit";
    INCURSION_WITH = "{zone}: {who}", "{zone}: {who}";
    WITH_TAG = "Tag {serial}", "Transponder {serial}";
    DRIVEN_BY = "driven by {name}", "gefahren von {name}";
    RAN_FOR = "Ran for {time}", "Lief {time}";
    TEST_PASSED = "passed", "bestanden";
    TEST_FAILED = "not passed", "nicht bestanden";
    CLOSEST = "closest {distance}", "am nächsten {distance}";
}

counted! {
    ALARMS_OF_SITE = ("One open alarm about the site", "{n} open alarms about the site"),
        ("Ein offener Alarm zum Standort", "{n} offene Alarme zum Standort");
}

/// Returns the name of an activity.
pub fn activity(language: Language, word: &str) -> &'static str {
    let table = [("active", ACTIVE), ("idle", IDLE), ("silent", SILENT), ("archived", ARCHIVED)];
    find(language, word, &table).unwrap_or(UNKNOWN.get(language))
}

/// Returns the name of the status of a base station.
pub fn station_status(language: Language, word: &str) -> &'static str {
    let table =
        [("online", ONLINE), ("silent", SILENT), ("faulty", FAULTY), ("never_seen", STATION_NEVER_SEEN)];
    find(language, word, &table).unwrap_or(UNKNOWN.get(language))
}

/// Returns the name of the state of a message.
pub fn message_state(language: Language, word: &str) -> &'static str {
    let table = [
        ("queued", QUEUED),
        ("delivered", DELIVERED),
        ("displayed", DISPLAYED),
        ("acknowledged", CONFIRMED_IN_CAB),
        ("expired", EXPIRED),
    ];
    find(language, word, &table).unwrap_or(UNKNOWN.get(language))
}

/// Returns the name of the state of a clip.
pub fn clip_state(language: Language, word: &str) -> &'static str {
    let table = [
        ("requested", REQUESTED),
        ("uploading", UPLOADING),
        ("available", AVAILABLE),
        ("expired", DELETED),
        ("failed", FAILED),
    ];
    find(language, word, &table).unwrap_or(UNKNOWN.get(language))
}

/// Returns why there is no video, if it is one of the reasons that the service and its base stations give.
pub fn clip_failure(language: Language, word: &str) -> Option<&'static str> {
    find(language, word, &[("no_recording", NO_RECORDING), ("never_uploaded", NEVER_UPLOADED)])
}

/// Returns the name of a kind of entry in a timeline.
pub fn timeline_kind(language: Language, word: &str) -> &'static str {
    let table = [
        ("incursion", INCURSION),
        ("alarm", ALARM),
        ("log", LOG),
        ("status", STATUS_REPORT),
        ("tag_battery", TAG_BATTERY),
        ("tag_test", TAG_TEST),
        ("message", MESSAGE),
        ("video_clip", CLIP_ENTRY),
        ("runtime", RUNTIME_ENTRY),
    ];
    find(language, word, &table).unwrap_or(UNKNOWN.get(language))
}

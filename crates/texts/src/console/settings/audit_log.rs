//! Texts of the page of the audit log, and the words for what was done.

use crate::Language;
use crate::text::{counted, find, texts};

texts! {
    TITLE = "Audit log", "Prüfprotokoll";
    LEAD = "What people, programs and devices did in the brand, the newest first. Entries are never changed.",
        "Was Personen, Programme und Geräte in der Marke getan haben, das Neueste zuerst. Einträge werden nie geändert.";
    SINCE = "From", "Von";
    UNTIL = "Until and including", "Bis einschließlich";
    AT = "Time", "Zeitpunkt";
    ACTOR = "Who", "Wer";
    ACTOR_ID = "Number of who did it", "Nummer des Handelnden";
    ACTION_WORD = "Word of the action", "Wort der Handlung";
    ACTION_HINT = "Such as user.invited; it stands below each action.",
        "Zum Beispiel user.invited; es steht unter jeder Handlung.";
    ACTION = "What", "Was";
    TARGET = "On what", "Woran";
    TARGET_ID = "Number of the record", "Nummer des Eintrags";
    DETAILS = "Details", "Einzelheiten";
    ADDRESS = "Address", "Adresse";
    REQUEST = "Request {id}", "Anfrage {id}";
    NOTHING = "none", "nichts";
    NONE_YET = "No entries yet", "Noch keine Einträge";
    NONE_YET_REASON = "Whatever is changed from now on is recorded here.",
        "Was von jetzt an geändert wird, wird hier festgehalten.";

    COMMAND_LINE = "Command line of the server", "Befehlszeile des Servers";
    SERVICE = "Keepclear itself", "Keepclear selbst";

    ACCOUNT = "Sign-in", "Anmeldung";
    ALERT = "Alert", "Alarm";
    AUDIT_HEADS = "Heads of the audit log", "Köpfe des Prüfprotokolls";
    BASE_STATION = "Base station", "Basisstation";
    BRAND = "Brand", "Marke";
    EXPORT = "Export", "Export von Daten";
    GATEWAY = "Gateway", "Gateway-Gerät";
    INCURSION = "Incursion", "Annäherung";
    INSTALLATION = "Installation of the service", "Installation";
    INSTALLATION_KEY = "Key of the installation", "Schlüssel der Installation";
    KEY_EPOCHS = "Keys of the installation", "Schlüssel in Gebrauch";
    MACHINE = "Machine", "Maschine";
    MAIL = "Email", "E-Mail";
    MESSAGE = "Message", "Nachricht";
    NOTE = "Note", "Notiz";
    PERSON = "Person", "Person";
    PROJECT = "Project", "Projekt";
    REPORT = "Report", "Bericht";
    REPORT_SCHEDULE = "Schedule of reports", "Zeitplan für Berichte";
    SAVED_VIEW = "Saved view", "Gespeicherte Ansicht";
    SERVICE_ACCOUNT = "Service account", "Dienstkonto";
    SERVICE_TOKEN = "Token of a service account", "Zugangstoken eines Dienstkontos";
    SESSION = "Session", "Sitzung";
    SIGNING_KEY = "Signing key", "Signaturschlüssel";
    SIMULATION = "Simulated data", "Simulierte Daten";
    SITE_REPORT = "Site report", "Standortbericht";
    TAG = "Tag", "Transponder";
    TAG_ASSIGNMENT = "Wearing of a tag", "Ausgabe eines Transponders";
    TAG_TEST = "Test of a tag", "Test eines Transponders";
    TESTER_DEVICE = "Tester device", "Testgerät";
    TOKEN = "Token of a device", "Zugangstoken eines Geräts";
    USER = "User", "Benutzer";
    USER_PREFERENCES = "Preferences", "Eigene Einstellungen";
    VIDEO_CLIP = "Video", "Videoaufnahme";
    VISITOR_SESSION = "Visit", "Besuch";
    WEBHOOK = "Webhook", "Webhook-Adresse";
    WORKSITE = "Site", "Standort";

    ACCEPTED = "accepted", "angenommen";
    ACCESS_CHANGED = "access changed", "Zugang geändert";
    ARCHIVED = "archived", "archiviert";
    ASSIGNED = "assigned", "zugeordnet";
    BEGUN = "begun", "begonnen";
    CHANGED = "changed", "geändert";
    COMPLETED = "completed", "abgeschlossen";
    CORRECTED = "corrected", "berichtigt";
    CREATED = "added", "hinzugefügt";
    DEACTIVATED = "deactivated", "deaktiviert";
    DELETED = "deleted", "entfernt";
    DISABLED = "disabled", "abgeschaltet";
    ENDED = "ended", "beendet";
    ERASED = "personal data erased", "persönliche Daten gelöscht";
    FAILURE_MAILED = "failure mailed", "Fehlschlag gemailt";
    INSTALLED = "installed", "eingebaut";
    INVITED = "invited", "eingeladen";
    INVITED_AGAIN = "invited again", "erneut eingeladen";
    ISSUED = "issued", "ausgestellt";
    JOINED = "joined", "beigetreten";
    LOGO_CHANGED = "logo changed", "Logo geändert";
    LOGO_REMOVED = "logo removed", "Logo entfernt";
    MAILED = "mailed", "gemailt";
    ORPHANED = "handed over to the admins", "den Administratoren übergeben";
    PASSWORD_CHANGED = "password changed", "Passwort geändert";
    PASSWORD_RESET = "password reset", "Passwort zurückgesetzt";
    PASSWORD_RESET_REQUESTED = "password reset requested", "Zurücksetzen des Passworts angefordert";
    PAUSED = "paused", "angehalten";
    PROVEN = "confirmed with the password", "mit dem Passwort bestätigt";
    REACTIVATED = "reactivated", "reaktiviert";
    RECOVERY_CODE_USED = "recovery code used", "Wiederherstellungscode verwendet";
    REDELIVERED = "delivered again", "erneut zugestellt";
    REFUSED = "refused", "abgelehnt";
    REMADE = "made again", "neu erstellt";
    REQUESTED = "requested", "angefordert";
    RESTORED = "restored", "wiederhergestellt";
    RESTRICTED = "projects changed", "Projekte geändert";
    REVIEWED = "reviewed", "bewertet";
    REVOKED = "revoked", "widerrufen";
    ROTATED = "replaced", "ersetzt";
    RUN = "run", "ausgeführt";
    SEALED = "sealed", "versiegelt";
    SECOND_FACTOR_ADDED = "second factor added", "zweiter Faktor eingerichtet";
    SECOND_FACTOR_REMOVED = "second factor removed", "zweiter Faktor entfernt";
    SECOND_FACTOR_RESET = "second factor removed by an admin", "zweiter Faktor von einem Administrator entfernt";
    SENT = "sent", "gesendet";
    SESSIONS_ENDED = "sessions ended", "Sitzungen beendet";
    STARTED = "started", "gestartet";
    TAKEN_OFF = "taken off its machine", "ausgebaut";
    TESTED = "tested", "getestet";
    UNSUBSCRIBED = "unsubscribed", "abbestellt";
}

counted! {}

/// The kinds of whoever acted.
const ACTORS: &[(&str, crate::Text)] = &[
    ("user", USER),
    ("service_account", SERVICE_ACCOUNT),
    ("tester_device", TESTER_DEVICE),
    ("command_line", COMMAND_LINE),
    ("service", SERVICE),
];

/// The kinds of records that something was done to. An action begins with one of these, too, or with one of [`SUBJECTS`].
const TARGETS: &[(&str, crate::Text)] = &[
    ("account", ACCOUNT),
    ("alert", ALERT),
    ("base_station", BASE_STATION),
    ("brand", BRAND),
    ("export", EXPORT),
    ("gateway", GATEWAY),
    ("incursion", INCURSION),
    ("machine", MACHINE),
    ("message", MESSAGE),
    ("note", NOTE),
    ("person", PERSON),
    ("project", PROJECT),
    ("report", REPORT),
    ("report_schedule", REPORT_SCHEDULE),
    ("saved_view", SAVED_VIEW),
    ("service_account", SERVICE_ACCOUNT),
    ("session", SESSION),
    ("site_report", SITE_REPORT),
    ("tag", TAG),
    ("tag_assignment", TAG_ASSIGNMENT),
    ("tag_test", TAG_TEST),
    ("tester_device", TESTER_DEVICE),
    ("token", TOKEN),
    ("user", USER),
    ("video_clip", VIDEO_CLIP),
    ("visitor_session", VISITOR_SESSION),
    ("webhook", WEBHOOK),
    ("worksite", WORKSITE),
];

/// What actions are about besides the kinds of records.
const SUBJECTS: &[(&str, crate::Text)] = &[
    ("audit_heads", AUDIT_HEADS),
    ("installation", INSTALLATION),
    ("installation_key", INSTALLATION_KEY),
    ("key_epochs", KEY_EPOCHS),
    ("login", ACCOUNT),
    ("mail", MAIL),
    ("service_token", SERVICE_TOKEN),
    ("signing_key", SIGNING_KEY),
    ("simulation", SIMULATION),
    ("user_preferences", USER_PREFERENCES),
];

const ACTIONS: &[(&str, crate::Text)] = &[
    ("accepted", ACCEPTED),
    ("access_changed", ACCESS_CHANGED),
    ("archived", ARCHIVED),
    ("assigned", ASSIGNED),
    ("begun", BEGUN),
    ("changed", CHANGED),
    ("completed", COMPLETED),
    ("corrected", CORRECTED),
    ("created", CREATED),
    ("deactivated", DEACTIVATED),
    ("deleted", DELETED),
    ("disabled", DISABLED),
    ("ended", ENDED),
    ("erased", ERASED),
    ("failure_mailed", FAILURE_MAILED),
    ("installed", INSTALLED),
    ("invited", INVITED),
    ("invited_again", INVITED_AGAIN),
    ("issued", ISSUED),
    ("joined", JOINED),
    ("logo_changed", LOGO_CHANGED),
    ("logo_removed", LOGO_REMOVED),
    ("mailed", MAILED),
    ("orphaned", ORPHANED),
    ("password_changed", PASSWORD_CHANGED),
    ("password_reset", PASSWORD_RESET),
    ("password_reset_requested", PASSWORD_RESET_REQUESTED),
    ("paused", PAUSED),
    ("proven", PROVEN),
    ("reactivated", REACTIVATED),
    ("recovery_code_used", RECOVERY_CODE_USED),
    ("redelivered", REDELIVERED),
    ("refused", REFUSED),
    ("remade", REMADE),
    ("requested", REQUESTED),
    ("restored", RESTORED),
    ("restricted", RESTRICTED),
    ("reviewed", REVIEWED),
    ("revoked", REVOKED),
    ("rotated", ROTATED),
    ("run", RUN),
    ("sealed", SEALED),
    ("second_factor_added", SECOND_FACTOR_ADDED),
    ("second_factor_removed", SECOND_FACTOR_REMOVED),
    ("second_factor_reset", SECOND_FACTOR_RESET),
    ("sent", SENT),
    ("sessions_ended", SESSIONS_ENDED),
    ("started", STARTED),
    ("taken_off", TAKEN_OFF),
    ("tested", TESTED),
    ("unsubscribed", UNSUBSCRIBED),
];

/// Returns the kinds of actors with their words in the language.
pub fn actors(language: Language) -> impl Iterator<Item = (&'static str, &'static str)> {
    ACTORS.iter().map(move |(word, text)| (*word, text.get(language)))
}

/// Returns the kinds of records with their words in the language.
pub fn targets(language: Language) -> impl Iterator<Item = (&'static str, &'static str)> {
    TARGETS.iter().map(move |(word, text)| (*word, text.get(language)))
}

/// Returns the word for a kind of actor.
pub fn actor(language: Language, word: &str) -> Option<&'static str> {
    find(language, word, ACTORS)
}

/// Returns the word for a kind of record.
pub fn target(language: Language, word: &str) -> Option<&'static str> {
    find(language, word, TARGETS).or_else(|| find(language, word, SUBJECTS))
}

/// Writes an action such as `user.invited` in words. What has no words is written as it is stored.
pub fn action(language: Language, action: &str) -> String {
    let words = action.split_once('.').and_then(|(subject, verb)| {
        Some(format!("{}: {}", target(language, subject)?, find(language, verb, ACTIONS)?))
    });
    words.unwrap_or_else(|| action.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_written_in_words() {
        assert_eq!(action(Language::German, "user.invited"), "Benutzer: eingeladen");
        assert_eq!(action(Language::English, "login.refused"), "Sign-in: refused");
        assert_eq!(action(Language::English, "weather.changed"), "weather.changed");
        assert_eq!(action(Language::English, "nothing"), "nothing");
    }
}

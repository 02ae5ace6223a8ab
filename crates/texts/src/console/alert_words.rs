//! The words of alerts: what they measure, how they stand, what became of an alarm and of what was sent about it.
//!
//! The functions take the words that are stored and sent in API responses.

use crate::text::{counted, find, texts};
use crate::{Language, Text, alerts, values};

texts! {
    INCURSIONS = "Incursions", "Annäherungen";
    INCURSIONS_ABOUT = "How many incursions begin within a while.",
        "Wie viele Annäherungen innerhalb einer Zeit beginnen.";
    UNACKNOWLEDGED_INCURSIONS = "Incursions that were not acknowledged", "Nicht quittierte Annäherungen";
    UNACKNOWLEDGED_INCURSIONS_ABOUT = "How many incursions nobody in the cab acknowledged.",
        "Wie viele Annäherungen in der Kabine niemand quittiert hat.";
    ACKNOWLEDGEMENT_RATE_ABOUT = "The share of incursions that were acknowledged in the cab.",
        "Der Anteil der Annäherungen, die in der Kabine quittiert wurden.";
    INCURSIONS_PER_RUNTIME_HOUR_ABOUT = "Incursions in relation to how long the machines ran.",
        "Annäherungen im Verhältnis dazu, wie lange die Maschinen liefen.";
    LONG_INCURSION = "A long incursion", "Eine lange Annäherung";
    LONG_INCURSION_ABOUT = "How long the longest incursion lasted.", "Wie lange die längste Annäherung dauerte.";
    REPEAT_PAIR = "The same person and machine", "Dieselbe Person und Maschine";
    REPEAT_PAIR_ABOUT = "How often one person on foot came too close to the same machine.",
        "Wie oft eine Person zu Fuß derselben Maschine zu nahe kam.";
    TAG_TEST_OVERDUE = "A tag that was not tested", "Ein nicht getesteter Transponder";
    TAG_TEST_OVERDUE_ABOUT = "Days since a worn tag last passed a test.",
        "Tage, seit ein getragener Transponder zuletzt einen Test bestand.";
    TAG_BATTERY_LOW = "A weak battery of a tag", "Eine schwache Transponderbatterie";
    TAG_BATTERY_LOW_ABOUT = "Per cent of charge of a tag that is worn.",
        "Ladung eines getragenen Transponders in Prozent.";
    BASE_STATION_SILENT = "A silent base station", "Eine stumme Basisstation";
    BASE_STATION_SILENT_ABOUT = "Minutes since an installed base station was last in contact.",
        "Minuten, seit sich eine eingebaute Basisstation zuletzt gemeldet hat.";
    VISITOR_OVERSTAY = "A visitor who stays too long", "Ein Besucher, der zu lange bleibt";
    VISITOR_OVERSTAY_ABOUT = "Minutes by which a visit exceeds its expected end.",
        "Minuten, um die ein Besuch sein erwartetes Ende überschreitet.";
    DRIFT = "Sliding back", "Rückfall";
    DRIFT_ABOUT = "Per cent of an improvement since the installation that were lost again.",
        "Prozent der Verbesserung seit dem Einbau, die wieder verloren gingen.";

    STATUS_OK = "All is well", "Alles in Ordnung";
    STATUS_FIRING = "Firing", "Ausgelöst";
    STATUS_NO_DATA = "No data", "Keine Daten";
    STATUS_STOPPED = "Stopped", "Angehalten";
    STATUS_DISABLED = "Disabled", "Deaktiviert";

    WHY_TOO_MANY = "More crosses the threshold than can be distinguished. Narrow the scope, or split less.",
        "Es ist mehr jenseits des Schwellenwerts, als unterschieden werden kann. Schränken Sie den Umfang ein oder \
        teilen Sie weniger auf.";
    WHY_TOO_MANY_OF_BRAND = "Older alerts distinguish as much as those of a brand may. Split them less, or delete some.",
        "Ältere Alarmregeln unterscheiden so viel, wie die einer Marke dürfen. Teilen Sie diese weniger auf oder löschen \
        Sie einige.";
    WHY_NO_RUNTIME = "The machines have not run long enough.", "Die Maschinen liefen noch nicht lange genug.";
    WHY_NO_INCURSIONS = "There were no incursions.", "Es gab keine Annäherungen.";
    WHY_TOO_FEW = "There were too few incursions to judge.", "Es gab zu wenige Annäherungen für ein Urteil.";
    WHY_NO_BASELINE = "There is nothing to compare with from the time after the installation.",
        "Aus der Zeit nach dem Einbau gibt es nichts zum Vergleichen.";
    WHY_NO_FALL = "The rate has not fallen since the installation.",
        "Die Quote ist seit dem Einbau nicht gefallen.";
    WHY_SCOPE_ARCHIVED = "What it is about was archived.", "Das, wovon sie handelt, wurde archiviert.";
    WHY_SCOPE_EMPTY = "Its owner sees nothing of its scope any more.",
        "Wem sie gehört, sieht nichts mehr von ihrem Umfang.";
    WHY_BY_USER = "Somebody disabled it.", "Jemand hat sie deaktiviert.";
    WHY_PERSON_ERASED = "The person whom it was about was erased.",
        "Die Person, von der sie handelte, wurde gelöscht.";

    SPLIT_NONE = "Everything together", "Alles zusammen";
    SPLIT_PROJECT = "Each project", "Jedes Projekt";
    SPLIT_WORKSITE = "Each site", "Jeder Standort";
    SPLIT_MACHINE = "Each machine", "Jede Maschine";
    SPLIT_BASE_STATION = "Each base station", "Jede Basisstation";
    SPLIT_PERSON = "Each person", "Jede Person";
    SPLIT_TAG = "Each tag", "Jeder Transponder";
    SPLIT_PAIR = "Each person with each machine", "Jede Person mit jeder Maschine";

    FIRING_HELD = "Held", "Zurückgehalten";
    FIRING_FIRED = "Open", "Offen";
    FIRING_CLEARED = "Cleared", "Entwarnt";

    CLEARED_RULE_DISABLED = "the alert was disabled", "die Alarmregel wurde deaktiviert";
    CLEARED_RULE_DELETED = "the alert was deleted", "die Alarmregel wurde gelöscht";
    CLEARED_SCOPE_CHANGED = "its owner no longer sees all of it, or nothing is expected there any more",
        "wem sie gehört, sieht nicht mehr alles davon, oder dort wird nichts mehr erwartet";
    CLEARED_PERSON_ERASED = "the person was erased", "die Person wurde gelöscht";

    DELIVERY_QUEUED = "Waiting", "Wartet";
    DELIVERY_SENT = "Sent", "Zugestellt";
    DELIVERY_FAILED = "Failed", "Fehlgeschlagen";
    DELIVERY_SUPPRESSED = "Not sent", "Nicht gesendet";

    REASON_MAIL_SERVER = "the mail server is away, or refuses the service",
        "der Mailserver ist nicht erreichbar oder lehnt den Dienst ab";
    REASON_REFUSED = "the mail server refuses the address", "der Mailserver lehnt die Adresse ab";
    REASON_UNSUBSCRIBED = "the recipient has unsubscribed", "der Empfänger hat die Mails abbestellt";
    REASON_NOT_VISIBLE = "the user sees none of it", "der Benutzer sieht nichts davon";
    REASON_NO_ACCESS = "the user no longer has access", "der Benutzer hat keinen Zugang mehr";
    REASON_RECIPIENT_GONE = "the recipient was removed", "der Empfänger wurde entfernt";
    REASON_NOTHING_LEFT = "nothing was left to send", "es gab nichts mehr zu melden";
    REASON_GIVEN_UP = "it was given up; the log of the service says why",
        "es wurde aufgegeben; das Protokoll des Dienstes sagt, warum";
    REASON_STATUS = "the receiver answered with status {status}", "der Empfänger antwortete mit Status {status}";
    REASON_TIMED_OUT = "no answer in time", "keine Antwort in der vorgesehenen Zeit";
    REASON_UNREACHABLE = "no connection", "keine Verbindung";
    REASON_TLS = "no TLS, or a certificate that is not trusted",
        "kein TLS, oder ein Zertifikat, dem nicht vertraut wird";
    REASON_REDIRECTED = "the receiver answered with a redirect", "der Empfänger antwortete mit einer Weiterleitung";
    REASON_ADDRESS = "the address is not allowed", "die Adresse ist nicht erlaubt";
    REASON_GONE = "the receiver says that it is gone for good",
        "der Empfänger sagt, dass es ihn nicht mehr gibt";
    REASON_WEBHOOK_DISABLED = "the webhook is disabled", "der Webhook ist deaktiviert";

    EVENT_FIRED = "An alarm fired", "Ein Alarm wurde ausgelöst";
    EVENT_CLEARED = "An alarm cleared", "Ein Alarm wurde entwarnt";
    EVENT_TEST = "A test", "Ein Test";
}

counted! {}

fn word(language: Language, word: &str, table: &[(&str, Text)]) -> &'static str {
    find(language, word, table).unwrap_or(values::UNKNOWN.get(language))
}

/// Returns what an alert measures.
pub fn metric(language: Language, metric: &str) -> &'static str {
    let table = [
        ("incursions", INCURSIONS),
        ("unacknowledged_incursions", UNACKNOWLEDGED_INCURSIONS),
        ("acknowledgement_rate", values::ACKNOWLEDGEMENT_RATE),
        ("incursions_per_runtime_hour", values::INCURSIONS_PER_RUNTIME_HOUR),
        ("long_incursion", LONG_INCURSION),
        ("repeat_pair", REPEAT_PAIR),
        ("tag_test_overdue", TAG_TEST_OVERDUE),
        ("tag_battery_low", TAG_BATTERY_LOW),
        ("base_station_silent", BASE_STATION_SILENT),
        ("visitor_overstay", VISITOR_OVERSTAY),
        ("drift", DRIFT),
    ];
    word(language, metric, &table)
}

/// Returns a sentence about what an alert measures.
pub fn about_metric(language: Language, metric: &str) -> &'static str {
    let table = [
        ("incursions", INCURSIONS_ABOUT),
        ("unacknowledged_incursions", UNACKNOWLEDGED_INCURSIONS_ABOUT),
        ("acknowledgement_rate", ACKNOWLEDGEMENT_RATE_ABOUT),
        ("incursions_per_runtime_hour", INCURSIONS_PER_RUNTIME_HOUR_ABOUT),
        ("long_incursion", LONG_INCURSION_ABOUT),
        ("repeat_pair", REPEAT_PAIR_ABOUT),
        ("tag_test_overdue", TAG_TEST_OVERDUE_ABOUT),
        ("tag_battery_low", TAG_BATTERY_LOW_ABOUT),
        ("base_station_silent", BASE_STATION_SILENT_ABOUT),
        ("visitor_overstay", VISITOR_OVERSTAY_ABOUT),
        ("drift", DRIFT_ABOUT),
    ];
    word(language, metric, &table)
}

pub fn status(language: Language, status: &str) -> &'static str {
    let table = [
        ("ok", STATUS_OK),
        ("firing", STATUS_FIRING),
        ("no_data", STATUS_NO_DATA),
        ("stopped", STATUS_STOPPED),
        ("disabled", STATUS_DISABLED),
    ];
    word(language, status, &table)
}

/// Returns why an alert has its status.
pub fn status_reason(language: Language, reason: &str) -> &'static str {
    let table = [
        ("too_many", WHY_TOO_MANY),
        ("too_many_of_brand", WHY_TOO_MANY_OF_BRAND),
        ("no_runtime", WHY_NO_RUNTIME),
        ("no_incursions", WHY_NO_INCURSIONS),
        ("too_few", WHY_TOO_FEW),
        ("no_baseline", WHY_NO_BASELINE),
        ("no_fall", WHY_NO_FALL),
        ("scope_archived", WHY_SCOPE_ARCHIVED),
        ("scope_empty", WHY_SCOPE_EMPTY),
        ("by_user", WHY_BY_USER),
        ("person_erased", WHY_PERSON_ERASED),
    ];
    word(language, reason, &table)
}

/// Returns what there is one alarm each for.
pub fn split(language: Language, split: &str) -> &'static str {
    let table = [
        ("none", SPLIT_NONE),
        ("project", SPLIT_PROJECT),
        ("worksite", SPLIT_WORKSITE),
        ("machine", SPLIT_MACHINE),
        ("base_station", SPLIT_BASE_STATION),
        ("person", SPLIT_PERSON),
        ("tag", SPLIT_TAG),
        ("pair", SPLIT_PAIR),
    ];
    word(language, split, &table)
}

pub fn firing_state(language: Language, state: &str) -> &'static str {
    word(language, state, &[("held", FIRING_HELD), ("fired", FIRING_FIRED), ("cleared", FIRING_CLEARED)])
}

/// Returns why an alarm is over.
pub fn clear_reason(language: Language, reason: &str) -> &'static str {
    let table = [
        ("recovered", alerts::RECOVERED),
        ("no_data", alerts::NO_DATA_LEFT),
        ("rule_changed", alerts::RULE_CHANGED),
        ("rule_disabled", CLEARED_RULE_DISABLED),
        ("rule_deleted", CLEARED_RULE_DELETED),
        ("scope_archived", alerts::SCOPE_ARCHIVED),
        ("scope_changed", CLEARED_SCOPE_CHANGED),
        ("person_erased", CLEARED_PERSON_ERASED),
    ];
    word(language, reason, &table)
}

pub fn delivery_state(language: Language, state: &str) -> &'static str {
    let table = [
        ("queued", DELIVERY_QUEUED),
        ("sent", DELIVERY_SENT),
        ("failed", DELIVERY_FAILED),
        ("suppressed", DELIVERY_SUPPRESSED),
    ];
    word(language, state, &table)
}

/// Returns why something was not sent, or not yet.
pub fn delivery_reason(language: Language, reason: &str) -> String {
    if let Some(status) = reason.strip_prefix("status_") {
        return REASON_STATUS.fill(language, &[("status", status)]);
    }
    let table = [
        ("mail_server_unavailable", REASON_MAIL_SERVER),
        ("mail_server_refused", REASON_MAIL_SERVER),
        ("refused", REASON_REFUSED),
        ("unsubscribed", REASON_UNSUBSCRIBED),
        ("not_visible", REASON_NOT_VISIBLE),
        ("user_deactivated", REASON_NO_ACCESS),
        ("permission_missing", REASON_NO_ACCESS),
        ("recipient_gone", REASON_RECIPIENT_GONE),
        ("alert_deleted", CLEARED_RULE_DELETED),
        ("nothing_left", REASON_NOTHING_LEFT),
        ("cannot_be_written", REASON_GIVEN_UP),
        ("given_up", REASON_GIVEN_UP),
        ("timed_out", REASON_TIMED_OUT),
        ("unreachable", REASON_UNREACHABLE),
        ("tls", REASON_TLS),
        ("redirected", REASON_REDIRECTED),
        ("private_address", REASON_ADDRESS),
        ("not_https", REASON_ADDRESS),
        ("gone", REASON_GONE),
        ("webhook_disabled", REASON_WEBHOOK_DISABLED),
    ];
    find(language, reason, &table).unwrap_or(reason).to_owned()
}

/// Returns what is sent to a webhook.
pub fn event(language: Language, event: &str) -> &'static str {
    word(language, event, &[("fired", EVENT_FIRED), ("cleared", EVENT_CLEARED), ("test", EVENT_TEST)])
}

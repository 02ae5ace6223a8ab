//! Why something was refused, by the codes of the API.

use crate::Language;
use crate::text::{counted, find, texts};

texts! {
    CROSS_SITE = "The form was sent by a page of another site, so nothing was done. Open the page here and try \
        again.",
        "Das Formular wurde von der Seite eines anderen Anbieters gesendet, deshalb wurde nichts getan. \
        Öffnen Sie die Seite hier, und versuchen Sie es noch einmal.";
    PASSWORD_DUE = "Choose a password of your own first.", "Wählen Sie zuerst ein eigenes Passwort.";
    SECOND_FACTOR_DUE = "Your role requires a second factor. Add one first.",
        "Ihre Rolle verlangt einen zweiten Faktor. Richten Sie ihn zuerst ein.";
    PROOF_DUE = "Confirm with your password that it is you.",
        "Bestätigen Sie mit Ihrem Passwort, dass Sie es sind.";
    RESTRICTED = "You are restricted to some projects, and this concerns more than those.",
        "Sie sind auf einige Projekte beschränkt, und dies betrifft mehr als diese.";
    NOT_YOURS = "This belongs to someone else, and only they or an administrator can change it.",
        "Das gehört jemand anderem, und nur diese Person oder ein Administrator kann es ändern.";
    INVALID_CREDENTIALS = "The email address, the password or the code is wrong.",
        "Die E-Mail-Adresse, das Passwort oder der Code ist falsch.";
    TOO_MANY_ATTEMPTS = "Too many wrong attempts.", "Zu viele falsche Versuche.";
    CLIP_EXPIRED = "The video has expired and was deleted.", "Das Video ist abgelaufen und wurde gelöscht.";
    CLIP_FAILED = "The video was never uploaded.", "Das Video wurde nie hochgeladen.";
    EXPORT_EXPIRED = "The file of this export has expired or was deleted.",
        "Die Datei dieses Exports ist abgelaufen oder wurde gelöscht.";
    EXPORT_FAILED = "This export has failed.", "Dieser Export ist gescheitert.";
    REPORT_EXPIRED = "The files of this report have expired or were deleted.",
        "Die Dateien dieses Berichts sind abgelaufen oder wurden gelöscht.";
    REPORT_FAILED = "This report has failed.", "Dieser Bericht ist gescheitert.";
    LINK_EXPIRED = "This link has expired.", "Dieser Link ist abgelaufen.";
    LAST_ADMIN = "This is the last administrator who can sign in. Make someone else an administrator first.",
        "Das ist der letzte Administrator, der sich anmelden kann. Machen Sie zuerst jemand anderen zum \
        Administrator.";
    ADDRESS_IN_USE = "This email address has an account already and cannot have a second one.",
        "Diese E-Mail-Adresse hat schon ein Konto und kann kein zweites haben.";
    SECOND_FACTOR_EXISTS = "You have a second factor already. Remove it first.",
        "Sie haben schon einen zweiten Faktor. Entfernen Sie ihn zuerst.";
    SECOND_FACTOR_NOT_BEGUN = "Start setting up the second factor again.",
        "Beginnen Sie noch einmal damit, den zweiten Faktor einzurichten.";
    SERVICE_ACCOUNT_ARCHIVED = "This service account has been archived for good.",
        "Dieses Dienstkonto wurde endgültig archiviert.";
    SERVICE_ACCOUNT_EXPIRED = "This service account has expired. Give it a later end first.",
        "Dieses Dienstkonto ist abgelaufen. Geben Sie ihm zuerst ein späteres Ende.";
    NOT_INVITED = "There is no invitation to send again.",
        "Es gibt keine Einladung, die noch einmal gesendet werden könnte.";
    STILL_RUNNING = "What you have just sent is still being worked on. Wait a moment, and look at the page where it belongs \
        before you send the form again.",
        "Was Sie gerade gesendet haben, wird noch bearbeitet. Warten Sie einen Moment, und sehen Sie auf der Seite nach, zu \
        der es gehört, bevor Sie das Formular noch einmal senden.";
    SENT_BEFORE = "This form was sent before with other entries. Open the page again to send another.",
        "Dieses Formular wurde schon mit anderen Angaben gesendet. Öffnen Sie die Seite neu, um noch \
        eines zu senden.";
    EMPLOYEE_ID_TAKEN = "Somebody else has the same employee number by now.",
        "Jemand anderes hat inzwischen dieselbe Personalnummer.";
    MACHINE_ARCHIVED = "The machine is archived. Restore it first.",
        "Die Maschine ist archiviert. Stellen Sie sie zuerst wieder her.";
    WORKSITE_ARCHIVED = "The site is archived. Restore it first.",
        "Der Standort ist archiviert. Stellen Sie ihn zuerst wieder her.";
    PERSON_ERASED = "The data of this person has been erased and cannot be changed.",
        "Die Daten dieser Person wurden gelöscht und können nicht geändert werden.";
    NAME_TAKEN = "This name is taken.", "Dieser Name ist schon vergeben.";
    NOT_READY = "This is not ready yet.", "Das ist noch nicht fertig.";
    TOO_MANY_EXPORTS = "Too many of your exports are unfinished. Wait until one is ready.",
        "Zu viele Ihrer Exporte sind noch nicht fertig. Warten Sie, bis einer fertig ist.";
    TOO_MANY_REPORTS = "Too many reports are unfinished. Wait until one is ready.",
        "Zu viele Berichte sind noch nicht fertig. Warten Sie, bis einer fertig ist.";
    TOO_MANY_SCHEDULES = "You have too many schedules. Remove one first.",
        "Sie haben zu viele Zeitpläne. Entfernen Sie zuerst einen.";
    NO_FIGURES = "The report has failed or expired. Request a new one.",
        "Der Bericht ist gescheitert oder abgelaufen. Fordern Sie einen neuen an.";
    NO_RECIPIENTS = "The schedule has no recipients.", "Der Zeitplan hat keine Empfänger.";
    AUTHOR_CANNOT_SCHEDULE = "The author of the schedule may no longer schedule reports.",
        "Der Verfasser des Zeitplans darf keine Berichte mehr planen.";
    TOO_MANY_ALERTS = "There are too many alerts. Remove one first.",
        "Es gibt zu viele Alarme. Entfernen Sie zuerst einen.";
    TOO_MANY_TESTS = "This was tested too often within the last hour.",
        "Das wurde in der letzten Stunde zu oft getestet.";
    TOO_MANY_WEBHOOKS = "There are too many webhooks. Remove one first.",
        "Es gibt zu viele Webhooks. Entfernen Sie zuerst einen.";
    WEBHOOK_DISABLED = "The webhook is disabled. Enable it first.",
        "Der Webhook ist abgeschaltet. Schalten Sie ihn zuerst ein.";
    ALREADY_QUEUED = "The event is still waiting to be sent.",
        "Das Ereignis wartet noch darauf, gesendet zu werden.";
    TOO_MANY_VIEWS = "You have too many saved views. Remove one first.",
        "Sie haben zu viele gespeicherte Ansichten. Entfernen Sie zuerst eine.";
    TOO_MANY_GROUPS = "There are more groups than can be computed. Narrow the filters, or remove a dimension.",
        "Es gibt mehr Gruppen, als berechnet werden können. Schränken Sie die Filter ein, oder entfernen \
        Sie eine Dimension.";
    STORE_UNAVAILABLE = "The database cannot be reached.", "Die Datenbank ist nicht erreichbar.";
    OUTCOME_UNKNOWN = "The database did not confirm the change, so it may have been made or not. Look before \
        you try again.",
        "Die Datenbank hat die Änderung nicht bestätigt; sie kann gespeichert sein oder nicht. Sehen Sie nach, \
        bevor Sie es noch einmal versuchen.";
    STORAGE_FULL = "There is no room left on the disk of the database. Nothing was saved.",
        "Auf der Festplatte der Datenbank ist kein Platz mehr. Es wurde nichts gespeichert.";
    OBJECTS_UNAVAILABLE = "The store of files cannot be reached.", "Die Dateiablage ist nicht erreichbar.";
    TOOK_TOO_LONG = "This took too long. A shorter period or fewer filters may help.",
        "Das hat zu lange gedauert. Ein kürzerer Zeitraum oder weniger Filter könnten helfen.";
    NUMBERS_BEHIND = "The latest changes have not been counted yet.",
        "Die letzten Änderungen sind noch nicht gezählt.";
    HISTORY_LOADING = "The history is still being loaded. Try again when all of it is there.",
        "Der Verlauf wird noch geladen. Versuchen Sie es noch einmal, wenn alles da ist.";
    WAREHOUSE_UNAVAILABLE = "A part of the numbers cannot be read at the moment.",
        "Ein Teil der Zahlen kann gerade nicht gelesen werden.";
    ANALYTICS_BUSY = "Too much is being computed at once.",
        "Gerade wird zu viel auf einmal berechnet.";
    TOO_BUSY = "Too many of your requests are running at once.",
        "Es laufen zu viele Ihrer Anfragen gleichzeitig.";
}

counted! {}

/// The sentences by their codes.
const TABLE: &[(&str, crate::Text)] = &[
    ("cross_site_request", CROSS_SITE),
    ("password_change_due", PASSWORD_DUE),
    ("second_factor_required", SECOND_FACTOR_DUE),
    ("proof_required", PROOF_DUE),
    ("restricted", RESTRICTED),
    ("not_yours", NOT_YOURS),
    ("invalid_credentials", INVALID_CREDENTIALS),
    ("too_many_attempts", TOO_MANY_ATTEMPTS),
    ("clip_expired", CLIP_EXPIRED),
    ("clip_failed", CLIP_FAILED),
    ("export_expired", EXPORT_EXPIRED),
    ("export_failed", EXPORT_FAILED),
    ("report_expired", REPORT_EXPIRED),
    ("report_failed", REPORT_FAILED),
    ("link_expired", LINK_EXPIRED),
    ("last_admin", LAST_ADMIN),
    ("address_in_use", ADDRESS_IN_USE),
    ("second_factor_exists", SECOND_FACTOR_EXISTS),
    ("second_factor_not_begun", SECOND_FACTOR_NOT_BEGUN),
    ("service_account_archived", SERVICE_ACCOUNT_ARCHIVED),
    ("service_account_expired", SERVICE_ACCOUNT_EXPIRED),
    ("not_invited", NOT_INVITED),
    ("still_running", STILL_RUNNING),
    ("idempotency_key_reused", SENT_BEFORE),
    ("employee_id_taken", EMPLOYEE_ID_TAKEN),
    ("machine_archived", MACHINE_ARCHIVED),
    ("worksite_archived", WORKSITE_ARCHIVED),
    ("person_erased", PERSON_ERASED),
    ("name_taken", NAME_TAKEN),
    ("not_ready", NOT_READY),
    ("too_many_exports", TOO_MANY_EXPORTS),
    ("too_many_reports", TOO_MANY_REPORTS),
    ("too_many_schedules", TOO_MANY_SCHEDULES),
    ("no_figures", NO_FIGURES),
    ("no_recipients", NO_RECIPIENTS),
    ("author_cannot_schedule", AUTHOR_CANNOT_SCHEDULE),
    ("too_many_alerts", TOO_MANY_ALERTS),
    ("too_many_tests", TOO_MANY_TESTS),
    ("too_many_webhooks", TOO_MANY_WEBHOOKS),
    ("webhook_disabled", WEBHOOK_DISABLED),
    ("already_queued", ALREADY_QUEUED),
    ("too_many_views", TOO_MANY_VIEWS),
    ("too_many_groups", TOO_MANY_GROUPS),
    ("store_unavailable", STORE_UNAVAILABLE),
    ("outcome_unknown", OUTCOME_UNKNOWN),
    ("storage_full", STORAGE_FULL),
    ("objects_unavailable", OBJECTS_UNAVAILABLE),
    ("took_too_long", TOOK_TOO_LONG),
    ("numbers_behind", NUMBERS_BEHIND),
    ("history_loading", HISTORY_LOADING),
    ("warehouse_unavailable", WAREHOUSE_UNAVAILABLE),
    ("analytics_busy", ANALYTICS_BUSY),
    ("too_busy", TOO_BUSY),
];

/// Returns the sentence of a refusal. Without one, the detail of the API is shown, which is English.
pub fn of(language: Language, code: &str) -> Option<&'static str> {
    find(language, code, TABLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_a_sentence_in_the_language_of_the_reader() {
        assert_eq!(of(Language::German, "link_expired"), Some("Dieser Link ist abgelaufen."));
        assert_eq!(of(Language::English, "permission_missing"), None);
    }
}

//! The texts of /settings/webhooks.

use crate::text::{counted, texts};

texts! {
    TITLE = "Webhooks", "Webhook-Adressen";
    LEAD = "Addresses of other systems that are called when an alarm fires or clears. Each call is signed with a \
        secret.",
        "Adressen anderer Systeme, die aufgerufen werden, wenn ein Alarm auslöst oder entwarnt wird. Jeder Aufruf ist \
        mit einem Geheimnis signiert.";
    WEBHOOK = "The webhook", "Der Webhook";
    NEW = "Add a webhook", "Webhook hinzufügen";
    ADD = "Add", "Hinzufügen";
    SAVE = "Save", "Speichern";
    NAME = "Name", "Name";
    URL = "Address", "Adresse";
    URL_HINT = "Begins with https:// and leads to the public internet.",
        "Beginnt mit https:// und führt ins öffentliche Internet.";
    ALERTS = "Alerts", "Alarmregeln";
    WHICH = "Which alerts it gets", "Welche Alarmregeln er erhält";
    ALL_ALERTS = "All alerts", "Alle Alarmregeln";
    CHOSEN_ALERTS = "Only those that are chosen below", "Nur die unten gewählten";
    ALERT_NUMBER = "Alert {id}", "Alarmregel {id}";
    STATE = "State", "Zustand";
    ENABLED = "Is called", "Wird aufgerufen";
    DISABLED = "Disabled", "Deaktiviert";
    BY_USER = "An admin disabled it.", "Ein Administrator hat ihn deaktiviert.";
    FAILING = "Its calls failed for a whole day.", "Seine Aufrufe schlugen einen ganzen Tag lang fehl.";
    GONE = "The receiver answered that it is gone for good.",
        "Der Empfänger hat geantwortet, dass es ihn nicht mehr gibt.";
    KEY_LOST = "Its secret was lost with the installation key. Replace the secret.",
        "Sein Geheimnis ging mit dem Installationsschlüssel verloren. Ersetzen Sie das Geheimnis.";
    LAST_SUCCESS = "Last received", "Zuletzt angenommen";
    LAST_FAILURE = "Last failed", "Zuletzt fehlgeschlagen";
    NEVER = "never", "nie";
    NONE_YET = "No webhooks yet", "Noch keine Webhooks";
    NONE_YET_REASON = "Add the address of a duty desk, a chat or a log below.",
        "Fügen Sie unten die Adresse einer Leitstelle, eines Chats oder eines Protokolls hinzu.";

    SECRET = "Secret", "Geheimnis";
    SECRET_SINCE = "The secret was made on {at}.", "Das Geheimnis wurde am {at} erzeugt.";
    OLD_SECRET_UNTIL = "Until {at}, calls are also signed with the one before.",
        "Bis {at} werden Aufrufe auch mit dem vorigen signiert.";
    SHOWN_ONCE = "This is the new secret. Copy it now: it is not shown again.",
        "Dies ist das neue Geheimnis. Kopieren Sie es jetzt: Es wird nicht noch einmal angezeigt.";
    COPY = "Copy", "Kopieren";
    OVERLAP = "Hours in which the old secret stays valid", "Stunden, in denen das alte Geheimnis gültig bleibt";
    OVERLAP_HINT = "From 0 to 168, so that the receiver can be changed over without missing a call.",
        "Von 0 bis 168, damit der Empfänger umgestellt werden kann, ohne einen Aufruf zu verpassen.";
    ROTATE = "Replace the secret", "Geheimnis ersetzen";

    ENABLE = "Enable", "Aktivieren";
    DISABLE = "Disable", "Deaktivieren";
    DELETE = "Delete", "Löschen";
    DELETE_HINT = "The webhook is deleted with its deliveries. What has not been sent yet is not sent any more.",
        "Der Webhook wird mit seinen Zustellungen gelöscht. Was noch nicht gesendet ist, wird nicht mehr gesendet.";
    TEST = "Send a test", "Test senden";
    ADDED_BEFORE = "The form was sent twice. One webhook was added, and its secret was shown in answer to the first time. If \
        you have not seen it, replace the secret.",
        "Das Formular wurde zweimal gesendet. Es wurde ein Webhook hinzugefügt und sein Geheimnis als Antwort auf das erste Mal \
        angezeigt. Wenn Sie es nicht gesehen haben, ersetzen Sie das Geheimnis.";
    ROTATED_BEFORE = "The form was sent twice. The secret was replaced once, and the new one was shown in answer to the first time. \
        The one before stays valid for the time that you chose. Only if you have not seen the new one, replace it again. That ends \
        the one before.",
        "Das Formular wurde zweimal gesendet. Das Geheimnis wurde einmal ersetzt und das neue als Antwort auf das erste Mal \
        angezeigt. Das vorherige bleibt so lange gültig, wie Sie gewählt haben. Nur wenn Sie das neue nicht gesehen haben, \
        ersetzen Sie es noch einmal. Damit endet das vorherige.";
    SAVED = "The webhook was saved.", "Der Webhook wurde gespeichert.";
    DELETED = "The webhook was deleted.", "Der Webhook wurde gelöscht.";
    WAS_ENABLED = "The webhook is called again. What it missed is not sent.",
        "Der Webhook wird wieder aufgerufen. Was er verpasst hat, wird nicht gesendet.";
    WAS_DISABLED = "The webhook is no longer called.", "Der Webhook wird nicht mehr aufgerufen.";
    TESTED = "A test is on its way.", "Ein Test ist unterwegs.";
    REDELIVERED = "The event is sent again.", "Das Ereignis wird noch einmal gesendet.";

    DELIVERIES = "Deliveries", "Zustellungen";
    EVENT = "Event", "Ereignis";
    QUEUED_AT = "Queued", "Eingereiht";
    ATTEMPTS = "Attempts", "Versuche";
    LAST_ATTEMPT = "Last attempt", "Letzter Versuch";
    NEXT_ATTEMPT = "next on {at}", "nächster am {at}";
    AGAIN = "Send again", "Noch einmal senden";
    ANY = "All", "Alle";
    NO_DELIVERIES = "No deliveries", "Keine Zustellungen";
    NO_DELIVERIES_REASON = "What is sent to the webhook is listed here, the newest first. A test is the first one.",
        "Was an den Webhook gesendet wird, steht hier, das Neueste zuerst. Ein Test ist die erste Zustellung.";
}

counted! {}

//! The texts of mails about alarms, of the page on which someone leaves them, and of the mail about a webhook that was disabled.

use crate::text::{counted, texts};

texts! {
    /// The label is a severity, or that the alarm has cleared.
    SUBJECT = "{label}: {headline}", "{label}: {headline}";
    SUBJECT_TEST = "Test of \"{rule}\": {headline}", "Test von „{rule}“: {headline}";
    CLEARED = "Cleared", "Entwarnung";
    TEST = "Test", "Test";

    INTRODUCTION_FIRED = "An alert of {brand} has fired.", "Eine Alarmregel von {brand} hat ausgelöst.";
    INTRODUCTION_CLEARED = "An alarm of {brand} has cleared.", "Ein Alarm von {brand} ist beendet.";
    INTRODUCTION_HELD = "This came outside the active hours of an alert of {brand} and was held until they began.",
        "Dies kam außerhalb der Alarmzeiten einer Alarmregel von {brand} und wurde zurückgehalten, bis sie begannen.";
    INTRODUCTION_DIGEST = "An alert of {brand} has sent many mails within an hour. What came after that is collected \
        here.",
        "Eine Alarmregel von {brand} hat innerhalb einer Stunde viele Mails gesendet. Was danach kam, steht in dieser \
        Sammelmeldung.";
    INTRODUCTION_TEST = "This is a test of an alert of {brand}: its mails look like this. Nothing has happened.",
        "Dies ist ein Test einer Alarmregel von {brand}: So sehen ihre Mails aus. Es ist nichts geschehen.";
    EXAMPLE = "There is no value at the moment, so this one is an example.",
        "Im Moment gibt es keinen Wert; dieser ist ein Beispiel.";

    ALERT = "Alert", "Alarmregel";
    VALUE = "Value", "Wert";
    /// Of an alarm that has cleared: the value with which it fired, and the one on which it cleared.
    VALUE_AT_FIRING = "Value when it fired", "Wert beim Auslösen";
    VALUE_AT_CLEARING = "Value when it cleared", "Wert am Ende";
    /// The headline of an alarm that has cleared, with the value on which it did so.
    HEADLINE_AND_BEFORE = "{headline}, was {value}", "{headline}, zuvor {value}";
    /// The headline of an alarm that has cleared without a value.
    HEADLINE_AT_FIRING = "{headline} when it fired", "{headline} beim Auslösen";
    /// What a rule looks at, if that is less than all of the place that a headline names.
    RESTRICTED_TO = "Restricted to", "Beschränkt auf";
    /// A record by its name, such as a machine.
    KIND_AND_NAMES = "{kind} {names}", "{kind} {names}";
    ZONE_NAMED = "zone {name}", "{name}";
    THRESHOLD = "Threshold", "Schwellenwert";
    WINDOW = "Period", "Zeitraum";
    FROM_TO = "{from} to {to}", "{from} bis {to}";
    FIRED_AT = "Fired", "Ausgelöst";
    CLEARED_AT = "Cleared at", "Beendet";
    CLEAR_REASON = "Reason", "Grund";
    RECOVERED = "the value is on the good side again", "der Wert ist wieder im guten Bereich";
    NO_DATA_LEFT = "there has been no data for 24 hours", "seit 24 Stunden gibt es keine Daten";
    SCOPE_ARCHIVED = "what it was about has been archived", "das, wovon er handelte, wurde archiviert";
    RULE_CHANGED = "the alert has been changed", "die Alarmregel wurde geändert";

    OPEN_ALARM = "Open the alarm", "Alarm öffnen";
    OPEN_ALERT = "Open the alert", "Alarmregel öffnen";
    OPEN_INCURSION = "Incursion {id}", "Annäherung {id}";
    OPEN_WORKSITE = "Worksite {name}", "Standort {name}";
    OPEN_MACHINE = "Machine {name}", "Maschine {name}";
    OPEN_PERSON = "Person {name}", "Person {name}";
    OPEN_VISIT = "Visit {id}", "Besuch {id}";

    TO_UNSUBSCRIBE = "To stop receiving mails of this alert, open this link:",
        "Um keine Mails dieser Alarmregel mehr zu erhalten, öffnen Sie diesen Link:";
    UNSUBSCRIBE = "Unsubscribe", "Abbestellen";
    UNSUBSCRIBE_QUESTION = "Do you want to stop receiving mails of the alert \"{rule}\" of {brand}?",
        "Möchten Sie keine Mails der Alarmregel „{rule}“ von {brand} mehr erhalten?";
    UNSUBSCRIBED = "You no longer receive mails of the alert \"{rule}\" of {brand}.",
        "Sie erhalten keine Mails der Alarmregel „{rule}“ von {brand} mehr.";
    SUBSCRIBE_AGAIN = "To receive them again, ask whoever manages the alert to add your address anew.",
        "Um sie wieder zu erhalten, bitten Sie die Person, die die Alarmregel verwaltet, Ihre Adresse neu hinzuzufügen.";

    WEBHOOK_DISABLED_SUBJECT = "The webhook \"{webhook}\" of {brand} was disabled",
        "Der Webhook „{webhook}“ von {brand} wurde deaktiviert";
    WEBHOOK_DISABLED = "The webhook \"{webhook}\" of {brand} was disabled: alarms are no longer sent to {host}.",
        "Der Webhook „{webhook}“ von {brand} wurde deaktiviert: Alarme werden nicht mehr an {host} gesendet.";
    WEBHOOK_FAILING = "Its calls have failed since {since}, for a whole day.",
        "Seit {since} schlagen seine Aufrufe fehl, einen ganzen Tag lang.";
    WEBHOOK_GONE = "On {since} the receiver answered that the address is gone for good (410).",
        "Am {since} hat der Empfänger geantwortet, dass es die Adresse nicht mehr gibt (410).";
    WEBHOOK_KEY_LOST = "Its secret was lost together with the installation key on {since}. It needs a new one.",
        "Sein Geheimnis ging am {since} zusammen mit dem Installationsschlüssel verloren. Er braucht ein neues.";
    WEBHOOK_BY_USER = "An admin disabled it on {since}.", "Am {since} hat ihn ein Administrator deaktiviert.";
    WEBHOOK_NEXT_STEPS = "When the receiver works again, enable the webhook. Deliveries that failed are sent again only \
        if you ask for it.",
        "Wenn der Empfänger wieder funktioniert, aktivieren Sie den Webhook. Was nicht zugestellt wurde, wird nur auf \
        Ihre Anforderung noch einmal gesendet.";
}

counted! {
    /// Names that are not listed.
    MORE_NAMES = ("{n} more", "{n} more"), ("{n} weitere", "{n} weitere");
    /// For several events: the number is that of the others.
    SUBJECT_DIGEST = ("{label}: {headline}, and {n} more", "{label}: {headline}, and {n} more"),
        ("{label}: {headline} und {n} weitere Meldung", "{label}: {headline} und {n} weitere Meldungen");
    NOT_LISTED = ("{n} more event is not listed here; the alert has it.",
        "{n} more events are not listed here; the alert has them."),
        ("{n} weitere Meldung ist hier nicht aufgeführt; sie steht bei der Alarmregel.",
        "{n} weitere Meldungen sind hier nicht aufgeführt; sie stehen bei der Alarmregel.");
}

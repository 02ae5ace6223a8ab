//! The texts of /alerts.

use crate::text::{counted, texts};

texts! {
    TITLE = "Alerts", "Alarme";
    ALERTS = "Alerts", "Alarmregeln";
    ALERT = "Alert", "Alarmregel";
    ALARM = "The alarm", "Der Alarm";
    ALARMS = "Alarms", "Alarme";
    OPEN_ALARMS = "Open alarms", "Offene Alarme";
    ALL_ALERTS = "All alerts", "Alle Alarmregeln";
    TO_ALERT = "To the alert", "Zur Alarmregel";
    ALERT_DELETED = "The alert was deleted.", "Die Alarmregel wurde gelöscht.";
    NEW = "New alert", "Neue Alarmregel";
    EDIT = "Change", "Ändern";
    EDIT_OF = "Change {name}", "{name} ändern";
    RULE = "The alert", "Die Alarmregel";
    CREATE = "Create the alert", "Alarmregel anlegen";
    SAVE = "Save", "Speichern";
    CANCEL = "Cancel", "Abbrechen";
    SHOW = "Show", "Anzeigen";
    SHOW_ALL = "Show all", "Alle anzeigen";
    ANY = "All", "Alle";
    YES = "Yes", "Ja";
    NO = "No", "Nein";

    NAME = "Name", "Name";
    NAME_HINT = "It appears in mails and in lists of alarms. The subject of a mail says what happened and where.",
        "Er steht in Mails und in Listen der Alarme. Der Betreff einer Mail sagt, was wo geschehen ist.";
    NAME_CONTAINS = "Name contains", "Name enthält";
    STATE = "State", "Zustand";
    SEVERITY = "Severity", "Schwere";
    OWNER = "Belongs to", "Gehört";
    OWNED_BY_ADMINS = "the admins", "den Administratoren";
    OWNER_LEFT = "The person who made it left on {at}.", "Wer sie angelegt hat, ist seit {at} nicht mehr dabei.";
    LAST_JUDGED = "State since", "Zustand seit";
    NOT_JUDGED = "not looked at yet", "noch nicht geprüft";

    NONE_YET = "No alerts yet", "Noch keine Alarmregeln";
    NONE_YET_REASON = "An alert notifies you when something gets worse. Try it on the past before you save it.",
        "Eine Alarmregel meldet Ihnen, wenn etwas schlechter wird. Probieren Sie sie an der Vergangenheit aus, bevor \
        Sie sie speichern.";
    NO_MATCH = "No alerts match", "Keine Alarmregel gefunden";
    NO_MATCH_REASON = "No alert has this name, state and severity.",
        "Keine Alarmregel hat diesen Namen, diesen Zustand und diese Schwere.";
    NO_OPEN_ALARMS = "No alarm is open", "Kein Alarm ist offen";
    NO_OPEN_ALARMS_REASON = "Alarms stand here from the crossing of a threshold until they clear.",
        "Alarme stehen hier vom Überschreiten eines Schwellenwerts bis zur Entwarnung.";
    PICKED_ALARMS = "Only alarms of the project and the site that you have picked are listed.",
        "Nur Alarme des gewählten Projekts und Standorts sind aufgeführt.";
    ALL_OPEN_ALARMS = "Show all open alarms", "Alle offenen Alarme anzeigen";
    NO_ALARMS = "No alarms", "Keine Alarme";
    NO_ALARMS_REASON = "The alert has not fired, or its alarms are no longer stored.",
        "Die Alarmregel hat nicht ausgelöst, oder ihre Alarme sind nicht mehr gespeichert.";

    CHOOSE_METRIC = "What do you want to watch?", "Was möchten Sie überwachen?";
    OTHER_METRIC = "Watch something else", "Etwas anderes überwachen";
    JUDGED = "What is watched", "Was überwacht wird";
    COMPARISON = "It fires", "Sie löst aus";
    ABOVE = "at and above the threshold", "ab dem Schwellenwert aufwärts";
    BELOW = "at and below the threshold", "ab dem Schwellenwert abwärts";
    THRESHOLD = "Threshold", "Schwellenwert";
    THRESHOLD_HINT = "{unit}, {range}.", "{unit}, {range}.";
    RANGE = "from {from} to {to}", "von {from} bis {to}";
    RANGE_ABOVE = "at and above the threshold from {from} to {to}", "aufwärts von {from} bis {to}";
    RANGE_BELOW = "at and below the threshold from {from} to {to}", "abwärts von {from} bis {to}";
    IN_INCURSIONS = "A number of incursions", "Eine Zahl von Annäherungen";
    IN_SHARE = "A share: 0.6 is 60 %", "Ein Anteil: 0,6 sind 60 %";
    IN_PER_HOUR = "Incursions per runtime hour", "Annäherungen je Betriebsstunde";
    IN_SECONDS = "Seconds", "Sekunden";
    IN_DAYS = "Days", "Tage";
    IN_PERCENT = "Per cent", "Prozent";
    IN_MINUTES = "Minutes", "Minuten";
    WINDOW = "Period", "Zeitraum";
    WINDOW_ROLLING = "of the length below, until now", "der Länge unten, bis jetzt";
    WINDOW_DAY = "since midnight by the clock of the site", "seit Mitternacht nach der Uhr des Standorts";
    WINDOW_WEEK = "since Monday by the clock of the site", "seit Montag nach der Uhr des Standorts";
    WINDOW_MINUTES = "Length in minutes", "Länge in Minuten";
    WINDOW_MINUTES_HINT = "Without an entry it is {usual}, or longer if the threshold needs it.",
        "Ohne Angabe {usual}, oder länger, wenn der Schwellenwert es verlangt.";
    MINIMUM_COUNT = "Least number of incursions", "Mindestzahl von Annäherungen";
    MINIMUM_COUNT_HINT = "With fewer of them the value is not judged.", "Mit weniger davon wird nicht geurteilt.";
    SPLIT = "One alarm each for", "Je ein Alarm für";
    SPLIT_HINT = "Each of them is measured and fires for itself.",
        "Jedes davon wird für sich gemessen und löst für sich aus.";

    SCOPE = "What it is about", "Worum es geht";
    SCOPE_HINT = "A list in which nothing is chosen does not restrict the alert.",
        "Eine Liste, in der nichts gewählt ist, schränkt die Alarmregel nicht ein.";
    EVERYTHING = "Everything together", "Alles zusammen";
    EVERYTHING_OF_OWNER = "Everything that its owner sees", "Alles, was sieht, wem sie gehört";
    PROJECTS = "Projects", "Projekte";
    SITES = "Sites", "Standorte";
    MACHINES = "Machines", "Maschinen";
    PEOPLE = "People", "Personen";
    TAGS = "Tags", "Transponder";
    BASE_STATIONS = "Base stations", "Basisstationen";
    ZONES = "Zones", "Zonen";

    RECIPIENTS = "Who gets mails", "Wer Mails erhält";
    RECIPIENT = "Recipient", "Empfänger";
    USERS = "Users", "Benutzer";
    USER_NUMBER = "User {id}", "Benutzer {id}";
    ADDRESSES = "Other email addresses", "Weitere E-Mail-Adressen";
    ADDRESSES_HINT = "One on each line. They need no account, and get all alarms of the alert.",
        "Eine in jeder Zeile. Sie brauchen kein Konto und erhalten alle Alarme der Regel.";
    HIDDEN_ADDRESS = "An address that you do not see", "Eine Adresse, die Sie nicht sehen";
    GETS_MAILS = "Gets mails", "Erhält Mails";
    LEFT_AT = "Unsubscribed on {at}. To send mails again, remove and add the recipient.",
        "Abbestellt am {at}. Um wieder Mails zu senden, entfernen Sie den Empfänger und fügen ihn neu hinzu.";
    REFUSED_AT = "Refused by the mail server on {at}. To try again, remove and add the recipient.",
        "Am {at} vom Mailserver abgelehnt. Für einen neuen Versuch entfernen Sie den Empfänger und fügen ihn neu \
        hinzu.";
    NO_RECIPIENTS = "Nobody gets mails", "Niemand erhält Mails";
    NO_RECIPIENTS_REASON = "All recipients were erased. Change the alert to add others.",
        "Alle Empfänger wurden gelöscht. Ändern Sie die Alarmregel, um andere hinzuzufügen.";

    NOTIFICATION = "How people are notified", "Wie gemeldet wird";
    COOL_DOWN = "Pause after an alarm in minutes", "Pause nach einem Alarm in Minuten";
    COOL_DOWN_HINT = "After an alarm has cleared, the same one does not fire again for this long. Without an entry it is 60.",
        "So lange löst nach einer Entwarnung dasselbe nicht wieder aus. Ohne Angabe sind es 60.";
    NOTIFY_ON_CLEAR = "Also notify people when an alarm has cleared", "Auch die Entwarnung melden";
    ACTIVE_HOURS = "Active hours", "Alarmzeiten";
    ACTIVE_HOURS_HINT = "Without an entry, notifications are sent at all hours.",
        "Ohne Angabe werden Alarme zu jeder Zeit gemeldet.";
    AT_ALL_HOURS = "At all hours", "Zu jeder Zeit";
    DAYS = "On these days", "An diesen Tagen";
    FROM = "From", "Von";
    TO = "Until", "Bis";
    TIME_HINT = "Such as 07:00.", "Zum Beispiel 07:00.";
    TO_HINT = "An earlier time than the beginning is on the next day.",
        "Eine frühere Uhrzeit als der Beginn ist am nächsten Tag.";
    TIME_ZONE = "Time zone", "Zeitzone";
    TIME_ZONE_HINT = "Such as Europe/Berlin. Without an entry it is the clock of the site.",
        "Zum Beispiel Europe/Berlin. Ohne Angabe ist es die Uhr des Standorts.";
    OUTSIDE_HOURS = "Outside of these hours", "Außerhalb dieser Zeiten";
    HOLD = "notify people when they begin, unless it has cleared",
        "melden, wenn sie beginnen, falls nicht entwarnt";
    DROP = "notify nobody", "nicht melden";
    HOURS = "{days}, {from} to {to} ({clock})", "{days}, {from} bis {to} ({clock})";
    WHOLE_DAYS = "{days}, all day ({clock})", "{days}, ganztägig ({clock})";
    CLOCK_OF_SITE = "clock of the site", "Uhr des Standorts";

    ENABLE = "Enable", "Aktivieren";
    DISABLE = "Disable", "Deaktivieren";
    DELETE = "Delete", "Löschen";
    DELETE_HINT = "Open alarms are closed, and nobody is notified. Alarms of the past stay.",
        "Offene Alarme werden geschlossen, und niemand wird benachrichtigt. Vergangene Alarme bleiben.";
    SEND_TEST = "Send a test message", "Testnachricht senden";
    ADDED = "The alert was created.", "Die Alarmregel wurde angelegt.";
    SAVED = "The alert was saved.", "Die Alarmregel wurde gespeichert.";
    DELETED = "The alert was deleted. Its alarms stay.",
        "Die Alarmregel wurde gelöscht. Ihre Alarme bleiben.";
    ENABLED = "The alert was enabled.", "Die Alarmregel wurde aktiviert.";
    DISABLED = "The alert was disabled. Its open alarms were closed.",
        "Die Alarmregel wurde deaktiviert. Ihre offenen Alarme wurden geschlossen.";
    TESTED = "A test message is on its way.", "Eine Testnachricht ist unterwegs.";

    TRY = "Try on the past", "An der Vergangenheit ausprobieren";
    TRIAL = "Trial", "Probe";
    DRY_RUN = "Try an alert on the past", "Alarmregel an der Vergangenheit ausprobieren";
    DRY_RUN_LEAD = "What it would have done in the last 30 days. Nothing is saved or sent.",
        "Was sie in den letzten 30 Tagen getan hätte. Es wird nichts gespeichert oder gesendet.";
    NOT_TRIED = "The alert could not be tried. Please correct what is marked.",
        "Die Alarmregel konnte nicht ausprobiert werden. Bitte berichtigen Sie, was markiert ist.";
    APPROXIMATE = "Approximate: when base stations were silent follows from the times at which their facts arrived.",
        "Ungefähr: Wann Basisstationen stumm waren, folgt daraus, wann ihre Daten eintrafen.";
    CHART_ALT = "{name}: the worst value of each day and the threshold",
        "{name}: der schlechteste Wert jedes Tages und der Schwellenwert";
    NUMBERS = "Numbers", "Zahlen";
    DAY = "Day", "Tag";
    WORST_VALUE = "Worst value", "Schlechtester Wert";
    BY_SPLIT = "What would have fired", "Was ausgelöst hätte";
    LAST_ALARM = "Last alarm", "Letzter Alarm";
    STILL_OPEN = "would still be open", "wäre noch offen";
    WOULD_NOT_FIRE = "It would not have fired", "Sie hätte nicht ausgelöst";
    WOULD_NOT_FIRE_REASON = "Nothing crossed the threshold in the last 30 days.",
        "In den letzten 30 Tagen hat nichts den Schwellenwert überschritten.";

    MEASURED = "Measured", "Gemessen";
    FIRED_AT = "Fired", "Ausgelöst";
    CLEARED_AT = "Cleared", "Entwarnt";
    HELD_UNTIL = "Held until", "Zurückgehalten bis";
    WHERE = "Where", "Wo";
    VALUE = "Value", "Wert";
    PEAK = "Worst value since", "Schlechtester Wert seither";
    FROM_TO = "{from} to {to}", "{from} bis {to}";
    VISIT = "Visit", "Besuch";
    EVIDENCE = "What the value rests on", "Worauf der Wert beruht";
    EVIDENCE_HINT = "Up to 20 incursions as they are now, the newest first.",
        "Bis zu 20 Annäherungen, wie sie jetzt sind, die neuesten zuerst.";
    STARTED = "Began", "Begonnen";
    NO_EVIDENCE = "No incursions", "Keine Annäherungen";
    NO_EVIDENCE_REASON = "The value does not rest on single incursions, or they are no longer stored.",
        "Der Wert beruht nicht auf einzelnen Annäherungen, oder sie sind nicht mehr gespeichert.";
    SENT = "What was sent", "Was gesendet wurde";
    TO_WHOM = "To", "An";
    ATTEMPTS = "Attempts", "Versuche";
    LAST_ATTEMPT = "Last attempt", "Letzter Versuch";
    NOTHING_SENT = "Nothing was sent", "Es wurde nichts gesendet";
    NOTHING_SENT_REASON = "It waits for the active hours, or nobody was to be notified.",
        "Es wartet auf die Alarmzeiten, oder es war niemand zu benachrichtigen.";
    RECIPIENT_REMOVED = "A recipient who was removed", "Ein entfernter Empfänger";
    WEBHOOK_NUMBER = "Webhook {id}", "Webhook Nr. {id}";
}

counted! {
    MORE_ALARMS = ("One more alarm is open.", "{n} more alarms are open."),
        ("Ein weiterer Alarm ist offen.", "{n} weitere Alarme sind offen.");
    MORE_SPLITS = ("One more is not listed.", "{n} more are not listed."),
        ("Eines mehr ist nicht aufgeführt.", "{n} mehr sind nicht aufgeführt.");
    WOULD_FIRE = ("It would have fired once", "It would have fired {n} times"),
        ("Sie hätte einmal ausgelöst", "Sie hätte {n}-mal ausgelöst");
    WOULD_SEND = ("one message", "{n} messages"), ("eine Nachricht", "{n} Nachrichten");
}

//! The texts around every page: navigation, problems, numbers and times.

use crate::text::{counted, texts};

texts! {
    SKIP = "Skip to content", "Zum Inhalt";
    SECTIONS = "Sections", "Bereiche";
    OVERVIEW = "Overview", "Übersicht";
    INCURSIONS = "Incursions", "Annäherungen";
    MACHINES = "Machines", "Maschinen";
    PEOPLE = "People", "Personen";
    SITES = "Sites", "Standorte";
    EXPLORE = "Explore", "Auswertung";
    OUTLIERS = "Outliers", "Auffälligkeiten";
    REPORTS = "Reports", "Berichte";
    ALERTS = "Alerts", "Alarme";
    VISITORS = "Visitors", "Besucher";
    SETTINGS = "Settings", "Einstellungen";
    API_DOCS = "For programs: the API", "Für Programme: die API";
    SIGN_IN = "Sign in", "Anmelden";
    SIGN_OUT = "Sign out", "Abmelden";
    EMAIL = "Email address", "E-Mail-Adresse";
    PASSWORD = "Password", "Passwort";
    UNDO = "Undo", "Rückgängig machen";

    SESSION_OVER = "Your session is over", "Ihre Sitzung ist beendet";
    SESSION_OVER_TEXT = "Sign in, and your form comes back as you filled it in; only passwords and codes have to be entered again. \
        If you had sent it before, look whether it was saved before you send it again.",
        "Melden Sie sich an, und Ihr Formular kommt so zurück, wie Sie es ausgefüllt haben; nur Passwörter und Codes müssen Sie neu \
        eingeben. Falls Sie es vorher schon abgesendet hatten, sehen Sie nach, ob es gespeichert wurde, bevor Sie es noch einmal absenden.";
    SIGNED_IN_AGAIN = "You are signed in again", "Sie sind wieder angemeldet";
    FORM_IS_KEPT = "Your form has been kept. It is not acted upon until you send it again.",
        "Ihr Formular wurde aufgehoben. Es wirkt erst, wenn Sie es noch einmal absenden.";
    BACK_TO_FORM = "Back to your form", "Zurück zum Formular";

    SIGNED_OUT_MEANWHILE = "You are no longer signed in. If you send your form, you are asked to sign in, and it comes back \
        as you filled it in.",
        "Sie sind nicht mehr angemeldet. Wenn Sie Ihr Formular absenden, werden Sie um die Anmeldung gebeten, und es kommt so \
        zurück, wie Sie es ausgefüllt haben.";
    SIGNED_OUT_WITH_SECRET = "You are no longer signed in. This page stays because it shows something that is shown only once: copy it, \
        then close the page.",
        "Sie sind nicht mehr angemeldet. Diese Seite bleibt, weil sie etwas zeigt, das nur einmal gezeigt wird: Kopieren Sie es, und \
        schließen Sie dann die Seite.";
    SOMEBODY_ELSE = "Somebody else has signed in in this browser. This page is kept, without passwords and codes, and shown again \
        once you have signed in again in another tab.",
        "In diesem Browser hat sich jemand anderes angemeldet. Diese Seite bleibt ohne Passwörter und Codes erhalten und wird wieder \
        gezeigt, sobald Sie sich in einem anderen Tab wieder angemeldet haben.";
    CONNECTION_LOST = "There is no connection to the service. What you see is old; it is renewed as soon as the service answers.",
        "Es gibt keine Verbindung zum Dienst. Was Sie sehen, ist veraltet; es wird erneuert, sobald der Dienst antwortet.";

    HISTORY_LOADING = "The history is being loaded, the newest week first: {percent}, complete from {day} on. Comparisons, outliers, \
        reports and alarms wait until all of it is there.",
        "Der Verlauf wird geladen, die neueste Woche zuerst: {percent}, vollständig ab {day}. Vergleiche, Auffälligkeiten, \
        Berichte und Alarme warten, bis alles da ist.";
    HISTORY_LOADED_PART = "Loaded part of the history", "Geladener Teil des Verlaufs";
    NOT_LOADED = "history is loading", "Verlauf wird geladen";

    SIGN_IN_FIRST = "Please sign in", "Bitte melden Sie sich an";
    SIGN_IN_FIRST_TEXT = "Your session is over, or there was none. If you clicked twice, the first click may have been carried out: look \
        before you try again.",
        "Ihre Sitzung ist beendet, oder es gab keine. Falls Sie zweimal geklickt haben, wurde der erste Klick vielleicht ausgeführt: \
        Sehen Sie nach, bevor Sie es noch einmal versuchen.";
    PASSWORD_MAY_BE_NEW = "Your session is over, or there was none. If you clicked twice, the first click may have been carried out, and \
        the new password may already apply: try to sign in with it.",
        "Ihre Sitzung ist beendet, oder es gab keine. Falls Sie zweimal geklickt haben, wurde der erste Klick vielleicht ausgeführt, und \
        das neue Passwort gilt womöglich schon: Versuchen Sie, sich damit anzumelden.";
    NOT_ALLOWED = "You may not do this", "Das dürfen Sie nicht";
    NOT_ALLOWED_TEXT = "Your role does not include it. If you need it, ask an administrator of your brand.",
        "Ihre Rolle erlaubt es nicht. Wenn Sie es brauchen, wenden Sie sich an einen Administrator Ihrer Marke.";
    NOTHING_HERE = "There is nothing here", "Hier ist nichts";
    NOTHING_HERE_TEXT = "This page does not exist, it was removed, or you may not see it.",
        "Diese Seite gibt es nicht, sie wurde entfernt, oder Sie dürfen sie nicht sehen.";
    NOT_THIS_WAY = "This cannot be opened that way", "So lässt sich das nicht öffnen";
    NOT_THIS_WAY_TEXT = "The address belongs to a form. Open the page with the form and send it from there.",
        "Die Adresse gehört zu einem Formular. Öffnen Sie die Seite mit dem Formular, und senden Sie es dort ab.";
    NOT_UNDERSTOOD = "A part of the address is not understood", "Ein Teil der Adresse ist unverständlich";
    NOT_UNDERSTOOD_TEXT = "Perhaps the link was cut off, or a filter no longer exists.",
        "Vielleicht wurde der Link abgeschnitten, oder es gibt einen Filter nicht mehr.";
    FORM_UNREADABLE = "The form or its file could not be read", "Das Formular oder seine Datei war nicht lesbar";
    FORM_UNREADABLE_TEXT = "What was sent is incomplete or damaged, and nothing has been changed. Go back, choose the file again if there \
        is one, and send the form once more.",
        "Was gesendet wurde, ist unvollständig oder beschädigt, und es wurde nichts geändert. Gehen Sie zurück, wählen Sie die \
        Datei noch einmal aus, falls es eine gibt, und senden Sie das Formular erneut.";
    CHANGED_MEANWHILE = "This was changed in the meantime", "Das wurde inzwischen geändert";
    CHANGED_MEANWHILE_TEXT = "Somebody else saved a change after you opened the page. Go back, look at it and try again.",
        "Jemand anderes hat eine Änderung gespeichert, nachdem Sie die Seite geöffnet hatten. Gehen Sie zurück, sehen Sie sie \
        an, und versuchen Sie es noch einmal.";
    TOO_OFTEN = "That was too often", "Das war zu oft";
    TOO_LARGE = "That is too large", "Das ist zu groß";
    TOO_LARGE_TEXT = "The file or the form is larger than this page accepts.",
        "Die Datei oder das Formular ist größer, als diese Seite annimmt.";
    NOT_NOW = "This is not possible at the moment", "Das geht im Moment nicht";
    OUR_FAULT = "Something went wrong here", "Hier ist etwas schiefgegangen";
    OUR_FAULT_TEXT = "It is not your fault. The details are in the log of the service under the id below.",
        "Es liegt nicht an Ihnen. Näheres steht im Protokoll des Dienstes unter der folgenden Kennung.";
    NOT_POSSIBLE = "This is not possible", "Das geht nicht";
    BEING_WORKED_ON = "This is still being worked on", "Das wird noch bearbeitet";
    LOOK_THERE = "Look there", "Dort nachsehen";
    REQUEST_ID = "Id of this request:", "Kennung dieser Anfrage:";
    WITHOUT_PARAMETERS = "Open the page without filters", "Die Seite ohne Filter öffnen";
    AGAIN = "Try again", "Noch einmal versuchen";
    BACK = "Back", "Zurück";
    TO_OVERVIEW = "To the overview", "Zur Übersicht";

    JUST_NOW = "just now", "gerade eben";
    /// A share with the numbers behind it.
    PART_OF = "{part} of {whole}", "{part} von {whole}";
    /// Incursions, and the hours in which they happened.
    IN_HOURS = "{part} in {hours}", "{part} in {hours}";
    MEAN_OF = "mean of {whole}", "Mittel aus {whole}";
    AMONG = "among {whole}", "unter {whole}";
    POINTS = "{size}\u{a0}points", "{size}\u{a0}Punkte";
    SPOKEN_UP = "up {size} against the period before", "um {size} mehr als im Zeitraum davor";
    SPOKEN_DOWN = "down {size} against the period before", "um {size} weniger als im Zeitraum davor";
    SPOKEN_SAME = "unchanged against the period before ({size})", "unverändert gegenüber dem Zeitraum davor ({size})";
}

counted! {
    WAIT = ("Please wait a second, then try again.", "Please wait {n} seconds, then try again."),
        ("Bitte warten Sie eine Sekunde, und versuchen Sie es dann noch einmal.",
        "Bitte warten Sie {n} Sekunden, und versuchen Sie es dann noch einmal.");
    TRY_AGAIN = ("Please try again in a second.", "Please try again in {n} seconds."),
        ("Bitte versuchen Sie es in einer Sekunde noch einmal.", "Bitte versuchen Sie es in {n} Sekunden noch einmal.");
    MINUTES_AGO = ("{n} minute ago", "{n} minutes ago"), ("vor {n} Minute", "vor {n} Minuten");
    HOURS_AGO = ("{n} hour ago", "{n} hours ago"), ("vor {n} Stunde", "vor {n} Stunden");
    DAYS_AGO = ("{n} day ago", "{n} days ago"), ("vor {n} Tag", "vor {n} Tagen");
    MANY_ZONES = ("{n} time zone", "{n} time zones, each site by its own"),
        ("{n} Zeitzone", "{n} Zeitzonen, jeder Standort nach seiner eigenen");
}

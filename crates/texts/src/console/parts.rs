//! The texts of the parts of pages: tables, forms, pickers, charts, proof.

use crate::text::{counted, texts};

texts! {
    FIRST_PAGE = "First page", "Erste Seite";
    NEXT_PAGE = "Next page", "Nächste Seite";
    AS_CSV = "Take along as CSV", "Als CSV mitnehmen";
    FIRST_AS_CSV = "Take the first {rows} of {total} rows along as CSV",
        "Die ersten {rows} von {total} Zeilen als CSV mitnehmen";
    PART_AS_CSV = "Take along as CSV, incomplete", "Als CSV mitnehmen, unvollständig";
    SHOWN_OF = "{shown} of {total}", "{shown} von {total}";

    SAVED_NOTHING = "Nothing has been saved yet. Please correct what is marked.",
        "Es wurde noch nichts gespeichert. Bitte berichtigen Sie, was markiert ist.";
    STALE = "Somebody else changed this while you were editing it. Your entries are still here; send the form again to \
        overwrite the other change.",
        "Jemand anderes hat dies geändert, während Sie es bearbeitet haben. Ihre Eingaben sind noch da; senden Sie das \
        Formular erneut, um die andere Änderung zu überschreiben.";
    STALE_BESIDE = "Where your entries differ from what is stored now, that is written below the field.",
        "Wo Ihre Eingaben von dem abweichen, was jetzt gespeichert ist, steht dieses unter dem Feld.";
    CURRENT = "Stored now: {value}", "Jetzt gespeichert: {value}";
    CURRENT_BLANK = "Stored now: nothing", "Jetzt gespeichert: nichts";
    CURRENT_TICKED = "Stored now: ticked", "Jetzt gespeichert: angekreuzt";
    CURRENT_NOT_TICKED = "Stored now: not ticked", "Jetzt gespeichert: nicht angekreuzt";
    RESUMED = "You are signed in again. Check the form and send it.",
        "Sie sind wieder angemeldet. Prüfen Sie das Formular und senden Sie es ab.";
    CANCEL = "Cancel", "Abbrechen";

    PROOF_TITLE = "Confirm that it is you", "Bestätigen Sie, dass Sie es sind";
    PROOF_REASON = "This changes who has access, so your password is asked for again.",
        "Dies ändert, wer Zugang hat. Deshalb wird Ihr Passwort noch einmal abgefragt.";
    PROOF_PASSWORD = "Your password", "Ihr Passwort";
    PROOF_CODE = "Code of your second factor", "Code Ihres zweiten Faktors";
    PROOF_WRONG = "The password or the code is wrong.", "Das Passwort oder der Code ist falsch.";
    PROOF_TOO_MANY = "Too many wrong attempts. Please wait {seconds} seconds; what you entered before is kept on this \
        page.",
        "Zu viele falsche Versuche. Bitte warten Sie {seconds} Sekunden; was Sie zuvor eingegeben haben, bleibt auf \
        dieser Seite erhalten.";
    PROOF_MISSING = "Please enter your password.", "Bitte geben Sie Ihr Passwort ein.";
    PROOF_SEND = "Confirm and continue", "Bestätigen und fortfahren";

    PERIOD = "Period", "Zeitraum";
    SEVEN_DAYS = "7 days", "7 Tage";
    FOUR_WEEKS = "28 days", "28 Tage";
    NINETY_DAYS = "90 days", "90 Tage";
    A_YEAR = "365 days", "365 Tage";
    TODAY = "Today", "Heute";
    THIS_WEEK = "This week", "Diese Woche";
    THIS_MONTH = "This month", "Dieser Monat";
    THIS_QUARTER = "This quarter", "Dieses Quartal";
    OTHER_DAYS = "Other days", "Andere Tage";
    FROM = "From", "Von";
    /// The end of a period is exclusive, as in the API.
    BEFORE = "Before", "Vor dem";
    COMPARE = "Compare with", "Vergleichen mit";
    COMPARE_NOTHING = "nothing", "nichts";
    COMPARE_PREVIOUS = "the weeks before", "den Wochen davor";
    PROJECT = "Project", "Projekt";
    ALL_PROJECTS = "All projects", "Alle Projekte";
    SITE = "Site", "Standort";
    ALL_SITES = "All sites", "Alle Standorte";
    SHOW = "Show", "Anzeigen";
    PICKERS = "Period, project and site", "Zeitraum, Projekt und Standort";
}

counted! {
    ROWS = ("{n} row", "{n} rows"), ("{n} Zeile", "{n} Zeilen");
}

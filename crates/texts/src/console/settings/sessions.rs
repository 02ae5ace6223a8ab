//! Texts of the page of the reader's own sessions.

use crate::text::{counted, texts};

texts! {
    TITLE = "Sessions", "Sitzungen";
    LEAD = "Where you are signed in. End a session that you do not know, and choose another password.",
        "Wo Sie angemeldet sind. Beenden Sie eine Sitzung, die Sie nicht kennen, und wählen Sie ein anderes Passwort.";
    KIND = "Signed in with", "Angemeldet mit";
    BROWSER = "A browser", "Browser";
    PROGRAM = "A program that calls the API", "Programm, das die API aufruft";
    ADDRESS = "Address", "Adresse";
    SINCE = "Signed in", "Angemeldet";
    LAST_USED = "Last used", "Zuletzt benutzt";
    EXPIRES = "Ends at the latest", "Endet spätestens";
    STATE = "State", "Zustand";
    CURRENT = "This session", "Diese Sitzung";
    OTHER = "Open", "Offen";
    ACTION = "End", "Beenden";
    END = "End the session", "Sitzung beenden";
    END_OTHERS = "End all other sessions", "Alle anderen Sitzungen beenden";
    OTHERS = "Other sessions", "Andere Sitzungen";
    OTHERS_HINT = "You stay signed in here and are signed out everywhere else.",
        "Sie bleiben hier angemeldet und werden überall sonst abgemeldet.";
    ENDED = "The session was ended.", "Die Sitzung wurde beendet.";
    OTHERS_ENDED = "All other sessions were ended.", "Alle anderen Sitzungen wurden beendet.";
    NONE_YET = "No open sessions", "Keine offenen Sitzungen";
    NONE_YET_REASON = "You are signed in nowhere.", "Sie sind nirgends angemeldet.";
}

counted! {}

//! Texts of the pages of service accounts.

use crate::text::{counted, texts};

texts! {
    TITLE = "Service accounts", "Dienstkonten";
    LEAD = "Programs that call the API as themselves, such as a dashboard. Each has a role and a token of its own.",
        "Programme, die die API als sie selbst aufrufen, zum Beispiel eine Anzeigetafel. Jedes hat eine Rolle und ein \
        eigenes Zugangstoken.";
    ACCOUNT = "Service account", "Dienstkonto";
    NAME = "Name", "Name";
    NAME_HINT = "What the program is, such as Dashboard in the yard.",
        "Was das Programm ist, zum Beispiel Anzeigetafel im Hof.";
    STATE = "State", "Zustand";
    EXPIRES = "Valid until", "Gültig bis";
    EXPIRES_HINT = "The last day on which its tokens work, by your time zone; at most two years from now.",
        "Der letzte Tag, an dem seine Zugangstokens funktionieren, nach Ihrer Zeitzone; höchstens zwei Jahre von heute.";
    EXPIRED = "Expired", "Abgelaufen";
    ARCHIVED_ON = "Archived on {at}", "Archiviert am {at}";

    CHANGE = "Change", "Ändern";
    CHANGE_HINT = "A higher role or more projects end the tokens that others have issued.",
        "Eine höhere Rolle oder mehr Projekte beenden die Zugangstokens, die andere ausgestellt haben.";
    NEW = "Add a service account", "Dienstkonto hinzufügen";
    ARCHIVE_TITLE = "Archive", "Archivieren";
    ARCHIVE = "Archive for good", "Endgültig archivieren";
    ARCHIVE_HINT = "Its tokens stop working at once, and it cannot be restored. What it has made stays.",
        "Seine Zugangstokens werden sofort ungültig, und es lässt sich nicht wiederherstellen. Was es angelegt hat, \
        bleibt.";

    TOKENS = "Tokens", "Zugangstokens";
    NO_TOKEN = "There is no token that works. The account can do nothing until it has one.",
        "Es gibt kein gültiges Zugangstoken. Das Konto kann nichts tun, bis es eines hat.";
    TOKEN_USED = "The token of {at} works until {until} and was last used {used}.",
        "Das Zugangstoken vom {at} gilt bis {until} und wurde zuletzt {used} benutzt.";
    TOKEN_UNUSED = "The token of {at} works until {until}. It has not been used yet.",
        "Das Zugangstoken vom {at} gilt bis {until}. Es wurde noch nicht benutzt.";
    PREVIOUS_USED = "The token before it, of {at}, still works until {until} and was last used {used}.",
        "Das Zugangstoken davor, vom {at}, gilt noch bis {until} und wurde zuletzt {used} benutzt.";
    PREVIOUS_UNUSED = "The token before it, of {at}, still works until {until}. It was never used.",
        "Das Zugangstoken davor, vom {at}, gilt noch bis {until}. Es wurde nie benutzt.";
    OVERLAP = "The current token", "Das bisherige Zugangstoken";
    OVERLAP_HINT = "So that there is time to give the new one to the program.",
        "Damit Zeit bleibt, dem Programm das neue zu geben.";
    AT_ONCE = "stops working at once", "wird sofort ungültig";
    FOR_AN_HOUR = "works for another hour", "gilt noch eine Stunde";
    FOR_A_DAY = "works for another day", "gilt noch einen Tag";
    FOR_THREE_DAYS = "works for another three days", "gilt noch drei Tage";
    FOR_A_WEEK = "works for another week", "gilt noch eine Woche";
    ISSUE = "Issue a token", "Zugangstoken ausstellen";
    REPLACE = "Issue a new token", "Neues Zugangstoken ausstellen";
    REVOKE = "Revoke all tokens", "Alle Zugangstokens widerrufen";
    REVOKE_HINT = "They stop working at once, also one that was replaced and still works.",
        "Sie werden sofort ungültig, auch eines, das ersetzt wurde und noch gilt.";

    ADDED = "The service account was added.", "Das Dienstkonto wurde hinzugefügt.";
    SAVED = "The service account was saved.", "Das Dienstkonto wurde gespeichert.";
    WAS_ARCHIVED = "The service account was archived.", "Das Dienstkonto wurde archiviert.";
    REVOKED = "The tokens were revoked.", "Die Zugangstokens wurden widerrufen.";
    ISSUED_BEFORE = "The form was sent twice. One token was issued, and shown in answer to the first time. Only if you have \
        not seen it, replace it. That ends the token that your program uses now.",
        "Das Formular wurde zweimal gesendet. Es wurde ein Zugangstoken ausgestellt und als Antwort auf das erste Mal \
        angezeigt. Nur wenn Sie es nicht gesehen haben, ersetzen Sie es. Damit endet das Zugangstoken, das Ihr Programm jetzt verwendet.";
    NONE_YET = "No service accounts yet", "Noch keine Dienstkonten";
    NONE_YET_REASON = "Add one below for a program that reads or writes through the API.",
        "Fügen Sie unten eines für ein Programm hinzu, das über die API liest oder schreibt.";
}

counted! {}

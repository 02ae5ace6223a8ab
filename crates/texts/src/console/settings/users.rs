//! Texts of the pages of users.

use crate::text::{counted, texts};

texts! {
    TITLE = "Users", "Benutzer";
    LEAD = "The people who sign in. Each has a role, and sees all projects or only some.",
        "Die Personen, die sich anmelden. Jede hat eine Rolle und sieht alle Projekte oder nur einige.";
    USER = "Account", "Konto";
    NAME = "Name", "Name";
    EMAIL = "Email address", "E-Mail-Adresse";
    EMAIL_HINT = "The invitation is sent to it. It cannot be changed later.",
        "Die Einladung wird dorthin gesendet. Sie lässt sich später nicht ändern.";
    STATE = "State", "Zustand";
    INVITED = "Invited", "Eingeladen";
    ACTIVE = "Active", "Aktiv";
    DEACTIVATED = "Deactivated", "Deaktiviert";
    SECOND_FACTOR = "Second factor", "Zweiter Faktor";
    LAST_LOGIN = "Last sign-in", "Letzte Anmeldung";
    NEVER = "Never", "Nie";

    INVITE = "Invite someone", "Jemanden einladen";
    SEND = "Send the invitation", "Einladung senden";
    CHANGE = "Change", "Ändern";
    CHANGE_HINT = "A change takes effect immediately, also where the user is signed in.",
        "Eine Änderung gilt sofort, auch wo der Benutzer gerade angemeldet ist.";

    SIGN_IN = "Sign-in", "Anmeldung";
    RESEND = "Send the invitation again", "Einladung erneut senden";
    RESEND_HINT = "A new mail with a new link is sent. The former link stops working.",
        "Eine neue Mail mit einem neuen Link wird gesendet. Der bisherige Link wird ungültig.";
    END_SESSIONS = "End all sessions", "Alle Sitzungen beenden";
    END_SESSIONS_HINT = "The user is signed out everywhere and may sign in again, for instance after losing a phone.",
        "Der Benutzer wird überall abgemeldet und darf sich wieder anmelden, zum Beispiel nach dem Verlust eines \
        Telefons.";
    RESET_FACTOR = "Remove the second factor", "Zweiten Faktor entfernen";
    RESET_FACTOR_HINT = "For a user who has lost it. Make sure that it is really them who asks.",
        "Für einen Benutzer, der ihn verloren hat. Vergewissern Sie sich, dass wirklich er darum bittet.";
    DEACTIVATE = "Deactivate the user", "Benutzer deaktivieren";
    DEACTIVATE_HINT = "The user is signed out at once and can no longer sign in. What they have made stays.",
        "Der Benutzer wird sofort abgemeldet und kann sich nicht mehr anmelden. Was er angelegt hat, bleibt.";
    OWN_ACCOUNT = "This is your own account. Another admin can deactivate it.",
        "Das ist Ihr eigenes Konto. Ein anderer Administrator kann es deaktivieren.";
    REACTIVATE = "Reactivate the user", "Benutzer reaktivieren";
    REACTIVATE_HINT = "The user can sign in again with the same password, role and projects.",
        "Der Benutzer kann sich wieder mit demselben Passwort, derselben Rolle und denselben Projekten anmelden.";

    WAS_INVITED = "The invitation is on its way.", "Die Einladung ist unterwegs.";
    SAVED = "The user was saved.", "Der Benutzer wurde gespeichert.";
    INVITED_AGAIN = "A new invitation is on its way.", "Eine neue Einladung ist unterwegs.";
    SESSIONS_ENDED = "The sessions of the user were ended.", "Die Sitzungen des Benutzers wurden beendet.";
    FACTOR_RESET = "The second factor was removed.", "Der zweite Faktor wurde entfernt.";
    WAS_DEACTIVATED = "The user was deactivated.", "Der Benutzer wurde deaktiviert.";
    REACTIVATED = "The user was reactivated.", "Der Benutzer wurde reaktiviert.";
    NONE_YET = "No users that you see", "Keine Benutzer, die Sie sehen";
    NONE_YET_REASON = "You see users whose projects are among yours. Invite someone below.",
        "Sie sehen Benutzer, deren Projekte zu Ihren gehören. Laden Sie unten jemanden ein.";
}

counted! {}

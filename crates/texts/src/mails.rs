//! The texts of mails about accounts, and what all mails begin and end with.

use crate::text::{counted, texts};

texts! {
    GREETING = "Hello {name},", "Guten Tag {name},";
    SIGNATURE = "Sent by Keepclear, the safety service of {brand}. Replies to this address are not read.",
        "Gesendet von Keepclear, dem Dienst für Arbeitssicherheit von {brand}. Antworten an diese Adresse werden nicht gelesen.";

    INVITATION_SUBJECT = "Your invitation to {brand}", "Ihre Einladung zu {brand}";
    INVITED_BY = "{inviter} has invited you to join {brand} on Keepclear as {role}.",
        "{inviter} hat Sie eingeladen, {brand} auf Keepclear als {role} beizutreten.";
    INVITED = "You have been invited to join {brand} on Keepclear as {role}.",
        "Sie wurden eingeladen, {brand} auf Keepclear als {role} beizutreten.";
    ROLE_VIEWER = "a viewer", "Betrachter";
    ROLE_MEMBER = "a member", "Mitglied";
    ROLE_ADMIN = "an admin", "Administrator";
    OPEN_INVITATION = "To choose your password and sign in, open this link:",
        "Um Ihr Passwort zu wählen und sich anzumelden, öffnen Sie diesen Link:";
    ACCEPT_INVITATION = "Choose your password and sign in", "Passwort wählen und anmelden";
    INVITATION_UNTIL = "The link can be used once, until {until}. If you did not expect this invitation, you can \
        ignore it.",
        "Der Link kann einmal verwendet werden, bis {until}. Wenn Sie diese Einladung nicht erwartet haben, können \
        Sie sie ignorieren.";

    ADDRESS_IN_USE_BY = "{inviter} has invited you to join {brand} on Keepclear.",
        "{inviter} hat Sie eingeladen, {brand} auf Keepclear beizutreten.";
    ADDRESS_IN_USE = "You have been invited to join {brand} on Keepclear.",
        "Sie wurden eingeladen, {brand} auf Keepclear beizutreten.";
    ADDRESS_HAS_ACCOUNT = "You cannot accept the invitation with this address, because it already has an account \
        in this installation of Keepclear, and an address can have only one account. Your account has not been \
        changed, and the person who invited you does not learn that it exists.",
        "Mit dieser Adresse können Sie die Einladung nicht annehmen, denn sie hat bereits ein Konto in dieser \
        Installation von Keepclear, und eine Adresse kann nur ein Konto haben. Ihr Konto wurde nicht geändert, und \
        wer Sie eingeladen hat, erfährt nicht, dass es existiert.";
    USE_ANOTHER_ADDRESS = "To join {brand} as well, ask for an invitation to another address. If you no longer \
        need your account, ask the operator of this installation to remove it first.",
        "Um auch {brand} beizutreten, bitten Sie um eine Einladung an eine andere Adresse. Wenn Sie Ihr Konto nicht \
        mehr brauchen, bitten Sie zuerst den Betreiber dieser Installation, es zu entfernen.";

    RESET_SUBJECT = "A new password for {brand}", "Ein neues Passwort für {brand}";
    RESET_REQUESTED = "A new password was requested for your account at {brand}.",
        "Für Ihr Konto bei {brand} wurde ein neues Passwort angefordert.";
    OPEN_RESET = "To choose one, open this link:", "Um eines zu wählen, öffnen Sie diesen Link:";
    CHOOSE_PASSWORD = "Choose a new password", "Neues Passwort wählen";
    RESET_UNTIL = "The link can be used once, until {until}. If you did not request it, you can ignore this \
        message: your password stays the same.",
        "Der Link kann einmal verwendet werden, bis {until}. Wenn Sie ihn nicht angefordert haben, können Sie diese \
        Nachricht ignorieren: Ihr Passwort bleibt, wie es ist.";

    PASSWORD_CHANGED_SUBJECT = "Your password was changed at {brand}", "Ihr Passwort bei {brand} wurde geändert";
    FACTOR_ADDED_SUBJECT = "A second factor was added at {brand}",
        "Bei {brand} wurde ein zweiter Faktor hinzugefügt";
    FACTOR_REMOVED_SUBJECT = "Your second factor was removed at {brand}",
        "Ihr zweiter Faktor bei {brand} wurde entfernt";
    PASSWORD_CHANGED = "Your password has been changed.", "Ihr Passwort wurde geändert.";
    FACTOR_ADDED = "A second factor has been added to your account.",
        "Ihrem Konto wurde ein zweiter Faktor hinzugefügt.";
    FACTOR_REMOVED = "The second factor has been removed from your account.",
        "Der zweite Faktor wurde aus Ihrem Konto entfernt.";
    CHANGED_AT = "The change was made on {at}.", "Die Änderung erfolgte am {at}.";
    IF_NOT_YOU = "If it was you, you do not need to do anything. If it was not you, choose a new password \
        immediately and contact an admin of {brand}, who can end your sessions.",
        "Wenn Sie das waren, brauchen Sie nichts zu tun. Wenn nicht, wählen Sie sofort ein neues Passwort, und \
        wenden Sie sich an einen Administrator von {brand}, der Ihre Sitzungen beenden kann.";
}

counted! {}

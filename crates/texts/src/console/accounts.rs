//! The texts of signing in and out, invitations, passwords and second factors.

use crate::text::{counted, texts};

texts! {
    SIGN_IN = "Sign in", "Anmelden";
    EMAIL = "Email address", "E-Mail-Adresse";
    PASSWORD = "Password", "Passwort";
    CODE = "Code of the second factor", "Code des zweiten Faktors";
    CODE_HINT = "The six digits of your authenticator app, or one of your recovery codes.",
        "Die sechs Ziffern Ihrer Authenticator-App oder einer Ihrer Wiederherstellungscodes.";
    WRONG = "The email address, the password or the code is wrong.",
        "Die E-Mail-Adresse, das Passwort oder der Code ist falsch.";
    CODE_NEEDED = "Your account has a second factor. Please enter its code, and your password again.",
        "Ihr Konto hat einen zweiten Faktor. Bitte geben Sie dessen Code und noch einmal Ihr Passwort ein.";
    TOO_MANY = "Too many wrong passwords or codes. Please wait {seconds} seconds before you try again.",
        "Zu viele falsche Passwörter oder Codes. Bitte warten Sie {seconds} Sekunden, bevor Sie es erneut versuchen.";
    FORGOTTEN = "Forgotten your password?", "Passwort vergessen?";
    FORM_IS_KEPT = "You have been signed out. Sign in again, and the form that you were filling in comes back.",
        "Sie wurden abgemeldet. Melden Sie sich wieder an, dann kommt das Formular zurück, das Sie gerade ausfüllen.";
    SIGN_IN_FIRST = "Please sign in to see this page.", "Bitte melden Sie sich an, um diese Seite zu sehen.";
    SIGNED_OUT = "You are signed out.", "Sie sind abgemeldet.";

    JOIN = "Join {brand}", "{brand} beitreten";
    INVITED_AS = "You are invited to {brand} as {role}. You will sign in with {email}.",
        "Sie sind als {role} zu {brand} eingeladen. Sie melden sich mit {email} an.";
    INVITED_UNTIL = "The invitation is valid until {until}.", "Die Einladung gilt bis {until}.";
    YOUR_NAME = "Your name", "Ihr Name";
    CHOOSE_PASSWORD = "Choose a password", "Wählen Sie ein Passwort";
    PASSWORD_HINT = "At least 12 characters, and not easy to guess: four unrelated words, for example.",
        "Mindestens 12 Zeichen und nicht leicht zu erraten: zum Beispiel vier Wörter ohne Zusammenhang.";
    ACCEPT = "Accept the invitation", "Einladung annehmen";
    JOINED = "Your account is ready. Sign in with your new password.",
        "Ihr Konto ist eingerichtet. Melden Sie sich mit Ihrem neuen Passwort an.";
    NO_INVITATION = "This invitation cannot be used", "Diese Einladung kann nicht verwendet werden";
    NO_INVITATION_REASON = "It has expired, was used already or was replaced by a newer one. Ask whoever invited you to \
        send it again.",
        "Sie ist abgelaufen, wurde schon verwendet oder durch eine neuere ersetzt. Bitten Sie die Person, die Sie \
        eingeladen hat, sie noch einmal zu senden.";
    ADDRESS_IN_USE = "This address already has an account in this installation, so that the invitation cannot be \
        accepted. Ask whoever invited you to invite another address.",
        "Diese Adresse hat in dieser Installation schon ein Konto, sodass die Einladung nicht angenommen werden kann. \
        Bitten Sie die Person, die Sie eingeladen hat, eine andere Adresse einzuladen.";
    ROLE_VIEWER = "viewer", "Leser";
    ROLE_MEMBER = "member", "Mitglied";
    ROLE_ADMIN = "administrator", "Administrator";

    RESET = "Reset your password", "Passwort zurücksetzen";
    RESET_CHOOSE = "Choose a new password. All sessions of your account end.",
        "Wählen Sie ein neues Passwort. Alle Sitzungen Ihres Kontos werden beendet.";
    RESET_INTRO = "Enter your email address. If it belongs to an account, a mail with a link is sent to it.",
        "Geben Sie Ihre E-Mail-Adresse ein. Gehört sie zu einem Konto, wird eine Mail mit einem Link dorthin gesendet.";
    RESET_SEND = "Send the link", "Link senden";
    RESET_SENT = "Check your mail", "Sehen Sie in Ihren Mails nach";
    RESET_SENT_TEXT = "If an account with this address exists, a mail with a link is on its way. It says until when \
        the link is valid.",
        "Wenn ein Konto mit dieser Adresse besteht, ist eine Mail mit einem Link unterwegs. Sie nennt, bis wann der Link gilt.";
    NEW_PASSWORD = "New password", "Neues Passwort";
    SET_PASSWORD = "Set the password", "Passwort setzen";
    PASSWORD_SET = "Your password is changed. Sign in with it.",
        "Ihr Passwort ist geändert. Melden Sie sich damit an.";
    NO_RESET = "This link cannot be used", "Dieser Link kann nicht verwendet werden";
    NO_RESET_REASON = "It has expired, was used already or was replaced by a newer one.",
        "Er ist abgelaufen, wurde schon verwendet oder durch einen neueren ersetzt.";
    ASK_AGAIN = "Ask for a new link", "Neuen Link anfordern";
    BACK_TO_SIGN_IN = "Back to signing in", "Zurück zur Anmeldung";

    CHANGE_PASSWORD = "Change your password", "Passwort ändern";
    PASSWORD_DUE = "Your password was made for you. Please choose one of your own before you go on.",
        "Ihr Passwort wurde für Sie erzeugt. Bitte wählen Sie ein eigenes, bevor Sie weitermachen.";
    CURRENT_PASSWORD = "Current password", "Aktuelles Passwort";
    OTHERS_END = "Your other sessions end.", "Ihre anderen Sitzungen werden beendet.";
    SAVE = "Save", "Speichern";
    PASSWORD_CHANGED = "Your password is changed.", "Ihr Passwort ist geändert.";

    SECOND_FACTOR = "Second factor", "Zweiter Faktor";
    FACTOR_DUE = "Your role requires a second factor. Please add one before you go on.",
        "Ihre Rolle verlangt einen zweiten Faktor. Bitte richten Sie einen ein, bevor Sie weitermachen.";
    FACTOR_OFF = "Signing in asks only for your password. With a second factor it also asks for a code that an \
        authenticator app on your phone shows.",
        "Bei der Anmeldung wird nur Ihr Passwort abgefragt. Mit einem zweiten Faktor wird auch ein Code abgefragt, den \
        eine Authenticator-App auf Ihrem Telefon zeigt.";
    FACTOR_ON = "Signing in has asked for a code since {since}.",
        "Bei der Anmeldung wird seit {since} ein Code abgefragt.";
    FACTOR_PENDING = "A secret was made but never confirmed. Begin again to get a new one.",
        "Ein Geheimnis wurde erzeugt, aber nie bestätigt. Beginnen Sie noch einmal, um ein neues zu erhalten.";
    FACTOR_BEGIN = "Add a second factor", "Zweiten Faktor einrichten";
    FACTOR_REMOVE = "Remove the second factor", "Zweiten Faktor entfernen";
    FACTOR_SECRET = "Add this secret to your authenticator app. It is shown only now.",
        "Fügen Sie dieses Geheimnis Ihrer Authenticator-App hinzu. Es wird nur jetzt gezeigt.";
    FACTOR_STEP = "Then enter the code that the app shows. Your other sessions end.",
        "Geben Sie dann den Code ein, den die App zeigt. Ihre anderen Sitzungen werden beendet.";
    FACTOR_REMOVE_HINT = "Afterwards signing in asks only for your password, and the recovery codes are void.",
        "Danach wird bei der Anmeldung nur noch Ihr Passwort abgefragt, und die Wiederherstellungscodes sind ungültig.";
    FACTOR_LINK = "Open it in the app on this device", "In der App auf diesem Gerät öffnen";
    FACTOR_CODE = "Code that the app shows now", "Code, den die App jetzt zeigt";
    FACTOR_CONFIRM = "Confirm", "Bestätigen";
    FACTOR_ADDED = "The second factor is on", "Der zweite Faktor ist eingeschaltet";
    FACTOR_CONFIRMED_BEFORE = "The form was sent twice. The recovery codes were shown in answer to the first time. If you have not \
        seen them, remove the second factor and add it again.",
        "Das Formular wurde zweimal gesendet. Die Wiederherstellungscodes wurden als Antwort auf das erste Mal angezeigt. Wenn Sie \
        sie nicht gesehen haben, entfernen Sie den zweiten Faktor und richten Sie ihn neu ein.";
    FACTOR_REMOVED = "The second factor is removed.", "Der zweite Faktor ist entfernt.";
    RECOVERY = "Keep these recovery codes in a safe place. Each replaces a code of the app once. They are shown only now.",
        "Bewahren Sie diese Wiederherstellungscodes an einem sicheren Ort auf. Jeder ersetzt einmal einen Code der App. \
        Sie werden nur jetzt gezeigt.";
    RECOVERY_NONE = "All recovery codes are used up. Remove the second factor and add it again to get new ones.",
        "Alle Wiederherstellungscodes sind verbraucht. Entfernen Sie den zweiten Faktor und richten Sie ihn neu ein, um \
        neue zu erhalten.";
    GO_ON = "Continue", "Weiter";
    COPY = "Copy", "Kopieren";
    COPIED = "Copied", "Kopiert";
}

counted! {
    RECOVERY_LEFT = ("{n} recovery code is left.", "{n} recovery codes are left."),
        ("{n} Wiederherstellungscode ist übrig.", "{n} Wiederherstellungscodes sind übrig.");
}

//! Texts of the pages that manage people.

use crate::text::{counted, texts};

texts! {
    TITLE = "People", "Personen";
    LEAD = "Those who wear tags. Their figures are in the section of people.",
        "Alle, die Transponder tragen. Ihre Kennzahlen stehen im Bereich der Personen.";
    PERSON = "Person", "Person";
    NAME = "Name", "Name";
    KIND = "Staff or visitor", "Mitarbeiter oder Besucher";
    EMPLOYEE_ID = "Employee number", "Personalnummer";
    EMAIL = "Email address", "E-Mail-Adresse";
    COMPANY = "Company", "Firma";
    FIGURES = "Figures of this person", "Kennzahlen dieser Person";
    TAGS = "Tags of this person", "Transponder dieser Person";
    NAMES_HIDDEN = "Names are hidden from you. People are shown by their number.",
        "Namen sind für Sie verborgen. Personen werden mit ihrer Nummer gezeigt.";
    NEW = "Add a person", "Person hinzufügen";
    ARCHIVED_SINCE = "This person has been archived since {at} and wears no tag.",
        "Diese Person ist seit {at} archiviert und trägt keinen Transponder.";
    ERASED_SINCE = "The personal data of this person was erased on {at}. It can be neither changed nor restored.",
        "Die personenbezogenen Daten dieser Person wurden am {at} gelöscht. Sie lassen sich weder ändern noch \
        wiederherstellen.";
    ARCHIVE_HINT = "A visit and the time with tags end. The incursions stay.",
        "Ein Besuch und die Zeit mit Transpondern enden. Die Annäherungen bleiben erhalten.";
    ERASED = "Erased", "Gelöscht";
    ADDED = "The person was added.", "Die Person wurde hinzugefügt.";
    SAVED = "The person was saved.", "Die Person wurde gespeichert.";
    ARCHIVED = "The person was archived.", "Die Person wurde archiviert.";
    RESTORED = "The person was restored.", "Die Person wurde wiederhergestellt.";
    NONE_YET = "No people yet", "Noch keine Personen";
    NONE_YET_REASON = "Add the first one below, or import a list of them.",
        "Fügen Sie unten die erste hinzu oder importieren Sie eine Liste.";

    ERASE_LINK = "Erase personal data …", "Personenbezogene Daten löschen …";
    ERASE_TITLE = "Erase {name}", "{name} löschen";
    ERASE_LEAD = "Everything that names this person is removed for good, everywhere. This cannot be undone.",
        "Alles, was diese Person benennt, wird endgültig und überall entfernt. Das lässt sich nicht rückgängig machen.";
    LOST = "What is lost", "Was verloren geht";
    LOST_FIELDS = "Name, employee number, email address and company.",
        "Name, Personalnummer, E-Mail-Adresse und Firma.";
    LOST_VISITS = "What was written down at visits, and notes about the person.",
        "Was bei Besuchen aufgeschrieben wurde, und Notizen zur Person.";
    LOST_AUDIT = "What the audit log says of their data.", "Was das Prüfprotokoll von ihren Daten enthält.";
    LOST_EXPORTS = "The files of all exports with names of people, whoever is in them.",
        "Die Dateien aller Exporte mit Namen von Personen, wer auch immer darin steht.";
    LOST_REPORTS = "Report files that name the person. They are made again without the name.",
        "Berichtsdateien, die die Person nennen. Sie werden ohne den Namen neu erstellt.";
    LOST_ADDRESS = "Their email address in schedules of reports and in alerts.",
        "Ihre E-Mail-Adresse in Zeitplänen von Berichten und in Alarmen.";
    LOST_TAGS = "A visit and the time with tags end now.", "Ein Besuch und die Zeit mit Transpondern enden jetzt.";
    KEPT = "What stays", "Was bleibt";
    KEPT_TEXT = "All counts: the incursions stay and are shown with {placeholder} in place of the name.",
        "Alle Zahlen: Die Annäherungen bleiben erhalten und werden mit {placeholder} anstelle des Namens gezeigt.";
    CONFIRMATION = "Type the name of the person", "Geben Sie den Namen der Person ein";
    CONFIRMATION_HINT = "Exactly as it stands above, so that nobody is erased by mistake.",
        "Genau so, wie er oben steht, damit niemand aus Versehen gelöscht wird.";
    ERASE = "Erase for good", "Endgültig löschen";
    WAS_ERASED = "The personal data was erased.", "Die personenbezogenen Daten wurden gelöscht.";
}

counted! {}

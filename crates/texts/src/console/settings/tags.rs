//! Texts of the pages of tags.

use crate::text::{counted, texts};

texts! {
    TITLE = "Tags", "Transponder";
    LEAD = "What people wear so that machines notice them. Each is tested regularly.",
        "Was Personen tragen, damit Maschinen sie bemerken. Jeder wird regelmäßig getestet.";
    TAG = "Tag", "Transponder";
    SERIAL = "Serial number", "Seriennummer";
    SERIAL_HINT = "As printed on the tag. It cannot be changed later.",
        "Wie auf dem Transponder aufgedruckt. Sie lässt sich später nicht ändern.";
    ROLE = "Meant for", "Gedacht für";
    FOR_PEDESTRIANS = "People on foot", "Personen zu Fuß";
    FOR_OPERATORS = "Operators", "Maschinenführer";
    STATE = "State", "Zustand";
    RETIRED = "Retired", "Ausgemustert";
    ASSIGNED = "Worn", "Ausgegeben";
    IN_STOCK = "In stock", "Auf Lager";
    WEARER = "Worn by", "Getragen von";
    NOBODY = "Nobody", "Niemand";
    ATTENTION = "Needs attention", "Zu beachten";
    NO_FLAGS = "Nothing", "Nichts";
    TEST_OVERDUE = "Test overdue", "Test überfällig";
    TEST_DUE = "Test due", "Test fällig";
    NEVER_TESTED = "Never tested", "Nie getestet";
    LOW_BATTERY = "Low battery", "Batterie schwach";
    CRITICAL_BATTERY = "Battery almost empty", "Batterie fast leer";
    SILENT = "Not seen lately", "Länger nicht gesehen";
    LAST_TEST = "Last test", "Letzter Test";
    BATTERY = "Battery", "Batterie";
    LAST_SEEN = "Last seen", "Zuletzt gesehen";
    NOT_REPORTED = "Not reported yet", "Noch nicht gemeldet";
    RECENT_INCURSIONS = "Incursions of the last 30 days", "Annäherungen der letzten 30 Tage";

    WEARERS = "Who wore it", "Wer ihn getragen hat";
    FROM = "From", "Von";
    UNTIL = "Until", "Bis";
    STILL = "Still worn", "Noch ausgegeben";
    NEVER_WORN = "Nobody has worn it", "Niemand hat ihn getragen";
    NEVER_WORN_REASON = "Hand it out here, or at a tester device.",
        "Geben Sie ihn hier oder an einem Testgerät aus.";
    HAND_OUT = "Hand it out", "Ausgeben";
    TAKE_BACK = "Take it back", "Zurücknehmen";
    RETIRE = "Retire the tag", "Transponder ausmustern";
    REINSTATE = "Put it back into stock", "Wieder auf Lager nehmen";

    TESTS = "Tests of this tag", "Tests dieses Transponders";
    TESTED_AT = "Tested", "Getestet";
    RESULT = "Result", "Ergebnis";
    PASSED = "Passed", "Bestanden";
    FAILED = "Failed", "Nicht bestanden";
    NEVER_TESTED_REASON = "Tests are made at a tester device or at a base station.",
        "Getestet wird an einem Testgerät oder an einer Basisstation.";

    NEW = "Register a tag", "Transponder anmelden";
    ADDED = "The tag was registered.", "Der Transponder wurde angemeldet.";
    SAVED = "The tag was saved.", "Der Transponder wurde gespeichert.";
    WAS_RETIRED = "The tag was retired.", "Der Transponder wurde ausgemustert.";
    REINSTATED = "The tag is back in stock.", "Der Transponder ist wieder auf Lager.";
    HANDED_OUT = "The tag was handed out.", "Der Transponder wurde ausgegeben.";
    TAKEN_BACK = "The tag was taken back.", "Der Transponder wurde zurückgenommen.";
    NONE_YET = "No tags yet", "Noch keine Transponder";
    NONE_YET_REASON = "They are registered here, imported, or added by themselves when a tester device or base station \
        first sees them.",
        "Sie werden hier angemeldet, importiert oder von selbst hinzugefügt, wenn ein Testgerät oder eine \
        Basisstation sie zum ersten Mal sieht.";
}

counted! {}

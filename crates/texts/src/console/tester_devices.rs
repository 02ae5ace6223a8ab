//! Texts of the pages of tester devices.

use crate::text::{counted, texts};

texts! {
    TITLE = "Tester devices", "Testgeräte";
    LEAD = "Kiosks at which people test their tags and are handed out new ones. Each has a token of its own.",
        "Kioske, an denen Personen ihre Transponder testen und neue erhalten. Jeder hat ein eigenes Zugangstoken.";
    DEVICE = "Tester device", "Testgerät";
    NAME = "Name", "Name";
    NAME_HINT = "No other tester device of the brand may have it.",
        "Kein anderes Testgerät der Marke darf ihn tragen.";
    SERIAL = "Serial number", "Seriennummer";
    SERIAL_HINT = "As printed on the device.", "Wie auf dem Gerät aufgedruckt.";
    WORKSITE = "Where it stands", "Wo es steht";
    NEW = "Add a tester device", "Testgerät hinzufügen";
    ADDED = "The tester device was added. Generate its token next.",
        "Das Testgerät wurde hinzugefügt. Erzeugen Sie als Nächstes sein Zugangstoken.";
    SAVED = "The tester device was saved.", "Das Testgerät wurde gespeichert.";
    REVOKED = "The token was revoked. The device can no longer sign in.",
        "Das Zugangstoken wurde widerrufen. Das Gerät kann sich nicht mehr anmelden.";
    NONE_YET = "No tester devices yet", "Noch keine Testgeräte";
    NONE_YET_REASON = "Add the first one below, then generate its token and enter it at the kiosk.",
        "Fügen Sie unten das erste hinzu, erzeugen Sie sein Zugangstoken und geben Sie es am Kiosk ein.";
    RESTRICTED = "A tester device serves the whole brand. You are restricted to some projects, so you can look at it \
        but not change it.",
        "Ein Testgerät dient der ganzen Marke. Ihr Zugang ist auf einige Projekte beschränkt; Sie können es deshalb \
        ansehen, aber nicht ändern.";
}

counted! {}

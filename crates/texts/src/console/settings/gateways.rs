//! Texts of the pages of gateways.

use crate::text::{counted, texts};

texts! {
    TITLE = "Gateways", "Gateway-Geräte";
    LEAD = "A gateway sends the reports of many base stations with one token.",
        "Ein Gateway sendet die Meldungen vieler Basisstationen mit einem einzigen Zugangstoken.";
    DEVICE = "This gateway", "Dieses Gateway";
    NAME = "Name", "Name";
    NAME_HINT = "No other gateway of the brand may have it.", "Kein anderes Gateway der Marke darf ihn tragen.";
    NEW = "Add a gateway", "Gateway hinzufügen";
    ADDED = "The gateway was added. Generate its token next.",
        "Das Gateway wurde hinzugefügt. Erzeugen Sie als Nächstes sein Zugangstoken.";
    SAVED = "The gateway was saved.", "Das Gateway wurde gespeichert.";
    REVOKED = "The token was revoked. The gateway can no longer report.",
        "Das Zugangstoken wurde widerrufen. Das Gateway kann nicht mehr melden.";
    NONE_YET = "No gateways yet", "Noch keine Gateways";
    NONE_YET_REASON = "Base stations can report by themselves. Add a gateway if one device reports for many.",
        "Basisstationen können selbst melden. Fügen Sie ein Gateway hinzu, wenn ein Gerät für viele meldet.";
    RESTRICTED = "A gateway acts for every base station of the brand. You are restricted to some projects, so you can \
        look at it but not change it.",
        "Ein Gateway handelt für alle Basisstationen der Marke. Ihr Zugang ist auf einige Projekte beschränkt; Sie \
        können es deshalb ansehen, aber nicht ändern.";
}

counted! {}

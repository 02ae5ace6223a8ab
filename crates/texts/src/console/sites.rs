//! The texts of the pages of worksites: list, map, boundary, roll-call.

use crate::Language;
use crate::text::{counted, find, texts};

texts! {
    TITLE = "Sites", "Standorte";
    NEW = "Add a site", "Standort hinzufügen";
    EDIT = "Change this site", "Standort ändern";
    EDIT_OF = "Change {name}", "{name} ändern";
    SAVE = "Save", "Speichern";
    CANCEL = "Cancel", "Abbrechen";
    SEARCH = "Search", "Suchen";
    NAME_CONTAINS = "Name contains", "Name enthält";
    ALL_KINDS = "All kinds", "Alle Arten";
    SHOW = "Show", "Anzeigen";
    ACTIVE = "Active", "Aktiv";
    ARCHIVED = "Archived", "Archiviert";

    NAME = "Name", "Name";
    KIND = "Kind", "Art";
    PROJECT = "Project", "Projekt";
    NO_PROJECT = "No project", "Kein Projekt";
    AREA = "Area", "Fläche";
    AREA_M2 = "{n} m²", "{n} m²";
    NO_BOUNDARY = "no boundary", "keine Grenze";
    TIME_ZONE = "Time zone", "Zeitzone";
    TIME_ZONE_HINT = "A name of the IANA database, such as Europe/Berlin. It decides where days begin.",
        "Ein Name der IANA-Datenbank, zum Beispiel Europe/Berlin. Er bestimmt, wo Tage beginnen.";
    CONTACT = "Contact for technical questions", "Ansprechperson für technische Fragen";
    COLOUR = "Colour", "Farbe";
    COLOUR_HINT = "As #rrggbb. Without one, a colour is chosen by the name.",
        "Als #rrggbb. Ohne Angabe wird eine Farbe nach dem Namen gewählt.";
    BOUNDARY = "Boundary", "Grenze";
    BOUNDARY_HINT = "A GeoJSON polygon, or a circle with its centre (longitude, latitude) and its radius in metres. \
        Empty for a site without a boundary.",
        "Ein GeoJSON-Polygon oder ein Kreis mit Mittelpunkt (Länge, Breite) und Radius in Metern. Leer für einen \
        Standort ohne Grenze.";
    BOUNDARY_EXAMPLES = "Examples of a boundary", "Beispiele einer Grenze";
    POLYGON = "Polygon", "Vieleck";
    CIRCLE = "Circle", "Kreis";
    SINCE = "Applies from", "Gilt ab";
    SINCE_HINT = "For time zone, boundary and project; empty for now. Times are those of {zone}.",
        "Für Zeitzone, Grenze und Projekt; leer für jetzt. Zeiten gelten in {zone}.";
    FAULT_NEAR = "Look at the point near {place}.", "Sehen Sie sich den Punkt bei {place} an.";
    NO_SHAPE = "This is neither a GeoJSON polygon nor a circle with center and radius_m.",
        "Das ist weder ein GeoJSON-Polygon noch ein Kreis mit center und radius_m.";
    OFF_THE_GLOBE = "A point is not on the globe. The longitude comes first, from -180 to 180, then the latitude, from \
        -90 to 90.",
        "Ein Punkt liegt nicht auf der Erde. Zuerst kommt die Länge, von -180 bis 180, dann die Breite, von -90 bis 90.";
    TOO_MANY_POINTS = "The boundary has more points than can be stored.",
        "Die Grenze hat mehr Punkte, als gespeichert werden können.";
    TOO_FEW_POINTS = "A line of the boundary has fewer than three corners.",
        "Eine Linie der Grenze hat weniger als drei Ecken.";
    NOT_CLOSED = "A line of the boundary does not end where it begins.",
        "Eine Linie der Grenze endet nicht dort, wo sie beginnt.";
    LINES_CROSS = "Lines of the boundary cross or touch each other.",
        "Linien der Grenze kreuzen oder berühren sich.";
    REPEATED_POINT = "The boundary passes through the same point twice.",
        "Die Grenze geht zweimal durch denselben Punkt.";
    FOLDS_BACK = "A line of the boundary turns back on itself.", "Eine Linie der Grenze läuft auf sich selbst zurück.";
    HOLE_OUTSIDE = "A hole lies outside the boundary.", "Eine Aussparung liegt außerhalb der Grenze.";
    HOLE_IN_HOLE = "A hole lies inside another hole.", "Eine Aussparung liegt in einer anderen.";
    OVER_ANTIMERIDIAN = "The boundary crosses the 180th meridian. It must lie on one side of it.",
        "Die Grenze überschreitet den 180. Längengrad. Sie muss auf einer Seite davon liegen.";
    OVER_POLE = "The circle reaches over a pole.", "Der Kreis reicht über einen Pol.";
    TOO_SMALL = "The boundary encloses less than 10 m².", "Die Grenze umschließt weniger als 10 m².";
    TOO_LARGE = "The boundary encloses more than 10,000 km².", "Die Grenze umschließt mehr als 10.000 km².";
    DRAW_POLYGON = "Draw a polygon", "Vieleck zeichnen";
    DRAW_CIRCLE = "Draw a circle", "Kreis zeichnen";
    MOVE_POINTS = "Move points", "Punkte verschieben";
    CLEAR = "Remove the boundary", "Grenze entfernen";
    DRAWING_HELP = "Click to set points, and click the first one to close the shape. What you draw is written into \
        the field below.",
        "Klicken Sie, um Punkte zu setzen, und auf den ersten, um die Form zu schließen. Was Sie zeichnen, wird in \
        das Feld darunter geschrieben.";

    ADDED = "The site was added.", "Der Standort wurde hinzugefügt.";
    SAVED = "The site was saved.", "Der Standort wurde gespeichert.";
    DELETED = "The site was deleted.", "Der Standort wurde gelöscht.";
    WAS_ARCHIVED = "The site has a history, so it was archived.",
        "Der Standort hat eine Vorgeschichte und wurde deshalb archiviert.";
    RESTORED = "The site was restored.", "Der Standort wurde wiederhergestellt.";
    ASSIGNED = "The machine was assigned to the site.", "Die Maschine wurde dem Standort zugeordnet.";
    UNASSIGNED = "The assignment of the machine has ended.", "Die Zuordnung der Maschine wurde beendet.";

    EMPTY = "No sites yet", "Noch keine Standorte";
    EMPTY_REASON = "A site has a boundary and a time zone. Incursions inside its boundary belong to it.",
        "Ein Standort hat eine Grenze und eine Zeitzone. Annäherungen innerhalb der Grenze gehören zu ihm.";
    NO_MATCH = "No site matches", "Kein passender Standort";
    NO_MATCH_REASON = "No site fits this search. Change it, or show all.",
        "Kein Standort passt zu dieser Suche. Ändern Sie sie, oder zeigen Sie alle an.";
    SHOW_ALL = "Show all sites", "Alle Standorte anzeigen";

    WHERE = "Where incursions happen", "Wo Annäherungen geschehen";
    WHERE_ALT = "Map of the incursions at the sites with the most of them",
        "Karte der Annäherungen an den Standorten mit den meisten";
    HEAT_MAP = "Incursions on this site", "Annäherungen auf diesem Standort";
    HEAT_MAP_ALT = "Map of the incursions at {name}", "Karte der Annäherungen am Standort {name}";
    INCURSIONS_HERE = "Show the incursions", "Annäherungen anzeigen";
    MAP = "Boundary and machines now", "Grenze und Maschinen jetzt";
    MAP_ALT = "Map of {name} with its boundary and the machines that are there now",
        "Karte von {name} mit Grenze und den Maschinen, die jetzt dort sind";
    MAP_OF_SITES = "Boundaries", "Grenzen";
    ZOOM_IN = "Zoom in", "Vergrößern";
    ZOOM_OUT = "Zoom out", "Verkleinern";
    HEXAGON = "Incursions: {n}, acknowledged: {share}", "Annäherungen: {n}, quittiert: {share}";
    NUMBERS = "Numbers", "Zahlen";
    BY_MACHINE = "Incursions on this site by machine", "Annäherungen auf diesem Standort nach Maschine";
    NO_INCURSIONS = "No incursions", "Keine Annäherungen";
    NO_INCURSIONS_REASON = "There were none on this site in this period.",
        "Auf diesem Standort gab es in diesem Zeitraum keine.";
    NOTHING_ON_MAP = "There is no boundary and no position to draw.",
        "Es gibt keine Grenze und keine Position zu zeichnen.";

    DETAILS = "About this site", "Über diesen Standort";
    DELETE = "Delete or archive", "Löschen oder archivieren";
    DELETE_HINT = "A site without a history is deleted. One where a machine, a visitor or a tester device was ever \
        recorded is archived, and its machines are free.",
        "Ein Standort ohne Vorgeschichte wird gelöscht. Einer, an dem je eine Maschine, ein Besuch oder ein \
        Testgerät erfasst war, wird archiviert, und seine Maschinen werden frei.";
    RESTORE = "Restore", "Wiederherstellen";
    ARCHIVED_SINCE = "Archived since {at}", "Archiviert seit {at}";
    ADDED_AT = "Added", "Hinzugefügt";
    SEVERITY_INFO = "For information", "Zur Information";
    SEVERITY_WARNING = "Warning", "Warnung";
    SEVERITY_CRITICAL = "Critical", "Kritisch";
    OPEN_ALERTS = "Open alerts", "Offene Alarme";
    NO_ALERTS = "No open alerts about this site.", "Keine offenen Alarme zu diesem Standort.";

    MACHINES = "Machines", "Maschinen";
    MACHINE = "Machine", "Maschine";
    ASSIGNED_SINCE = "Assigned since", "Zugeordnet seit";
    LAST_POSITION = "Last position", "Letzte Position";
    INSIDE = "inside", "innerhalb";
    OUTSIDE = "outside the boundary", "außerhalb der Grenze";
    NOT_ASSIGNED = "not assigned", "nicht zugeordnet";
    ASSIGN = "Assign a machine", "Maschine zuordnen";
    ASSIGN_BUTTON = "Assign", "Zuordnen";
    ASSIGN_SINCE_HINT = "Empty for now. A machine is at one site at a time. Times are those of {zone}.",
        "Leer für jetzt. Eine Maschine ist jeweils an einem Standort. Zeiten gelten in {zone}.";
    END = "End", "Beenden";
    ACTION = "Action", "Aktion";
    NO_MACHINES = "No machine here", "Keine Maschine hier";
    NO_MACHINES_REASON = "No machine is assigned to this site or was last inside its boundary.",
        "Keine Maschine ist diesem Standort zugeordnet oder war zuletzt innerhalb seiner Grenze.";

    HISTORY = "History of boundary, time zone and project", "Verlauf von Grenze, Zeitzone und Projekt";
    FROM = "From", "Von";
    TO = "To", "Bis";
    STILL = "now", "jetzt";
    NO_HISTORY = "No history", "Kein Verlauf";

    PEOPLE_NOW = "People on site", "Personen vor Ort";
    ROLL_CALL = "Roll-call", "Anwesenheitsliste";
    ROLL_CALL_OF = "Roll-call: {name}", "Anwesenheitsliste: {name}";
    ROLL_CALL_AT = "As of {at}", "Stand: {at}";
    ROLL_CALL_HINT = "Visitors who have not checked out, and people whom a machine has detected here today. Who met no \
        machine is not on this list.",
        "Besuchende, die sich nicht abgemeldet haben, und Personen, die heute hier von einer Maschine erkannt \
        wurden. Wer keiner Maschine begegnet ist, steht nicht auf dieser Liste.";
    NAMES_HIDDEN = "Names are hidden, because you may not see them.",
        "Namen sind ausgeblendet, weil Sie sie nicht sehen dürfen.";
    PRESENT = "Present", "Anwesend";
    PERSON = "Person", "Person";
    COMPANY = "Company", "Firma";
    TAG = "Tag", "Transponder";
    CHECKED_IN = "Checked in", "Angemeldet";
    LAST_SEEN = "Last seen", "Zuletzt gesehen";
    VISITORS = "Visitors on site", "Besuchende vor Ort";
    SEEN_TODAY = "Seen today", "Heute gesehen";
    SEEN_EARLIER = "Seen in the last 30 days, not today", "In den letzten 30 Tagen gesehen, nicht heute";
    NOBODY = "Nobody", "Niemand";
    NO_VISITORS_REASON = "No visitor is checked in at this site.",
        "An diesem Standort ist niemand zu Besuch angemeldet.";
    NOBODY_SEEN_REASON = "No machine has detected a person here today.",
        "Heute wurde hier keine Person von einer Maschine erkannt.";
    MORE_SEEN = "There were more people than this list shows.", "Es waren mehr Personen da, als diese Liste zeigt.";
    PRINT_HINT = "Print this page, or tick people off here; ticks are not stored.",
        "Drucken Sie diese Seite, oder haken Sie hier ab; Haken werden nicht gespeichert.";
    BACK_TO_SITE = "Back to the site", "Zurück zum Standort";
    ROLL_CALL_FOOT = "Number present: ______   Checked by: ____________________",
        "Anzahl anwesend: ______   Geprüft von: ____________________";
}

counted! {
    VISITORS_COUNT = ("{n} visitor on site", "{n} visitors on site"), ("{n} Besuch vor Ort", "{n} Besuche vor Ort");
    SEEN_COUNT = ("{n} person seen today", "{n} people seen today"),
        ("Heute {n} Person gesehen", "Heute {n} Personen gesehen");
}

/// Returns what is wrong with a boundary, as a sentence.
pub fn boundary_fault(language: Language, word: &str) -> &'static str {
    let table = [
        ("off_the_globe", OFF_THE_GLOBE),
        ("too_many_points", TOO_MANY_POINTS),
        ("too_few_points", TOO_FEW_POINTS),
        ("not_closed", NOT_CLOSED),
        ("crosses", LINES_CROSS),
        ("repeated_point", REPEATED_POINT),
        ("folds_back", FOLDS_BACK),
        ("hole_outside", HOLE_OUTSIDE),
        ("hole_in_hole", HOLE_IN_HOLE),
        ("over_antimeridian", OVER_ANTIMERIDIAN),
        ("over_pole", OVER_POLE),
        ("too_small", TOO_SMALL),
        ("too_large", TOO_LARGE),
    ];
    find(language, word, &table).unwrap_or(NO_SHAPE.get(language))
}

//! Texts of the pages of base stations.

use crate::text::{counted, texts};

texts! {
    TITLE = "Base stations", "Basisstationen";
    LEAD = "The devices on machines that notice tags in their zones. A station that is on no machine reports nothing \
        that can be attributed.",
        "Die Geräte auf den Maschinen, die Transponder in ihren Zonen bemerken. Was eine Station meldet, die auf \
        keiner Maschine ist, kann nicht zugeordnet werden.";
    STATION = "Base station", "Basisstation";
    CHANGE = "Change it", "Ändern";
    SERIAL = "Serial number", "Seriennummer";
    SERIAL_HINT = "As printed on the station.", "Wie auf der Station aufgedruckt.";
    NAME = "Name", "Name";
    NAME_HINT = "Where it is mounted, for example.", "Zum Beispiel, wo sie angebracht ist.";
    CAMERAS = "Cameras", "Kameras";
    CAMERAS_HINT = "One name per line.", "Ein Name je Zeile.";
    ZONES = "Zones", "Zonen";
    ZONES_HINT = "One antenna per line: its name, the warning zone and the danger zone in metres, such as front; 6.5; 3. \
        A change applies from now on.",
        "Eine Antenne je Zeile: ihr Name, die Warnzone und die Gefahrenzone in Metern, etwa vorn; 6,5; 3. Eine \
        Änderung gilt ab jetzt.";
    STATE = "State", "Zustand";
    SINCE = "since {at}", "seit {at}";
    FAULTS = "Faults", "Störungen";
    LAST_SEEN = "Last contact", "Letzter Kontakt";
    NEVER = "Never", "Nie";
    MACHINE = "Machine", "Maschine";
    MACHINE_HINT = "Without a machine the station is taken off.", "Ohne Maschine wird die Station abgebaut.";
    ON_A_MACHINE = "On a machine", "Auf einer Maschine";
    ON_NO_MACHINE = "On no machine", "Auf keiner Maschine";
    FIRMWARE = "Firmware version", "Firmware-Version";
    NOT_REPORTED = "Not reported yet", "Noch nicht gemeldet";
    NEVER_SEEN = "No contact yet", "Noch kein Kontakt";
    FAULTY = "Faulty", "Gestört";
    SILENT = "Silent", "Stumm";
    ONLINE = "In contact", "In Kontakt";

    INSTALLATIONS = "Installations", "Einbauten";
    FROM = "From", "Von";
    FROM_HINT = "Leave it empty for now. What was reported since is attributed again.",
        "Leer bedeutet jetzt. Was seitdem gemeldet wurde, wird neu zugeordnet.";
    TIME_ZONE = "Time zone", "Zeitzone";
    UNTIL = "Until", "Bis";
    STILL = "Still there", "Noch eingebaut";
    REPLACE = "Remove later installations that conflict", "Spätere Einbauten entfernen, die dem widersprechen";
    REPLACE_HINT = "Otherwise the move is refused if there are any.",
        "Sonst wird der Umbau abgelehnt, wenn es welche gibt.";
    MOVE = "Move the station", "Station umbauen";
    NEVER_INSTALLED = "Never installed", "Nie eingebaut";
    NEVER_INSTALLED_REASON = "Choose the machine that the station is mounted on.",
        "Wählen Sie die Maschine, auf der die Station angebracht ist.";

    NEW = "Register a base station", "Basisstation anmelden";
    ADDED = "The base station was registered. Choose its machine and generate its token next.",
        "Die Basisstation wurde angemeldet. Wählen Sie als Nächstes ihre Maschine und erzeugen Sie ihr Zugangstoken.";
    SAVED = "The base station was saved.", "Die Basisstation wurde gespeichert.";
    INSTALLED = "The base station was moved.", "Die Basisstation wurde umgebaut.";
    REVOKED = "The token was revoked. The station can no longer report.",
        "Das Zugangstoken wurde widerrufen. Die Station kann nicht mehr melden.";
    NONE_YET = "No base stations yet", "Noch keine Basisstationen";
    NONE_YET_REASON = "An admin registers them here, one by one or from a CSV file.",
        "Admins melden sie hier an, einzeln oder aus einer CSV-Datei.";
    RESTRICTED = "You are restricted to some projects and would not see a base station that is on no machine, so you \
        cannot register one.",
        "Ihr Zugang ist auf einige Projekte beschränkt. Eine Basisstation auf keiner Maschine würden Sie nicht sehen; \
        Sie können deshalb keine anmelden.";
}

counted! {}

//! Texts of the pages that manage machines.

use crate::text::{counted, texts};

texts! {
    TITLE = "Machines", "Maschinen";
    LEAD = "The machines that can carry a base station. Their figures are in the section of machines.",
        "Die Maschinen, die eine Basisstation tragen können. Ihre Kennzahlen stehen im Bereich der Maschinen.";
    MACHINE = "Machine", "Maschine";
    NAME = "Name", "Name";
    KIND = "Kind of machine", "Art der Maschine";
    SERIAL_NUMBER = "Serial number", "Seriennummer";
    SERIAL_NUMBER_HINT = "Of the manufacturer. No two machines have the same one.",
        "Die des Herstellers. Keine zwei Maschinen haben dieselbe.";
    MANUFACTURER = "Manufacturer", "Hersteller";
    MODEL = "Model", "Modell";
    YEAR = "Year of manufacture", "Baujahr";
    NUMBER_PLATE = "Number plate", "Kennzeichen";
    WORKSITE = "Site", "Standort";
    WORKSITE_HINT = "From now on. An earlier date is chosen on the page of the site.",
        "Ab jetzt. Ein früheres Datum wählen Sie auf der Seite des Standorts.";
    BASE_STATION = "Base station", "Basisstation";
    NO_BASE_STATION = "None is installed", "Keine ist eingebaut";
    FIGURES = "Figures of this machine", "Kennzahlen dieser Maschine";
    NEW = "Add a machine", "Maschine hinzufügen";
    ARCHIVED_SINCE = "This machine has been archived since {at}. It is at no site and has no base station.",
        "Diese Maschine ist seit {at} archiviert. Sie ist an keinem Standort und hat keine Basisstation.";
    ARCHIVE_HINT = "Its time at its site and with its base station ends. The incursions stay.",
        "Ihre Zeit an ihrem Standort und mit ihrer Basisstation endet. Die Annäherungen bleiben erhalten.";
    ADDED = "The machine was added.", "Die Maschine wurde hinzugefügt.";
    SAVED = "The machine was saved.", "Die Maschine wurde gespeichert.";
    ARCHIVED = "The machine was archived.", "Die Maschine wurde archiviert.";
    RESTORED = "The machine was restored. It is at no site yet.",
        "Die Maschine wurde wiederhergestellt. Sie ist noch an keinem Standort.";
    NONE_YET = "No machines yet", "Noch keine Maschinen";
    NONE_YET_REASON = "Add the first one below, or import a list of them.",
        "Fügen Sie unten die erste hinzu oder importieren Sie eine Liste.";
}

counted! {}

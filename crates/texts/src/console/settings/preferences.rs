//! Texts of the page of the reader's own preferences.

use crate::text::{counted, texts};

texts! {
    TITLE = "Preferences", "Anzeige und Sprache";
    LEAD = "How things are shown to you, here and in files. They never change what is counted.",
        "Wie Ihnen etwas gezeigt wird, hier und in Dateien. Gezählt wird dadurch nichts anders.";
    SAVED = "Your preferences were saved.", "Ihre Einstellungen wurden gespeichert.";
    FORMATS = "Language and formats", "Sprache und Formate";
    AS_BRAND = "As the brand: {value}", "Wie die Marke: {value}";
    BY_DEFAULT = "Default: {value}", "Voreinstellung: {value}";

    LANGUAGE = "Language", "Sprache";
    TIME_ZONE = "Time zone", "Zeitzone";
    TIME_ZONE_HINT = "A name such as Europe/Berlin, for what concerns several sites. Blank means that of the brand: {value}.",
        "Ein Name wie Europe/Berlin, für alles, was mehrere Standorte betrifft. Leer bedeutet die der Marke: {value}.";
    DATE_FORMAT = "Dates", "Datumsangaben";
    UNITS = "Lengths", "Längen";
    METRIC = "Metres", "Meter";
    IMPERIAL = "Feet", "Fuß";
    FIRST_DAY = "First day of the week", "Erster Tag der Woche";
    FIRST_DAY_HINT = "In displays. Weeks that are counted always begin on Monday.",
        "In der Anzeige. Gezählte Wochen beginnen immer am Montag.";
    MONDAY = "Monday", "Montag";
    SUNDAY = "Sunday", "Sonntag";
    SATURDAY = "Saturday", "Samstag";
    DEFAULT_VIEW = "Saved view that opens first", "Gespeicherte Ansicht, die sich zuerst öffnet";
    NO_VIEW = "None", "Keine";

    DIMENSIONS = "Dimensions of pivots", "Dimensionen von Auswertungen";
    DIMENSIONS_LEAD = "The order in which they are offered, your own names for them, and which of them are offered at all.",
        "Die Reihenfolge, in der sie angeboten werden, Ihre eigenen Namen dafür und welche davon überhaupt angeboten werden.";
    DIMENSION = "Dimension", "Auswertung nach";
    POSITION = "Place", "Platz";
    LABEL = "Own name", "Eigener Name";
    OFFERED = "Offered", "Angeboten";
    POSITION_OF = "Place of {dimension}", "Platz von {dimension}";
    LABEL_OF = "Own name of {dimension}", "Eigener Name von {dimension}";
    OFFERED_OF = "Offer {dimension}", "{dimension} anbieten";
    DIMENSIONS_SAVED = "Your dimensions were saved.", "Ihre Dimensionen wurden gespeichert.";
    RESET = "Back to the default", "Zurück zur Voreinstellung";
}

counted! {}

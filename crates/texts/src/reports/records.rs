//! Headings of columns, and the lines of the provenance.

use crate::text::texts;

texts! {
    CHANGE = "Change", "Veränderung";
    LAST_SEEN = "Last contact", "Letzter Kontakt";
    SILENT_STATIONS = "Silent base stations", "Stumme Basisstationen";
    ANTENNA = "Antenna", "Antenne";
    FROM = "From", "Von";
    UNTIL = "Until", "Bis";
    STARTED = "Started", "Beginn";
    ENDED = "Ended", "Ende";
    CLOSED_WITHOUT_END = "Closed without end", "Ohne Ende geschlossen";
    LENGTH = "Duration", "Dauer";
    LOCAL_DAY = "Local day", "Ortstag";
    ACKNOWLEDGED_AT = "Acknowledged at", "Quittiert um";
    ACKNOWLEDGED_AFTER = "Acknowledged after", "Quittiert nach";
    CLOSEST = "Closest", "Abstand";
    CLOSEST_CM = "Closest (cm)", "Abstand (cm)";
    CLOSEST_FT = "Closest (ft)", "Abstand (ft)";
    LATITUDE = "Latitude", "Breitengrad";
    LONGITUDE = "Longitude", "Längengrad";
    INCURSIONS_SHORT = "Incursions", "Annäherungen";
    PREVIOUS_INCURSIONS = "Incursions, previous period", "Annäherungen, vorheriger Zeitraum";
    ID = "Id", "ID";
    /// The id of a dimension, whose label the user may have chosen.
    ID_OF = "{name} id", "{name}-ID";
    MACHINE_ID = "Machine id", "Maschinen-ID";
    BASE_STATION_ID = "Base station id", "Basisstations-ID";
    TAG_ID = "Tag id", "Transponder-ID";
    PERSON_ID = "Person id", "Personen-ID";
    PEDESTRIAN_ID = "Pedestrian id", "ID der Person zu Fuß";
    OPERATOR_ID = "Operator id", "Maschinenführer-ID";
    WORKSITE_ID = "Worksite id", "Standort-ID";
    VISIT_ID = "Visit id", "Besuchs-ID";
    UTC_OFFSET = "UTC offset", "Abweichung von UTC";
    LEVEL = "Level", "Ebene";
    /// A number of incursions with the time in which they were counted.
    COUNT_IN_HOURS = "{n} in {hours}", "{n} in {hours}";
    COUNT_ON_DAYS = "{n} on {days}", "{n} an {days}";
    RATE_OF_COUNT = "{value} ({n} in {hours})", "{value} ({n} in {hours})";
    PIVOT_SHEET = "Pivot", "Pivot-Tabelle";
    ROWS = "Rows", "Zeilen";
    COLUMNS = "Columns", "Spalten";
    MEASURES = "Measures", "Kennzahlen";

    /// The name of the sheet with the provenance.
    ABOUT_SHEET = "About", "Über den Bericht";
    TITLE = "Title", "Titel";
    BRAND = "Brand", "Unternehmen";
    PERIOD = "Period", "Zeitraum";
    END_OF_FIGURES = "End of the figures", "Ende der Zahlen";
    TIME_ZONES = "Time zones", "Zeitzonen";
    /// The clock of all times in a table of several time zones, in the provenance and in a heading.
    ZONE_OF_TIMES = "Time zone of times", "Zeitzone der Uhrzeiten";
    TIME_BY_CLOCK = "{title} ({zone})", "{title} ({zone})";
    TAG_TIME_ZONE = "Time zone of tag days", "Zeitzone der Tage von Transpondern";
    PREVIOUS_PERIOD = "Previous period", "Vorheriger Zeitraum";
    RESTRICTED_TO = "Restricted to projects", "Beschränkt auf Projekte";
    CHANGE_NUMBER = "Change number", "Änderungsnummer";
    COMPUTED_AT = "Figures computed at", "Zahlen berechnet am";
    PROGRAM = "Program", "Programm";
    REPORT_ID = "Report", "Bericht";
    AUTHOR = "Author", "Verfasser";
    USER = "User {id}", "Benutzer {id}";
    SERVICE_ACCOUNT = "Service account {id}", "Dienstkonto {id}";
    NOBODY = "Nobody", "Niemand";
    NAMES = "Names", "Namen";
    NAMES_AS_OF_NOW = "Names are shown as of the time at which the file was made.",
        "Namen werden so gezeigt, wie sie zum Zeitpunkt der Erstellung der Datei galten.";
    WITHOUT_NAMES = "The report shows no names of people.", "Der Bericht zeigt keine Namen von Personen.";

    FILTER_PROJECTS = "Filter: projects", "Filter: Projekte";
    FILTER_WORKSITES = "Filter: worksites", "Filter: Standorte";
    FILTER_WORKSITE_KINDS = "Filter: kinds of worksites", "Filter: Arten von Standorten";
    FILTER_MACHINES = "Filter: machines", "Filter: Maschinen";
    FILTER_MACHINE_KINDS = "Filter: kinds of machines", "Filter: Maschinenarten";
    FILTER_BASE_STATIONS = "Filter: base stations", "Filter: Basisstationen";
    FILTER_PEOPLE = "Filter: people", "Filter: Personen";
    FILTER_PEDESTRIANS = "Filter: people on foot", "Filter: Personen zu Fuß";
    FILTER_OPERATORS = "Filter: operators", "Filter: Maschinenführer";
    FILTER_TAGS = "Filter: tags", "Filter: Transponder";
    FILTER_ZONES = "Filter: zones", "Filter: Zonen";
    FILTER_ACKNOWLEDGED = "Filter: acknowledged", "Filter: quittiert";
    FILTER_SHORTEST = "Filter: shortest duration", "Filter: kürzeste Dauer";
    FILTER_LONGEST = "Filter: longest duration", "Filter: längste Dauer";
}

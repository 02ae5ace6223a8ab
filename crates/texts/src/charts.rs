//! The texts of chart images: titles, units, notes, subtitles, and the sentences that describe a chart to readers who cannot
//! see it.

use crate::text::{counted, texts};

texts! {
    TITLE_MACHINE_RUNTIME = "Machine runtime", "Betriebszeit der Maschinen";
    TITLE_OPERATORS = "Machines and their operators", "Maschinen und ihre Maschinenführer";
    TITLE_ACKNOWLEDGED_INCURSIONS = "Acknowledged incursions", "Quittierte Annäherungen";
    TITLE_ZONE_TIME = "Time in zones", "Zeit in Zonen";
    TITLE_TRENDS = "Trends", "Verlauf";
    TITLE_INCURSION_RATE = "Incursions per runtime hour", "Annäherungen je Betriebsstunde";
    TITLE_DURATIONS = "Incursion durations", "Dauer der Annäherungen";
    TITLE_HEATMAP = "Incursions by location", "Annäherungen nach Ort";
    TITLE_RATE_HEATMAP = "Acknowledgement rate by location", "Quittierungsquote nach Ort";
    TITLE_HOURS_OF_WEEK = "Hours of the week", "Stunden der Woche";
    TITLE_ACKNOWLEDGEMENT_SCORE = "Acknowledgement score", "Quittierungsquote";
    TITLE_BY = "{title} by {part}", "{title} nach {part}";
    TITLE_OF_MEASURE = "{title}: {measure}", "{title}: {measure}";
    TREND_OF = "Trend: {measures}", "Verlauf: {measures}";

    PREVIOUS_SERIES = "{label}, previous period", "{label}, vorheriger Zeitraum";
    TREND_SERIES = "{label}, trend", "{label}, Tendenz";
    ALL_MACHINES = "All machines", "Alle Maschinen";

    UNIT_INCURSIONS = "incursions", "Annäherungen";
    UNIT_MACHINES = "machines", "Maschinen";
    UNIT_PEDESTRIANS = "people on foot", "Personen zu Fuß";
    UNIT_OPERATORS = "operators", "Maschinenführer";
    UNIT_PERCENT_ACKNOWLEDGED = "% acknowledged", "% quittiert";
    UNIT_SECONDS = "seconds", "Sekunden";
    UNIT_MINUTES = "minutes", "Minuten";
    UNIT_HOURS = "hours", "Stunden";
    UNIT_PER_RUNTIME_HOUR = "incursions per runtime hour", "Annäherungen je Betriebsstunde";
    UNIT_PER = "{unit} per {interval}", "{unit} je {interval}";
    UNIT_DURATION = "duration in seconds", "Dauer in Sekunden";
    RATE_ACKNOWLEDGED = "acknowledged", "quittiert";
    AND_LONGER = "{from}+", "ab {from}";

    ALERT_UNACKNOWLEDGED = "unacknowledged incursions", "nicht quittierte Annäherungen";
    ALERT_LONGEST = "longest incursion in seconds", "längste Annäherung in Sekunden";
    ALERT_PAIR = "incursions of one person with one machine", "Annäherungen einer Person an eine Maschine";
    ALERT_TEST_AGE = "days since the last passed test", "Tage seit dem letzten bestandenen Test";
    ALERT_BATTERY = "battery in per cent", "Batterie in Prozent";
    ALERT_SILENCE = "minutes without contact", "Minuten ohne Kontakt";
    ALERT_OVERSTAY = "minutes after the expected end", "Minuten nach dem erwarteten Ende";
    ALERT_DRIFT = "per cent of the improvement lost", "Prozent der Verbesserung verloren";
    /// Of all machines, people or other splits of an alert together.
    ALERT_WORST = "Worst value", "Schlechtester Wert";
    /// The unit is an hour, a day or a week.
    ALERT_WORST_OF = "Worst value of each {unit} ({zone})", "Schlechtester Wert je {unit} ({zone})";
    DRY_RUN = "{alarms} and {messages} in the last 30 days; worst value of each day ({zone})",
        "{alarms} und {messages} in den letzten 30 Tagen; schlechtester Wert je Tag ({zone})";
    DRY_RUN_APPROXIMATE = "Approximate: silence is known from the times at which facts were received",
        "Näherung: Stille ist aus den Zeiten bekannt, zu denen Daten empfangen wurden";

    HOUR = "hour", "Stunde";
    DAY = "day", "Tag";
    WEEK = "week", "Woche";
    MONTH = "month", "Monat";

    NO_RUNTIME_BY_PERSON = "Runtime cannot be filtered by person, pedestrian or tag.",
        "Betriebszeit kann nicht nach Person, Person zu Fuß oder Transponder gefiltert werden.";
    NO_MACHINE_RAN = "No machine ran.", "Keine Maschine war in Betrieb.";
    NO_INCURSIONS = "No incursions.", "Keine Annäherungen.";
    NO_POSITIONS = "No incursion has a position.", "Keine Annäherung hat eine Position.";
    ONLY_RUNTIME = "Machines ran, and there were no incursions.",
        "Maschinen waren in Betrieb, und es gab keine Annäherungen.";

    SHORT_BREAKS = "Breaks shorter than 3 hours are not shown",
        "Pausen unter 3 Stunden sind nicht dargestellt";
    MORE_GROUPS = "{n} more with lower values are not shown",
        "{n} weitere mit kleineren Werten sind nicht dargestellt";
    WITHOUT_END = "Incursions without an end, not shown: {n}", "Annäherungen ohne Ende, nicht dargestellt: {n}";
    OUTSIDE_AREA = "Area around the busiest hexagon. Incursions outside it (filter by one worksite to see \
        them): {n}",
        "Umgebung des Sechsecks mit den meisten Annäherungen. Annäherungen außerhalb (sichtbar mit dem Filter \
        nach einem Standort): {n}";
    OUTSIDE_AREAS = "Areas around the busiest hexagons. Incursions outside them: {n}",
        "Umgebungen der Sechsecke mit den meisten Annäherungen. Annäherungen außerhalb: {n}";
    MORE_WORKSITES = "Worksites with fewer incursions, not shown: {n}",
        "Standorte mit weniger Annäherungen, nicht dargestellt: {n}";
    OUTSIDE_WORKSITES = "Incursions outside all worksites, not shown: {n}",
        "Annäherungen außerhalb aller Standorte, nicht dargestellt: {n}";
    MORE_HEXAGONS = "Hexagons with fewer incursions, not shown: {n}",
        "Sechsecke mit weniger Annäherungen, nicht dargestellt: {n}";
    WITHOUT_POSITION = "Incursions without a position: {n}", "Annäherungen ohne Position: {n}";

    MANY_TIME_ZONES = "{n} time zones, each worksite in its own", "{n} Zeitzonen, jeder Standort in seiner eigenen";
    PERIOD_UNTIL = "{period}, until {end}", "{period}, bis {end}";
    PREVIOUS_PERIOD = "previous period {period}", "vorheriger Zeitraum {period}";

    ONLY = "only {filters}", "nur {filters}";
    AND = " and ", " und ";
    OR = " or ", " oder ";
    NAMED = "{names}", "{names}";
    NAMED_BASE_STATION = "base station {names}", "Basisstation {names}";
    NAMED_ON_FOOT = "{names} on foot", "{names} zu Fuß";
    NAMED_DRIVING = "{names} driving", "{names} als Maschinenführer";
    NAMED_TAG = "tag {names}", "Transponder {names}";
    WORKSITES_OF_KIND = "worksites of kind {kinds}", "Standorte der Art {kinds}";
    MACHINES_OF_KIND = "machines of kind {kinds}", "Maschinen der Art {kinds}";
    IN_ZONES = "{zones} zone", "{zones}";
    ACKNOWLEDGED = "acknowledged", "quittiert";
    NOT_ACKNOWLEDGED = "not acknowledged", "nicht quittiert";
    FROM_TO_LONG = "{from} to {to} s long", "{from} bis {to} s lang";
    FROM_LONG = "{from} s and longer", "ab {from} s";
    TO_LONG = "up to {to} s long", "bis {to} s lang";
    REVIEWED = "{reviews}", "Prüfung {reviews}";

    NOTHING_IN_PERIOD = "Nothing in this period", "Nichts in diesem Zeitraum";
    NO_VALUE = "No value", "Kein Wert";
    INCOMPLETE = "Incomplete", "Unvollständig";
    CONFIDENCE_INTERVAL = "95 % confidence interval", "95-%-Konfidenzintervall";
    OTHERS = "others", "andere";
    MORE = "more", "weitere";
    UNKNOWN = "Unknown", "Unbekannt";
    LABELS_LEFT_OUT = "Labels left out", "Fehlende Beschriftungen";
    NORTH = "N", "N";

    SAY_AT = "for {at}", "für {at}";
    SAY_PERIOD = "from {from} to {to}", "von {from} bis {to}";
    SAY_FROM_ON = "from {from} on", "ab {from}";
    SAY_NO_VALUE = "{label}: no value.", "{label}: kein Wert.";
    SAY_TOTAL = "{label}: {total} in all, highest {highest} ({at}).",
        "{label}: insgesamt {total}, höchster Wert {highest} ({at}).";
    SAY_MEAN = "{label}: mean {mean}, lowest {lowest}, highest {highest} ({at}).",
        "{label}: im Mittel {mean}, niedrigster Wert {lowest}, höchster Wert {highest} ({at}).";
    SAY_RANGE = "{label}: lowest {lowest}, highest {highest}.",
        "{label}: niedrigster Wert {lowest}, höchster Wert {highest}.";
    SAY_TREND = "{label}: from {from} to {to}.", "{label}: von {from} auf {to}.";
    SAY_IN_PERCENT = "In percent, {sentence}", "In Prozent: {sentence}";
    SAY_MORE = "{n} more.", "{n} weitere.";
    SAY_BARS = "Bars of {unit} {period}, one per {interval}.", "Balken: {unit} {period}, einer je {interval}.";
    SAY_LINES = "Lines of {unit} {period}, one value per {interval}.",
        "Linien: {unit} {period}, ein Wert je {interval}.";
    SAY_BUSIEST = "most on {day} from {from} to {to} ({value})", "am meisten am {day} von {from} bis {to} ({value})";
    SAY_MATRIX_OF_AMOUNTS = "Matrix of {unit} by weekday and hour, {total} in all; {most}. By weekday: {days}.",
        "Matrix: {unit} nach Wochentag und Stunde, insgesamt {total}; {most}. Nach Wochentag: {days}.";
    SAY_MATRIX_OF_LEVELS = "Matrix of {unit} by weekday and hour; {most}, least {least}.",
        "Matrix: {unit} nach Wochentag und Stunde; {most}, am wenigsten {least}.";
    SAY_OPERATORS = "Machines and their operators from {from} to {to}: {machines}, {operators}.",
        "Maschinen und ihre Maschinenführer von {from} bis {to}: {machines}, {operators}.";
    SAY_RATES_BY_HEXAGON = "By cell: lowest {lowest} %, highest {highest} %.",
        "Je Sechseck: niedrigster Wert {lowest} %, höchster Wert {highest} %.";
    SAY_SITE = "Map of a site with {positions} and {tracks}.",
        "Karte eines Standorts mit {positions} und {tracks}.";
    SAY_SITE_WITH_BOUNDARY = "Map of a site and its boundary with {positions} and {tracks}.",
        "Karte eines Standorts und seiner Grenze mit {positions} und {tracks}.";
    SAY_POSITIONS = "Positions: {names}.", "Positionen: {names}.";
    SAY_SOME_POSITIONS = "Positions: {names} and {n} more.", "Positionen: {names} und {n} weitere.";
}

counted! {
    DRY_RUN_ALARMS = ("{n} alarm", "{n} alarms"), ("{n} Alarm", "{n} Alarme");
    DRY_RUN_MESSAGES = ("{n} message", "{n} messages"), ("{n} Nachricht", "{n} Nachrichten");
    OTHER_GROUPS = ("{n} other", "{n} others"), ("{n} anderes", "{n} andere");
    PROJECTS = ("{n} project", "{n} projects"), ("{n} Projekt", "{n} Projekte");
    WORKSITES = ("{n} worksite", "{n} worksites"), ("{n} Standort", "{n} Standorte");
    MACHINES = ("{n} machine", "{n} machines"), ("{n} Maschine", "{n} Maschinen");
    BASE_STATIONS = ("{n} base station", "{n} base stations"), ("{n} Basisstation", "{n} Basisstationen");
    PEOPLE = ("{n} person", "{n} people"), ("{n} Person", "{n} Personen");
    PEDESTRIANS = ("{n} person on foot", "{n} people on foot"), ("{n} Person zu Fuß", "{n} Personen zu Fuß");
    OPERATORS = ("{n} operator", "{n} operators"), ("{n} Maschinenführer", "{n} Maschinenführer");
    TAGS = ("{n} tag", "{n} tags"), ("{n} Transponder", "{n} Transponder");

    MEAN_OF_HOURS = ("Each bar is the mean of {n} hour", "Each bar is the mean of {n} hours"),
        ("Jeder Balken ist das Mittel aus {n} Stunde", "Jeder Balken ist das Mittel aus {n} Stunden");
    MEAN_OF_DAYS = ("Each bar is the mean of {n} day", "Each bar is the mean of {n} days"),
        ("Jeder Balken ist das Mittel aus {n} Tag", "Jeder Balken ist das Mittel aus {n} Tagen");
    MEAN_OF_WEEKS = ("Each bar is the mean of {n} week", "Each bar is the mean of {n} weeks"),
        ("Jeder Balken ist das Mittel aus {n} Woche", "Jeder Balken ist das Mittel aus {n} Wochen");
    MEAN_OF_MONTHS = ("Each bar is the mean of {n} month", "Each bar is the mean of {n} months"),
        ("Jeder Balken ist das Mittel aus {n} Monat", "Jeder Balken ist das Mittel aus {n} Monaten");

    SAY_GAPS = ("{n} stretch without a value{why}.", "{n} stretches without a value{why}."),
        ("{n} Abschnitt ohne Wert{why}.", "{n} Abschnitte ohne Wert{why}.");
    SAY_HOURS_WITHOUT_VALUE = ("{n} hour without a value{why}.", "{n} hours without a value{why}."),
        ("{n} Stunde ohne Wert{why}.", "{n} Stunden ohne Wert{why}.");
    SAY_RANKED_BARS = ("Horizontal bars of {unit} for {n} row.", "Horizontal bars of {unit} for {n} rows."),
        ("Waagerechte Balken: {unit} für {n} Zeile.", "Waagerechte Balken: {unit} für {n} Zeilen.");
    SAY_HISTOGRAM = ("{n} bar of {unit} by {by}, {total} in all. {values}.",
        "{n} bars of {unit} by {by}, {total} in all. {values}."),
        ("{n} Balken: {unit} nach {by}, insgesamt {total}. {values}.",
        "{n} Balken: {unit} nach {by}, insgesamt {total}. {values}.");
    SAY_HEXAGONS = ("Map of {n} cell with {total} {unit} in all, at most {most} in one.",
        "Map of {n} cells with {total} {unit} in all, at most {most} in one."),
        ("Karte mit {n} Sechseck, insgesamt {total} {unit}, höchstens {most} in einem.",
        "Karte mit {n} Sechsecken, insgesamt {total} {unit}, höchstens {most} in einem.");
    SAY_POSITIONS_ON_MAP = ("{n} position", "{n} positions"), ("{n} Position", "{n} Positionen");
    SAY_TRACKS_ON_MAP = ("{n} track", "{n} tracks"), ("{n} Spur", "{n} Spuren");
}

//! The first page: numbers with what they are compared to, what changed, where it is worst, and what to do.

use crate::text::{counted, texts};

texts! {
    WHAT_CHANGED = "What changed", "Was sich verändert hat";
    WHERE_WORST = "Where it is worst", "Wo es am schlimmsten ist";
    WHAT_TO_DO = "What to do", "Was zu tun ist";
    /// A label or heading that belongs to someone on foot or driving.
    IN_ROLE = "{role}: {label}", "{role} – {label}";

    PREVIOUSLY = "previously {value}", "vorher {value}";
    TOO_FEW = "too few to compare", "zu wenige für einen Vergleich";
    /// Percentage points.
    POINTS = "{n}\u{a0}points", "{n}\u{a0}Punkte";
    IN_DANGER_ZONE = "{n} in the danger zone", "{n} in der Gefahrenzone";
    IN_RUNTIME = "in {hours} of runtime; {before}", "in {hours} Betriebszeit; {before}";
    N_OF_TOTAL = "{n} of {total}", "{n} von {total}";
    N_OF_TOTAL_BEFORE = "{n} of {total}; {before}", "{n} von {total}; {before}";
    IN_ALL = "in all", "insgesamt";

    TOO_FEW_TO_TELL = "There are too few incursions to tell a change.",
        "Es gibt zu wenige Annäherungen, um eine Veränderung zu erkennen.";
    /// Said if zero may only mean that there were no devices yet.
    NOTHING_BEFORE = "No change can be given: neither incursions nor runtime were recorded in the previous period.",
        "Eine Veränderung lässt sich nicht angeben: Im vorherigen Zeitraum wurden weder Annäherungen noch Betriebszeit aufgezeichnet.";
    COUNT_OF_NOW = "Incursions: {n}.", "Annäherungen: {n}.";
    LITTLE_CHANGED = "Little changed against the previous period.",
        "Gegenüber dem vorherigen Zeitraum hat sich wenig verändert.";
    COUNTS_OF_BOTH = "Incursions: {n}; previous period: {before}.",
        "Annäherungen: {n}; vorheriger Zeitraum: {before}.";
    COUNT_ROSE = "The number of incursions rose from {before} to {now}.",
        "Die Zahl der Annäherungen stieg von {before} auf {now}.";
    COUNT_FELL = "The number of incursions fell from {before} to {now}.",
        "Die Zahl der Annäherungen sank von {before} auf {now}.";
    RATE_ROSE = "Incursions per runtime hour rose from {before} to {now}.",
        "Die Annäherungen je Betriebsstunde stiegen von {before} auf {now}.";
    RATE_FELL = "Incursions per runtime hour fell from {before} to {now}.",
        "Die Annäherungen je Betriebsstunde sanken von {before} auf {now}.";
    RUNTIME_OF_BOTH = "Incursions: {n} in {hours} of runtime; previous period: {before} in {hours_before}.",
        "Annäherungen: {n} in {hours} Betriebszeit; vorheriger Zeitraum: {before} in {hours_before}.";
    ACKNOWLEDGED_ROSE = "The acknowledgement rate rose from {before} to {now}.",
        "Die Quittierungsquote stieg von {before} auf {now}.";
    ACKNOWLEDGED_FELL = "The acknowledgement rate fell from {before} to {now}.",
        "Die Quittierungsquote sank von {before} auf {now}.";
    ACKNOWLEDGED_OF_BOTH = "Acknowledged: {n} of {total}; previous period: {before} of {total_before}.",
        "Quittiert: {n} von {total}; vorheriger Zeitraum: {before} von {total_before}.";
    PART_ROSE = "{name}: {n} incursions, more than the {before} of the previous period.",
        "{name}: {n} Annäherungen, mehr als die {before} des vorherigen Zeitraums.";
    PART_FELL = "{name}: {n} incursions, fewer than the {before} of the previous period.",
        "{name}: {n} Annäherungen, weniger als die {before} des vorherigen Zeitraums.";
    OF_ALL_OF_BOTH = "All incursions: {n}; previous period: {before}.",
        "Alle Annäherungen: {n}; vorheriger Zeitraum: {before}.";

    NOTHING_STANDS_OUT = "Nothing stands out among {things}.", "Unter {things} fällt nichts auf.";
    /// Said if no incursion is known to belong to any of them.
    NOTHING_KNOWN = "It is not known where incursions concentrate.",
        "Wo sich Annäherungen häufen, ist nicht bekannt.";
    /// What can stand out.
    AMONG_WORKSITES = "worksites", "Standorten";
    AMONG_MACHINES = "machines", "Maschinen";
    AMONG_PEDESTRIANS = "people on foot", "Personen zu Fuß";
    AMONG_OPERATORS = "operators", "Maschinenführern";
    AMONG_HOURS = "hours of the day", "Stunden des Tages";
    AMONG_PLACES = "places", "Orten";
    AMONG_PAIRS = "pairs of a machine and a person", "Paaren aus Maschine und Person";
    WHEN_SOMETHING_STANDS_OUT = "Something stands out with at least {n} incursions and twice its even share.",
        "Etwas fällt auf mit mindestens {n} Annäherungen und dem Doppelten des gleichmäßigen Anteils.";
    WORST_MACHINE = "{name} was involved in {n} of {total} incursions.",
        "{name} war an {n} von {total} Annäherungen beteiligt.";
    WORST_WORKSITE = "{n} of {total} incursions happened at {name}.",
        "{n} von {total} Annäherungen geschahen am Standort {name}.";
    WORST_PEDESTRIAN = "{name} was on foot in {n} of {total} incursions.",
        "{name} war bei {n} von {total} Annäherungen zu Fuß beteiligt.";
    WORST_OPERATOR = "{name} was driving in {n} of {total} incursions.",
        "{name} führte die Maschine bei {n} von {total} Annäherungen.";
    WORST_HOUR = "{n} of {total} incursions began between {from} and {to}.",
        "{n} von {total} Annäherungen begannen zwischen {from} und {to} Uhr.";
    WORST_PLACE = "{n} of {total} incursions with a position began in one hexagon, the darkest on the map.",
        "{n} von {total} Annäherungen mit Position begannen in einem Sechseck, dem dunkelsten auf der Karte.";
    WORST_PAIR = "{machine} and {person} met in {n} of {total} incursions.",
        "{machine} und {person} begegneten sich bei {n} von {total} Annäherungen.";
    SHARE_AND_EVEN_SHARE = "{share} of them; spread evenly over {groups}, it would be {even}.",
        "{share} davon; gleichmäßig auf {groups} verteilt wären es {even}.";

    ACT_MACHINE = "Check the zone sizes and the working area of {name}.",
        "Prüfen Sie die Zonengrößen und den Arbeitsbereich von {name}.";
    ACT_WORKSITE = "Begin with {name}: go through its traffic routes and walkways.",
        "Beginnen Sie mit {name}: Gehen Sie die Fahr- und Gehwege dort durch.";
    ACT_PEDESTRIAN = "Go through the walkways and tasks near machines with {name}.",
        "Gehen Sie mit {name} die Gehwege und Aufgaben in der Nähe von Maschinen durch.";
    ACT_OPERATOR = "Go through the working area and the view from the cab with {name}.",
        "Gehen Sie mit {name} den Arbeitsbereich und die Sicht aus der Kabine durch.";
    ACT_HOUR = "Keep people on foot and machines apart from {from} to {to}.",
        "Trennen Sie Personen zu Fuß und Maschinen von {from} bis {to} Uhr.";
    ACT_PLACE = "Separate the walkway from the machines at the darkest hexagon of the map.",
        "Trennen Sie am dunkelsten Sechseck der Karte den Gehweg von den Maschinen.";
    ACT_PAIR = "Plan the work of {machine} and {person} apart, or agree on signals between them.",
        "Planen Sie die Arbeit von {machine} und {person} getrennt, oder vereinbaren Sie Zeichen zwischen ihnen.";
    CONCERNS = "It concerns {n} of {total} incursions, {share}.",
        "Das betrifft {n} von {total} Annäherungen, {share}.";
    ACT_ACKNOWLEDGE = "Talk with the operators about acknowledging alarms in the cab.",
        "Sprechen Sie mit den Maschinenführern über das Quittieren in der Kabine.";
    ACT_ACKNOWLEDGE_MACHINE = "Talk with the operators of {name} about acknowledging alarms in the cab.",
        "Sprechen Sie mit den Maschinenführern von {name} über das Quittieren in der Kabine.";
    ACT_ACKNOWLEDGE_PERSON = "Talk with {name} about acknowledging alarms in the cab.",
        "Sprechen Sie mit {name} über das Quittieren in der Kabine.";
    ACKNOWLEDGED_HERE_AND_ELSEWHERE =
        "Acknowledged there: {n} of {total}, {rate}; with the other machines: {others} of {others_total}, {others_rate}.",
        "Dort quittiert: {n} von {total}, {rate}; bei den anderen Maschinen: {others} von {others_total}, {others_rate}.";
    ACKNOWLEDGED_BELOW_GOAL = "Acknowledged: {n} of {total}, {rate}; previous period: {before}; goal: {goal}.",
        "Quittiert: {n} von {total}, {rate}; vorheriger Zeitraum: {before}; Ziel: {goal}.";
    ACT_NOTHING = "Nothing calls for a change. Look again after the next period.",
        "Nichts verlangt eine Änderung. Sehen Sie nach dem nächsten Zeitraum wieder nach.";
    ACT_TOO_FEW = "There are too few incursions to advise anything. Look again after the next period.",
        "Es gibt zu wenige Annäherungen, um etwas zu raten. Sehen Sie nach dem nächsten Zeitraum wieder nach.";
    ACT_NO_DATA = "There are no data to judge by. Check that machines ran and devices were in contact.",
        "Es gibt keine Daten für ein Urteil. Prüfen Sie, ob Maschinen liefen und Geräte Kontakt hatten.";
    ACT_NOT_BEGUN = "There are no data to judge by yet.", "Es gibt noch keine Daten für ein Urteil.";
    INCURSIONS_AND_RATE = "Incursions: {n}; acknowledged: {rate}.", "Annäherungen: {n}; quittiert: {rate}.";
    NO_INCURSIONS = "There were no incursions.", "Es gab keine Annäherungen.";
    NO_INCURSIONS_IN_RUNTIME = "There were no incursions in {hours} of runtime.",
        "In {hours} Betriebszeit gab es keine Annäherungen.";
    NOTHING_RECORDED = "Neither incursions nor runtime were recorded.",
        "Weder Annäherungen noch Betriebszeit wurden aufgezeichnet.";

    /// Said if the figures were computed before the period was over.
    PERIOD_NOT_OVER = "The period is not over: the figures end at {until}.",
        "Der Zeitraum ist noch nicht vorbei: Die Zahlen reichen bis {until}.";
    PERIOD_NOT_OVER_EVERYWHERE = "The period is not over in all time zones: the figures end at {until}.",
        "Der Zeitraum ist noch nicht in allen Zeitzonen vorbei: Die Zahlen reichen bis {until}.";
    PERIOD_NOT_BEGUN = "The period has not begun: there are no figures yet.",
        "Der Zeitraum hat noch nicht begonnen: Es gibt noch keine Zahlen.";
    COMPARED_WITH_SAME_PART = "They are compared with the same part of the previous period.",
        "Verglichen werden sie mit demselben Teil des vorherigen Zeitraums.";
    NO_CHANGE_GIVEN = "No change is given, because the previous period is not equally long everywhere.",
        "Eine Veränderung wird nicht genannt, weil der vorherige Zeitraum nicht überall gleich lang ist.";
    NOT_COMPARABLE = "A change cannot be given before the period is over in all time zones.",
        "Eine Veränderung ist erst zu erkennen, wenn der Zeitraum in allen Zeitzonen vorbei ist.";
}

counted! {
    ACT_SILENT = ("Check the base station {name}, which is silent.",
        "Check the silent base stations, {n} in all, beginning with {name}."),
        ("Prüfen Sie die Basisstation {name}, die stumm ist.",
        "Prüfen Sie die stummen Basisstationen, insgesamt {n}, zuerst {name}.");
    SILENT_FOR = ("{n} station without contact for more than {hours}\u{a0}h.",
        "{n} stations without contact for more than {hours}\u{a0}h."),
        ("{n} Station seit mehr als {hours}\u{a0}h ohne Kontakt.",
        "{n} Stationen seit mehr als {hours}\u{a0}h ohne Kontakt.");
    WITHOUT_POSITION = ("{n} incursion has no position.", "{n} incursions have no position."),
        ("{n} Annäherung hat keine Position.", "{n} Annäherungen haben keine Position.");
    DAYS = ("{n} day", "{n} days"), ("{n} Tag", "{n} Tagen");
    OF_TAGS_IN_USE = ("of {n} tag in use", "of {n} tags in use"),
        ("von {n} getragenem Transponder", "von {n} getragenen Transpondern");
    /// How many of the tags that were worn had uncovered days.
    UNCOVERED_TAGS = ("{n} of {total} worn tags was worn without a valid test on at least one day.",
        "{n} of {total} worn tags were worn without a valid test on at least one day."),
        ("{n} von {total} getragenen Transpondern wurde an mindestens einem Tag ohne gültigen Test getragen.",
        "{n} von {total} getragenen Transpondern wurden an mindestens einem Tag ohne gültigen Test getragen.");
    OF_VISITS = ("of {n} visit", "of {n} visits"), ("von {n} Besuch", "von {n} Besuchen");
    IN_VISITS = ("in {n} visit", "in {n} visits"), ("bei {n} Besuch", "bei {n} Besuchen");
    PART_OF_VISITS = ("{part} of {n} visit.", "{part} of {n} visits."),
        ("{part} von {n} Besuch.", "{part} von {n} Besuchen.");
    VISITS_AFTER = ("There was {n} visit, after {before} in the previous period.",
        "There were {n} visits, after {before} in the previous period."),
        ("Es gab {n} Besuch, nach {before} im vorherigen Zeitraum.",
        "Es gab {n} Besuche, nach {before} im vorherigen Zeitraum.");
}

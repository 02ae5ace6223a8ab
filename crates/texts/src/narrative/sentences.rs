//! What the rules say about each fact, what they recommend, and the roles that stand for names.

use crate::text::{counted, texts};

counted! {
    DAYS = ("{n} day", "{n} days"), ("{n} Tag", "{n} Tagen");
    WORKING_DAYS = ("{n} working day", "{n} working days"), ("{n} Arbeitstag", "{n} Arbeitstagen");
    INCURSIONS = (
            "There was {n} incursion in {days}",
            "There were {n} incursions in {days}"
        ), (
            "Es gab {n} Annäherung in {days}",
            "Es gab {n} Annäherungen in {days}"
        );
    OUTLIER_MACHINE = (
            "{subject} had {n} incursion in {exposure} runtime hours",
            "{subject} had {n} incursions in {exposure} runtime hours"
        ), (
            "{subject} hatte {n} Annäherung in {exposure} Betriebsstunden",
            "{subject} hatte {n} Annäherungen in {exposure} Betriebsstunden"
        );
    OUTLIER_PEDESTRIAN = (
            "{subject} had {n} incursion on {exposure} on foot",
            "{subject} had {n} incursions on {exposure} on foot"
        ), (
            "{subject} hatte {n} Annäherung an {exposure} zu Fuß",
            "{subject} hatte {n} Annäherungen an {exposure} zu Fuß"
        );
    OUTLIER_OPERATOR = (
            "{subject} had {n} incursion in {exposure} hours of driving",
            "{subject} had {n} incursions in {exposure} hours of driving"
        ), (
            "{subject} hatte {n} Annäherung in {exposure} Stunden am Steuer",
            "{subject} hatte {n} Annäherungen in {exposure} Stunden am Steuer"
        );
    REPEATED_PAIR = (
            "{machine} and {pedestrian} came close {n} time on {days}",
            "{machine} and {pedestrian} came close {n} times on {days}"
        ), (
            "{machine} und {pedestrian} kamen sich {n}-mal an {days} nahe",
            "{machine} und {pedestrian} kamen sich {n}-mal an {days} nahe"
        );
    TEST_COMPLIANCE = (
            "{n} of {all} tags with incursions was in test at the end of the period ({share})",
            "{n} of {all} tags with incursions were in test at the end of the period ({share})"
        ), (
            "{n} von {all} Transpondern mit Annäherungen war am Ende des Zeitraums gültig getestet \
            ({share})",
            "{n} von {all} Transpondern mit Annäherungen waren am Ende des Zeitraums gültig getestet \
            ({share})"
        );
    SILENT_STATIONS = (
            "{n} of {all} base stations of the site is silent",
            "{n} of {all} base stations of the site are silent"
        ), (
            "{n} von {all} Basisstationen des Standorts ist stumm",
            "{n} von {all} Basisstationen des Standorts sind stumm"
        );
    TOO_FEW = (
            "{n} incursion is too few for firm statements.",
            "{n} incursions are too few for firm statements."
        ), (
            "{n} Annäherung ist zu wenig für sichere Aussagen.",
            "{n} Annäherungen sind zu wenige für sichere Aussagen."
        );
}

texts! {
    NO_INCURSIONS = "There were no incursions in {days}", "Es gab keine Annäherungen in {days}";
    INCURSION_RATE = "There were {value} incursions per runtime hour ({count} in {hours} hours)",
        "Es gab {value} Annäherungen pro Betriebsstunde ({count} in {hours} Stunden)";
    ACKNOWLEDGEMENT_RATE = "{value} of the incursions were acknowledged ({count} of {all})",
        "{value} der Annäherungen wurden quittiert ({count} von {all})";
    AVERAGE_DURATION = "An incursion lasted {value} on average",
        "Eine Annäherung dauerte durchschnittlich {value}";
    ZONE_TIME = "People on foot spent {value} in zones of machines",
        "Personen zu Fuß waren {value} in Zonen von Maschinen";
    DANGER_SHARE = "{value} of the incursions reached the danger zone ({count} of {all})",
        "{value} der Annäherungen erreichten die Gefahrenzone ({count} von {all})";
    RUNTIME_HOURS = "The machines ran for {value} hours", "Die Maschinen liefen {value} Stunden";
    NO_RUNTIME = "There is no runtime of the machines", "Es gibt keine Betriebszeit der Maschinen";
    DRIFT = "There are {value} incursions per runtime hour now ({count} in {hours} hours)",
        "Es gibt jetzt {value} Annäherungen pro Betriebsstunde ({count} in {hours} Stunden)";
    BUSIEST_HOURS = "{value} of the incursions began between {from} and {to} ({count} of {all})",
        "{value} der Annäherungen begannen zwischen {from} und {to} Uhr ({count} von {all})";
    BUSIEST_PLACE =
        "{value} of the incursions with a position began in the same place on the map ({count} of {all})",
        "{value} der Annäherungen mit Position begannen an derselben Stelle der Karte ({count} von {all})";
    TOP_MACHINE = "{subject} had {value} of the incursions ({count} of {all})",
        "{subject} hatte {value} der Annäherungen ({count} von {all})";
    INCURSIONS_WITHOUT_TEST =
        "{value} of the incursions happened with a tag that was not in test ({count} of {all})",
        "{value} der Annäherungen geschahen mit einem Transponder, der nicht gültig getestet war ({count} \
        von {all})";
    DAYS_WITHOUT_DATA = "On {count} of {days} there is no data", "An {count} von {days} gibt es keine Daten";
    UNKNOWN_PEDESTRIANS = "For {value} of the incursions the person on foot is unknown ({count} of {all})",
        "Bei {value} der Annäherungen ist die Person zu Fuß unbekannt ({count} von {all})";
    DANGER_ZONE_CHANGED = "The danger zone of {subject} was set to {value} in the period",
        "Die Gefahrenzone von {subject} wurde im Zeitraum auf {value} eingestellt";
    WARNING_ZONE_CHANGED = "The warning zone of {subject} was set to {value} in the period",
        "Die Warnzone von {subject} wurde im Zeitraum auf {value} eingestellt";

    MORE_THAN_BEFORE = "more than in the previous period ({before})",
        "mehr als im vorherigen Zeitraum ({before})";
    LESS_THAN_BEFORE = "less than in the previous period ({before})",
        "weniger als im vorherigen Zeitraum ({before})";
    FEWER_THAN_BEFORE = "fewer than in the previous period ({before})",
        "weniger als im vorherigen Zeitraum ({before})";
    MORE_THAN_BEFORE_BY = "{change} more than in the previous period ({before})",
        "{change} mehr als im vorherigen Zeitraum ({before})";
    LESS_THAN_BEFORE_BY = "{change} less than in the previous period ({before})",
        "{change} weniger als im vorherigen Zeitraum ({before})";
    FEWER_THAN_BEFORE_BY = "{change} fewer than in the previous period ({before})",
        "{change} weniger als im vorherigen Zeitraum ({before})";
    LONGER_THAN_BEFORE_BY = "{change} longer than in the previous period ({before})",
        "{change} länger als im vorherigen Zeitraum ({before})";
    SHORTER_THAN_BEFORE_BY = "{change} shorter than in the previous period ({before})",
        "{change} kürzer als im vorherigen Zeitraum ({before})";
    SAME_AS_BEFORE = "about the same as in the previous period ({before})",
        "etwa so viel wie im vorherigen Zeitraum ({before})";
    SAME_LENGTH_AS_BEFORE = "about the same as in the previous period ({before})",
        "etwa gleich lang wie im vorherigen Zeitraum ({before})";
    MORE_THAN_AFTER_INSTALLATION_BY = "{change} more than in the weeks after installation ({before})",
        "{change} mehr als in den Wochen nach dem Einbau ({before})";
    LESS_THAN_AFTER_INSTALLATION_BY = "{change} fewer than in the weeks after installation ({before})",
        "{change} weniger als in den Wochen nach dem Einbau ({before})";
    SAME_AS_AFTER_INSTALLATION = "about the same as in the weeks after installation ({before})",
        "etwa so viel wie in den Wochen nach dem Einbau ({before})";
    MORE_THAN_PEERS = "more than the {expected} expected from {peers} ({low} to {high} would be usual)",
        "mehr als die {expected}, die nach {peers} zu erwarten wären (üblich wären {low} bis {high})";
    FEWER_THAN_PEERS = "fewer than the {expected} expected from {peers} ({low} to {high} would be usual)",
        "weniger als die {expected}, die nach {peers} zu erwarten wären (üblich wären {low} bis {high})";
    PEERS_OF_MACHINE = "comparable machines", "vergleichbaren Maschinen";
    PEERS_OF_PEDESTRIAN = "comparable people", "vergleichbaren Personen";
    PEERS_OF_OPERATOR = "comparable operators", "vergleichbaren Maschinenführern";
    MORE_THAN_RUNTIME_OF_HOURS = "more than the {expected} of the runtime in these hours",
        "mehr als die {expected} der Betriebszeit in diesen Stunden";
    SAME_AS_RUNTIME_OF_HOURS = "about the same as the {expected} of the runtime in these hours",
        "etwa so viel wie die {expected} der Betriebszeit in diesen Stunden";
    LESS_THAN_RUNTIME_OF_HOURS = "less than the {expected} of the runtime in these hours",
        "weniger als die {expected} der Betriebszeit in diesen Stunden";
    MORE_THAN_RUNTIME_OF_MACHINE = "more than its {expected} of the runtime",
        "mehr als ihre {expected} der Betriebszeit";
    SAME_AS_RUNTIME_OF_MACHINE = "about the same as its {expected} of the runtime",
        "etwa so viel wie ihre {expected} der Betriebszeit";
    LESS_THAN_RUNTIME_OF_MACHINE = "less than its {expected} of the runtime",
        "weniger als ihre {expected} der Betriebszeit";
    LARGER_THAN_EARLIER = "larger than before ({before})", "größer als vorher ({before})";
    SMALLER_THAN_EARLIER = "smaller than before ({before})", "kleiner als vorher ({before})";

    CLEAR = ", which is a clear difference", ", ein deutlicher Unterschied";
    PROBABLE = ", which is probably a real difference", ", wahrscheinlich ein echter Unterschied";
    CHANCE = ", which may be chance", ", was Zufall sein kann";
    ON_FEW = ", which rests on few incursions", ", was auf wenigen Annäherungen beruht";

    DO_REVIEW = "Discuss the incursions of the period with the site team and agree on measures.",
        "Besprechen Sie die Annäherungen des Zeitraums mit dem Team des Standorts und vereinbaren Sie \
        Maßnahmen.";
    DO_KEEP = "Keep the current measures.", "Behalten Sie die jetzigen Maßnahmen bei.";
    DO_WAIT = "Look at the incursions again when the next period is over.",
        "Prüfen Sie die Annäherungen am Ende des nächsten Zeitraums wieder.";
    DO_ACKNOWLEDGE = "Speak with the operators and ask them to acknowledge every incursion in the cab.",
        "Sprechen Sie mit den Maschinenführern und bitten Sie sie, jede Annäherung in der Kabine zu \
        quittieren.";
    DO_DANGER = "Check the working areas in which people on foot reach the danger zone.",
        "Prüfen Sie die Arbeitsbereiche, in denen Personen zu Fuß die Gefahrenzone erreichen.";
    DO_MACHINE = "Check the working area and the zone sizes of {subject}.",
        "Prüfen Sie den Arbeitsbereich und die Zonen von {subject}.";
    DO_PEDESTRIAN = "Speak with {subject} about the work near machines and plan it with distance.",
        "Sprechen Sie mit {subject} über die Arbeit in der Nähe von Maschinen und planen Sie sie mit \
        Abstand.";
    DO_OPERATOR =
        "Speak with {subject} about people on foot near the machine and plan the work with distance.",
        "Sprechen Sie mit {subject} über Personen zu Fuß in der Nähe der Maschine und planen Sie die \
        Arbeit mit Abstand.";
    DO_LEARN = "Ask {subject} what works well and share it with the team.",
        "Fragen Sie {subject}, was gut funktioniert, und geben Sie es an das Team weiter.";
    DO_DRIFT = "Repeat the briefing that was held after installation, for operators and people on foot.",
        "Wiederholen Sie die Einweisung, die nach dem Einbau stattfand, für Maschinenführer und Personen \
        zu Fuß.";
    DO_HOURS =
        "Keep people on foot away from the machines between {from} and {to}, or plan the work in these \
        hours apart.",
        "Halten Sie Personen zu Fuß zwischen {from} und {to} Uhr von den Maschinen fern, oder planen Sie \
        die Arbeit in diesen Stunden getrennt.";
    DO_PLACE = "Separate walkway and machines at the busiest place on the map.",
        "Trennen Sie Gehweg und Maschinen an der am stärksten betroffenen Stelle der Karte.";
    DO_PAIR = "Plan separate working areas for {machine} and {pedestrian}.",
        "Planen Sie getrennte Arbeitsbereiche für {machine} und {pedestrian}.";
    DO_TOP_MACHINE = "Begin with {subject} when you plan measures.",
        "Beginnen Sie mit {subject}, wenn Sie Maßnahmen planen.";
    DO_TEST = "Test all tags before the shift.", "Testen Sie alle Transponder vor der Schicht.";
    DO_STATIONS = "Check power and contact of the silent base stations.",
        "Prüfen Sie Strom und Verbindung der stummen Basisstationen.";

    STATIONS_MISS = "What happens near the machines of silent base stations may be missing.",
        "Was in der Nähe der Maschinen mit stummen Basisstationen geschieht, kann fehlen.";
    DAYS_MISS = "{statement}, and incursions of these days may be missing.",
        "{statement}, und Annäherungen dieser Tage können fehlen.";
    RATES_MISS = "{statement}, and rates per runtime hour are missing.",
        "{statement}, und Werte pro Betriebsstunde fehlen.";
    UNKNOWN_MISS = "{statement}, and they are missing in the comparison of people.",
        "{statement}, und sie fehlen beim Vergleich der Personen.";
    ZONES_MISS = "{statement}, and numbers before and after the change should be compared with care.",
        "{statement}, und Zahlen vor und nach der Änderung sollten mit Vorsicht verglichen werden.";

    ROLE_MACHINE = "machine {letter}", "Maschine {letter}";
    ROLE_PEDESTRIAN = "person {letter}", "Person {letter}";
    ROLE_OPERATOR = "operator {letter}", "Maschinenführer {letter}";
    ROLE_BASE_STATION = "base station {letter}", "Basisstation {letter}";
    ROLE_TAG = "tag {letter}", "Transponder {letter}";
    ROLE_WORKSITE = "the site", "der Standort";
}

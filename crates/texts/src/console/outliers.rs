//! The texts of /outliers. The sentences are built of parts, because languages order them differently.

use crate::text::{counted, texts};

texts! {
    TITLE = "Outliers", "Auffälligkeiten";
    INTRO = "Machines, sites and people with more or fewer incursions than their peers, where chance is an unlikely \
        explanation.",
        "Maschinen, Standorte und Personen mit mehr oder weniger Annäherungen als vergleichbare, bei denen Zufall eine \
        unwahrscheinliche Erklärung ist.";
    COMPARE_WHAT = "Compare", "Vergleichen";
    SHOW_WHAT = "List", "Auflisten";
    ONLY_OUTLIERS = "only outliers", "nur Auffällige";
    EVERYONE = "everyone who was compared", "alle Verglichenen";
    SHOW = "Show", "Anzeigen";

    WHO = "Who stands out", "Wer auffällt";
    WHAT = "Kind", "Art";
    OBSERVED = "Incursions", "Annäherungen";
    EXPECTED = "Expected", "Erwartet";
    USUAL = "Usual", "Üblich";
    RANGE = "{low} to {high}", "{low} bis {high}";
    EXPOSURE = "Compared by", "Verglichen nach";
    PROBABILITY = "Adjusted p", "Angepasster p-Wert";
    PROBABILITY_BELOW = "below {p}", "unter {p}";
    RESULT = "Result", "Ergebnis";
    MORE = "more than usual", "mehr als üblich";
    FEWER = "fewer than usual", "weniger als üblich";
    INSIDE = "as its peers", "wie vergleichbare";
    NOT_JUDGED = "not judged", "nicht beurteilt";

    NONE = "Nobody stands out", "Nichts fällt auf";
    NONE_REASON = "What happened in this period can be explained by chance, or there was too little to compare.",
        "Was im Zeitraum geschah, lässt sich durch Zufall erklären, oder es gab zu wenig zu vergleichen.";
    HISTORY_LOADING = "The history is being loaded", "Der Verlauf wird geladen";
    HISTORY_LOADING_REASON = "Whoever stands out in this period is known once all of it is there.",
        "Wer in diesem Zeitraum auffällt, steht fest, sobald alles davon da ist.";
    RELOAD = "Reload", "Neu laden";
    LONGER_PERIOD = "Compare the last 365 days", "Die letzten 365 Tage vergleichen";
    METHOD = "How this is judged", "Wie beurteilt wird";
    METHOD_TEXT = "Incursions are counted per hour of runtime, and for people on foot per day on which they were seen. Each is \
        compared with the others of its kind by a negative binomial distribution. The probability is adjusted for the \
        number of comparisons; at {threshold} or below, it is an outlier. It takes at least {hours} hours of runtime \
        or {days} days, and {peers} peers.",
        "Annäherungen werden je Betriebsstunde gezählt, bei Personen zu Fuß je Tag, an dem sie gesehen wurden. Verglichen wird \
        mit den anderen derselben Art nach einer negativen Binomialverteilung. Die Wahrscheinlichkeit ist an die Zahl \
        der Vergleiche angepasst; bei {threshold} oder weniger gilt es als auffällig. Nötig sind mindestens {hours} \
        Betriebsstunden oder {days} Tage und {peers} Vergleichbare.";
    NOT_A_VERDICT = "An outlier is a reason to look, not a verdict.",
        "Eine Auffälligkeit ist ein Grund hinzusehen, kein Urteil.";

    /// What was seen of a machine, a site, a person on foot and an operator.
    SEEN_MACHINE = "{who} came close to people {times} in {exposure}.", "{who} kam Personen {times} zu nahe ({exposure}).";
    SEEN_WORKSITE = "At {who} people and machines came too close {times} in {exposure}.",
        "Am Standort {who} kamen sich Personen und Maschinen {times} zu nahe ({exposure}).";
    SEEN_PEDESTRIAN = "{who} came close to machines {times} in {exposure}.",
        "{who} kam Maschinen {times} zu nahe ({exposure}).";
    SEEN_OPERATOR = "{who} came close to people {times} in {exposure}.",
        "{who} kam am Steuer Personen {times} zu nahe ({exposure}).";
    NOT_ONCE = "not once", "kein einziges Mal";
    ONCE = "once", "einmal";
    TIMES = "{n} times", "{n}-mal";

    /// The peers, in German as they follow `mit`.
    PEERS_MACHINE = "other machines of the kind {kind}", "anderen Maschinen der Art {kind}";
    PEERS_WORKSITE = "other worksites of the kind {kind}", "anderen Standorten der Art {kind}";
    PEERS_PEDESTRIAN = "others of the kind {kind}", "anderen der Art {kind}";
    PEERS_PEDESTRIAN_AT = "others of the kind {kind} at {site}", "anderen der Art {kind} am Standort {site}";
    PEERS_OPERATOR = "others driving machines of the kind {kind}", "anderen, die Maschinen der Art {kind} führen";

    COMPARED = "Compared with {number} {peers}, about {expected} would be expected and {low} to {high} would be \
        usual{difference}.",
        "Im Vergleich mit {number} {peers} wären etwa {expected} zu erwarten und {low} bis {high} üblich{difference}.";
    TIMES_AS_MANY = ", so this is {times} times as many", "; es sind also {times}-mal so viele";
    TIMES_FEWER = ", so this is {times} times fewer", "; es sind also {times}-mal weniger";
    ABOUT_AS_MANY = ", so this is about as many", "; es sind also etwa so viele";
    UNLIKELY = "Chance alone is an unlikely explanation (adjusted p {p}).",
        "Zufall allein ist eine unwahrscheinliche Erklärung (angepasster p-Wert {p}).";
    MAY_BE_CHANCE = "Chance alone may explain it (adjusted p {p}).",
        "Zufall allein kann es erklären (angepasster p-Wert {p}).";

    TOO_LITTLE = "{who} was not judged: there are {exposure}, and at least {least} are needed.",
        "{who} wurde nicht beurteilt: Es liegen {exposure} vor, nötig sind mindestens {least}.";
    NO_RUNTIME = "{who} was not judged: no runtime is known.",
        "{who} wurde nicht beurteilt: Es ist keine Betriebszeit bekannt.";
    NO_DAYS = "{who} was not judged: no days of presence are known.",
        "{who} wurde nicht beurteilt: Es sind keine Tage der Anwesenheit bekannt.";
    TOO_FEW_PEERS = "{who} was not judged: there are {number} {peers} with enough exposure, and at least {least} are needed.",
        "{who} wurde nicht beurteilt: Der Vergleich mit {peers} braucht mindestens {least} mit genug Einsatz, und es gibt \
        {number}.";

    HOURS_OF_RUNTIME = "{number} hours of runtime", "{number} Betriebsstunden";
    HOURS_OF_DRIVING = "{number} hours of driving", "{number} Fahrstunden";
    ONE_DAY = "1 day", "1 Tag";
    DAYS = "{number} days", "{number} Tage";
}

counted! {
    JUDGED = ("{n} was compared", "{n} were compared"), ("{n} wurde verglichen", "{n} wurden verglichen");
    LEFT_OUT = (
        "{n} had too little exposure or too few peers",
        "{n} had too little exposure or too few peers"
    ), (
        "{n} hatte zu wenig Einsatz oder zu wenige Vergleichbare",
        "{n} hatten zu wenig Einsatz oder zu wenige Vergleichbare"
    );
    NOT_LISTED = ("{n} more is not listed", "{n} more are not listed"),
        ("{n} weitere ist nicht aufgeführt", "{n} weitere sind nicht aufgeführt");
}

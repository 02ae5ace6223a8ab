//! The same in German.

use super::Lies;

pub(super) const ALL: [Lies; 4] = [TURNED, COMPARED, INVENTED, ADVICE];

const TURNED: Lies = &[
    ("Bei 62 % der Annäherungen fehlte die Quittierung (192 von 310).", &["f3"]),
    ("62 % der Annäherungen fehlte die Quittierung (192 von 310).", &["f3"]),
    ("62 % der Annäherungen sind noch zu quittieren.", &["f3"]),
    ("62 % der Annäherungen wurden nicht quittiert (192 von 310).", &["f3"]),
    ("Bei 75 % der Transponder fehlte ein Test.", &["f20"]),
    ("9 von 12 Transpondern mit Annäherungen fehlte am Ende des Zeitraums ein Test.", &["f20"]),
    ("9 von 12 Transpondern mit Annäherungen waren am Ende des Zeitraums nicht gültig getestet.", &["f20"]),
    ("10 % der Annäherungen geschahen mit einem gültig getesteten Transponder.", &["f21"]),
    ("Die Zahl der Annäherungen blieb bei 310.", &["f1"]),
    ("Die Zahl der Annäherungen sank von 277 auf 310.", &["f1"]),
    ("13 % der Annäherungen blieben fern der Gefahrenzone (41 von 310).", &["f15"]),
    ("Maschine A und Person A blieben 12 Mal an 6 Tagen auseinander.", &["f8"]),
    ("An 3 von 20 Arbeitstagen fehlten keine Daten.", &["f10"]),
    ("An 3 von 20 Arbeitstagen fehlen keine Daten.", &["f10"]),
    ("2 von 6 Basisstationen sind nicht stumm.", &["f9"]),
    ("Es gab keine Annäherungen in 28 Tagen.", &["f1"]),
];

const COMPARED: Lies = &[
    ("Es gab 310 Annäherungen, 12 % mehr als nach dem Einbau (277).", &["f1"]),
    ("Es gab 310 Annäherungen, 12 % mehr als an vergleichbaren Standorten (277).", &["f1"]),
    ("Es gab 310 Annäherungen, 12 % mehr als üblich (277).", &["f1"]),
    ("Es gab 310 Annäherungen, 12 % weniger als im vorherigen Zeitraum (277).", &["f1"]),
    (
        "Es gibt jetzt 0,42 Annäherungen pro Betriebsstunde, 100 % mehr als im vorherigen Zeitraum (0,21).",
        &["f4"],
    ),
    ("Person A hatte 21 Annäherungen an 9 Tagen zu Fuß, mehr als im vorherigen Zeitraum (6,2).", &["f6"]),
    ("Person A hatte 21 Annäherungen in 9 Stunden am Steuer.", &["f6"]),
    ("38 % der Betriebszeit lag zwischen 7 und 10 Uhr.", &["f17"]),
    ("13 % der Maschinen erreichten die Gefahrenzone (41 von 310).", &["f15"]),
    ("13 % der Annäherungen erreichten die Warnzone (41 von 310).", &["f15"]),
    (
        "Die Warnzone von Maschine B wurde im Zeitraum auf 6,0 m eingestellt, größer als vorher (4,0 m).",
        &["f12"],
    ),
    ("Die Quittierungsquote sank um 9 %.", &["f3"]),
    (
        "75 % der Transponder mit Annäherungen waren am Ende des Zeitraums gültig getestet (9 von 12 Annäherungen).",
        &["f20"],
    ),
    ("Eine Annäherung dauerte durchschnittlich 14 Minuten.", &["f13"]),
    ("Die Maschinen liefen 1.738 Tage.", &["f16"]),
    ("Es gab 310 Annäherungen pro Betriebsstunde.", &["f1"]),
    (
        "Es gab 310 Annäherungen, 12 % mehr als im vorherigen Zeitraum (277), ein deutlicher Unterschied.",
        &["f1"],
    ),
    ("9 von 12 Transpondern waren getestet, und das ist verlässlich.", &["f20"]),
];

const INVENTED: Lies = &[
    ("Mit der Einweisung kamen 12 % mehr Annäherungen.", &["f1"]),
    ("Die Maschinenführer machten 310 Annäherungen in 28 Tagen.", &["f1"]),
    ("Die Fahrer machten 310 Annäherungen in 28 Tagen.", &["f1"]),
    ("Es wird in 28 Tagen 310 Annäherungen geben.", &["f1"]),
    ("Es gab 310 Annäherungen, weil die Schulung fehlte.", &["f1"]),
    ("Es gab nur 310 Annäherungen in 28 Tagen.", &["f1"]),
    ("Es gab 310 Annäherungen am Nordhafen.", &["f1"]),
    ("Person A kam Maschine A oft zu Fuß nahe.", &["f8"]),
    ("Person A saß 12 Mal an 6 Tagen am Steuer von Maschine A.", &["f8"]),
    ("Person A stand 12 Mal an 6 Tagen nahe am Steuer von Maschine A.", &["f8"]),
    ("Maschine A und Person A kamen sich 12-mal an 6 Tagen in der Gefahrenzone nahe.", &["f8"]),
    ("Maschine A und Person A kamen sich 12-mal an 6 Tagen nahe; das war in der Gefahrenzone.", &["f8"]),
    ("Vom 2. Februar bis zum 8. März gab es 310 Annäherungen.", &["f1"]),
    ("Es gab 310 Annäherungen. Der Standort ist sicher.", &["f1"]),
];

const ADVICE: Lies = &[
    ("Fahrer erreichen oft die Gefahrenzone.", &["f15"]),
    ("Gehen Sie in die Gefahrenzone.", &["f15"]),
    ("Halten Sie Personen in der Gefahrenzone.", &["f15"]),
    ("Halten Sie Personen zu Fuß in der Gefahrenzone.", &["f15"]),
    ("Erreichen Sie die Gefahrenzone zu Fuß während der Betriebszeit.", &["f15"]),
    ("Sprechen Sie mit Person A und bitten Sie um Nähe zu Maschine A.", &["f8"]),
    ("Testen Sie die Transponder nicht.", &["f20"]),
    ("Stellen Sie die Gefahrenzone von Maschine B auf 4,0 m zurück.", &["f12"]),
    ("Behalten Sie die jetzigen Maßnahmen bei.", &["f1"]),
    ("Melden Sie Person A.", &["f8"]),
    ("310 Annäherungen sind zu wenige für sichere Aussagen.", &["f1"]),
    ("Die Daten sind vollständig.", &["f10"]),
];

//! The words that decide what a sentence claims, for each language: lists that are separated by spaces. An entry that ends with `*`
//! stands for all words that begin so.

use texts::Language;

pub(super) struct Lexicon {
    pub months: &'static str,
    /// From Monday on.
    pub weekdays: &'static str,
    /// Words of causes, which facts cannot show.
    pub causes: &'static str,
    /// Words that address a model or a program.
    pub instructions: &'static str,
    pub up: &'static str,
    pub down: &'static str,
    pub level: &'static str,
    /// After `same` and its like, these name a thing and not a level.
    pub same_things: &'static str,
    pub negations: &'static str,
    /// Words that claim that a difference is certain, or that it is likely.
    pub clear: &'static str,
    pub probable: &'static str,
    /// Words that only recommendations may use: "all tags" is a wish there and a claim elsewhere.
    pub advising: &'static str,
    /// Vague words, each with those of which one stands before it: "too few" and "as many" say something, "few" and "many" do not.
    pub vague: &'static [(&'static str, &'static str)],
    /// Words after which, or before which, a number is what something is compared with.
    pub comparing: &'static str,
    /// Those of them that belong to the number after them only.
    pub comparing_next: &'static str,
    /// Words of ranges.
    pub ranges: &'static str,
    pub between: &'static str,
    pub confidence: &'static str,
    pub of: &'static str,
    /// Between a percentage and its whole.
    pub part_of: &'static str,
    pub by: &'static str,
    pub to: &'static str,
    pub from: &'static str,
    /// Connect the two ends of a range.
    pub until: &'static str,
    pub and: &'static str,
    /// Begin another statement.
    pub turning: &'static str,
    /// Before denominators that are times.
    pub within: &'static str,
    /// Stand between a preposition and its number.
    pub fillers: &'static str,
    pub per: &'static str,
    pub units: Units,
}

/// Nouns that say what a number counts.
pub(super) struct Units {
    pub percent: &'static str,
    pub hours: &'static str,
    pub days: &'static str,
    pub metres: &'static str,
    pub incursions: &'static str,
    pub stations: &'static str,
    pub tags: &'static str,
    /// Things that no fact counts.
    pub others: &'static str,
    pub times: &'static str,
    /// After `times`, they make it a ratio.
    pub as_many: &'static str,
}

impl Lexicon {
    pub fn of(language: Language) -> &'static Self {
        match language {
            Language::English => &ENGLISH,
            Language::German => &GERMAN,
        }
    }
}

/// Returns the place of a word in a list without stars.
pub(super) fn position_in(entries: &str, word: &str) -> Option<usize> {
    entries.split(' ').position(|entry| entry == word)
}

/// Returns whether a word is one of a list.
pub(super) fn is_in(entries: &str, word: &str) -> bool {
    entries.split(' ').any(|entry| match entry.strip_suffix('*') {
        Some(stem) => word.starts_with(stem),
        None => entry == word && !word.is_empty(),
    })
}

static ENGLISH: Lexicon = Lexicon {
    months: "january february march april may june july august september october november december",
    weekdays: "monday tuesday wednesday thursday friday saturday sunday",
    causes: "because caus* due owing reason* why therefore thus hence consequen* result* leads led lead leading \
        since blam* fault* guilt* explain* explanation* attribut* thanks responsib* negligen* careless* \
        triggered driven stems so",
    instructions: "ignor* disregard* instruct* prompt* system* assistant* model models user users http* www json \
        password* token* click* override* pretend* sentence* fact facts markdown html script*",
    up: "more higher rose risen rise rises rising increas* grew grown growth growing grow grows up above \
        longer larger greater exceed* climb* upward*",
    down: "fewer less lower fell fallen fall falls falling decreas* declin* dropped drop drops dropping down \
        below shorter smaller reduced reduction* shrank shrunk downward*",
    level: "same unchanged stable steady similar constant equal level",
    same_things: "place places spot hexagon hours hour person people machine machines site day days time zone zones \
        tag tags station stations location operator operators",
    negations: "no not none never without nobody nothing neither nor cannot isn't wasn't weren't aren't didn't \
        don't doesn't hardly barely outside overdue expired untested",
    clear: "clear clearly significant* definite* certain* marked* strong* substantial*",
    probable: "probable probably likely",
    advising: "all every each well team teams shift shifts",
    vague: &[("few", "too on"), ("many", "as")],
    comparing: "than compared against versus previous previously before earlier expected usual usually instead \
        install* comparable peers as",
    comparing_next: "than compared against versus instead from",
    ranges: "range* interval* usual usually",
    between: "between",
    confidence: "interval* confidence",
    of: "of",
    part_of: "of",
    by: "by",
    to: "to",
    from: "from",
    until: "to",
    and: "and",
    turning: "while whereas but and although though",
    within: "in on over during within at across for after",
    fillers: "the a an about around approximately roughly total its their",
    per: "per a an",
    units: Units {
        percent: "percent percentage",
        hours: "h hour hours",
        days: "day days",
        metres: "m metre metres meter meters",
        incursions: "incursion incursions times time approaches",
        stations: "station stations",
        tags: "tag tags",
        others: "machine machines person people pedestrian pedestrians operator operators site sites week weeks \
            month months year years minute minutes second seconds zone zones place places team teams shift \
            shifts km cm",
        times: "times fold",
        as_many: "as the its their more higher",
    },
};

static GERMAN: Lexicon = Lexicon {
    months: "januar februar märz april mai juni juli august september oktober november dezember",
    weekdays: "montag dienstag mittwoch donnerstag freitag samstag sonntag",
    causes: "weil da denn wegen aufgrund grund gründe* deshalb daher darum deswegen somit folglich verursach* \
        ursache* ursächlich* führt führte führten führen dank infolge folge folgen schuld* erklär* \
        zurückzuführen ausgelöst* bedingt* verantwort* nachlässig* leichtsinn* bewirk* durch",
    instructions: "ignorier* anweisung* instruktion* prompt* system* assistent* modell* nutzer* benutzer* http* www \
        json passwort* token* klick* überschreib* vergiss satz sätze fakt* tatsache* schreibe antworte \
        html skript*",
    up: "mehr höher* stieg* gestiegen* steigt steigen* anstieg* zunahme* zugenommen* gewachsen* wuchs* \
        länger* größer* oberhalb erhöht* übertr* häufiger vermehrt*",
    down: "weniger niedriger* geringer* fiel fielen gefallen sank sanken gesunken* sinkt sinken* rückgang* \
        abnahme* abgenommen* kürzer* kleiner* unterhalb verringert* zurückgegangen* zurückging* seltener",
    level: "gleich* unverändert* ähnlich* stabil* konstant* ebenso viel viele",
    same_things: "stelle stellen ort orten sechseck stunden stunde person personen maschine maschinen standort tag \
        tagen zeit zone zonen transponder zeitraum",
    negations: "kein keine keinen keiner keinem keines nicht nichts nie niemand ohne weder kaum außerhalb \
        überfällig* abgelaufen* ungetestet*",
    clear: "deutlich* klar* eindeutig* signifikant* erheblich* stark*",
    probable: "wahrscheinlich* vermutlich*",
    advising: "alle allen aller jede jeder jedes jeden jedem sämtliche* gut team teams schicht",
    vague: &[("wenig", "zu"), ("wenige", "zu"), ("wenigen", "auf"), ("viel", "so"), ("viele", "so")],
    comparing: "als verglichen gegenüber vorherig* vorher zuvor früher* erwart* üblich* statt einbau* install* \
        vergleichbar* wie",
    comparing_next: "als verglichen gegenüber statt wie",
    ranges: "bereich* intervall* üblich* spanne*",
    between: "zwischen",
    confidence: "intervall* konfidenz* vertrauens*",
    of: "von",
    part_of: "der aller von",
    by: "um",
    to: "auf",
    from: "von",
    until: "bis",
    and: "und",
    turning: "während aber und jedoch obwohl sondern",
    within: "in an bei während innerhalb nach im am",
    fillers: "die den der dem das etwa ungefähr rund insgesamt ihre ihrer seine seiner ihren",
    per: "pro je",
    units: Units {
        percent: "prozent",
        hours: "h stunde stunden betriebsstunde betriebsstunden",
        days: "tag tage tagen arbeitstag arbeitstage arbeitstagen",
        metres: "m meter metern",
        incursions: "annäherung annäherungen mal",
        stations: "basisstation basisstationen station stationen",
        tags: "transponder transpondern",
        others: "maschine maschinen person personen maschinenführer maschinenführern fahrer standort standorte \
            woche wochen monat monate monaten jahr jahre jahren minute minuten sekunde sekunden zone zonen \
            stelle stellen schicht schichten km cm menschen",
        times: "mal",
        as_many: "so mehr",
    },
};

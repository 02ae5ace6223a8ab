//! What subjects are called towards a language model: roles such as "operator A", or names if the brand allows them.

use std::collections::BTreeMap;

use texts::{Language, Text, narrative as t};

use crate::{FactSheet, Subject, SubjectKind};

/// What subjects are called in a prompt and in its answer.
#[derive(Clone, Debug)]
pub struct Roles(Vec<Role>);

#[derive(Clone, Debug)]
struct Role {
    subject: Subject,
    /// What it is called in the prompt.
    name: String,
    /// Other forms that an answer may use, such as a genitive.
    variants: Vec<String>,
    is_named: bool,
}

impl Roles {
    /// Calls each subject by its kind and a letter.
    pub fn anonymous(sheet: &FactSheet, language: Language) -> Self {
        let mut counts: BTreeMap<SubjectKind, usize> = BTreeMap::new();
        let role = |subject: Subject| {
            let count = counts.entry(subject.kind).or_default();
            let letter = letters(*count);
            *count += 1;
            let of = |text: &Text| text.fill(language, &[("letter", &letter)]);
            let variants = variants(subject.kind, language).iter().map(|word| format!("{word} {letter}"));
            Role {
                subject,
                name: of(&role_text(subject.kind)),
                variants: variants.collect(),
                is_named: false,
            }
        };
        Self(sheet.subjects().into_iter().map(role).collect())
    }

    /// Calls subjects by names that can be sent. One without a name, or with a name that is another one's or inside of one, keeps its
    /// role.
    pub(crate) fn with_clean_names(
        sheet: &FactSheet,
        language: Language,
        names: &BTreeMap<Subject, String>,
    ) -> Self {
        let mut roles = Self::anonymous(sheet, language);
        let folded = |name: &String| name.to_lowercase();
        for role in &mut roles.0 {
            let Some(name) = names.get(&role.subject) else { continue };
            let same = names.iter().filter(|(subject, other)| {
                // The same person as an operator and on foot is two subjects that are distinguished by their roles.
                **subject != role.subject && folded(other) == folded(name)
            });
            if same.count() == 0 {
                role.name.clone_from(name);
                role.variants.clear();
                role.is_named = true;
            }
        }
        // A name inside another one would be found in its place.
        let all: Vec<String> = roles.0.iter().map(|role| folded(&role.name)).collect();
        let anonymous = Self::anonymous(sheet, language);
        for (role, own) in roles.0.iter_mut().zip(anonymous.0) {
            let name = folded(&role.name);
            let is_part = all.iter().any(|other| *other != name && contains_words(other, &name));
            if role.is_named && is_part {
                *role = own;
            }
        }
        roles
    }

    /// Returns what a subject is called; nothing for one that is not in the sheet.
    pub fn name(&self, subject: Subject) -> &str {
        self.0.iter().find(|role| role.subject == subject).map_or("", |role| &role.name)
    }

    /// Returns whether any subject is called by its name.
    pub fn has_names(&self) -> bool {
        self.0.iter().any(|role| role.is_named)
    }

    /// Finds the longest role or name with which a text begins, and its length. Names are compared exactly, roles by their letter.
    pub(crate) fn at_start(&self, text: &str) -> Option<(Subject, usize)> {
        let forms = self.0.iter().flat_map(|role| {
            let all = [&role.name].into_iter().chain(&role.variants);
            all.map(move |form| (role, form.as_str()))
        });
        let found = forms.filter(|(role, form)| begins_with(text, form, role.is_named));
        let longest = found.max_by_key(|(_, form)| form.len())?;
        Some((longest.0.subject, longest.1.len()))
    }
}

/// Returns whether a text begins with a form that ends there.
fn begins_with(text: &str, form: &str, exactly: bool) -> bool {
    let Some(start) = text.get(..form.len()) else { return false };
    // The letter of a role is a capital; its word may begin a sentence.
    let is_same = match (exactly, form.rsplit_once(' ')) {
        (false, Some((_, letter))) => start.to_lowercase() == form.to_lowercase() && start.ends_with(letter),
        _ => start == form,
    };
    is_same && !text[form.len()..].starts_with(char::is_alphanumeric)
}

fn contains_words(text: &str, words: &str) -> bool {
    format!(" {text} ").contains(&format!(" {words} "))
}

const fn role_text(kind: SubjectKind) -> Text {
    match kind {
        SubjectKind::Worksite => t::ROLE_WORKSITE,
        SubjectKind::Machine => t::ROLE_MACHINE,
        SubjectKind::Pedestrian => t::ROLE_PEDESTRIAN,
        SubjectKind::Operator => t::ROLE_OPERATOR,
        SubjectKind::BaseStation => t::ROLE_BASE_STATION,
        SubjectKind::Tag => t::ROLE_TAG,
    }
}

/// Returns other words for a role that answers use.
const fn variants(kind: SubjectKind, language: Language) -> &'static [&'static str] {
    match (language, kind) {
        (Language::English, SubjectKind::Pedestrian) => &["pedestrian"],
        (Language::English, SubjectKind::BaseStation) => &["station"],
        (Language::German, SubjectKind::Operator) => {
            &["Maschinenführers", "Maschinenführerin", "Fahrer", "Fahrerin"]
        }
        (Language::German, SubjectKind::Tag) => &["Transponders"],
        _ => &[],
    }
}

/// Returns whether a word, which is given in lower case, is one that roles begin with.
pub(crate) fn is_word_of_roles(word: &str) -> bool {
    let is_in = |text: &str| text.to_lowercase().split(' ').any(|known| known == word);
    Language::ALL.into_iter().any(|language| {
        let mut kinds = SubjectKind::ALL.into_iter();
        kinds.any(|kind| {
            is_in(role_text(kind).get(language)) || variants(kind, language).iter().any(|text| is_in(text))
        })
    })
}

/// Returns A to Z, then AA, AB and so on.
fn letters(number: usize) -> String {
    let last = char::from(b'A' + u8::try_from(number % 26).unwrap_or(0));
    match number / 26 {
        0 => last.to_string(),
        more => format!("{}{last}", letters(more - 1)),
    }
}

//! Colours by purpose, each in a light and a dark variant.
//!
//! The colours of the palette (blue, orange, teal, magenta, …) differ in lightness too, so that colour-blind readers can
//! distinguish them. Text has a contrast of at least 4.5:1 to its background, marks of at least 3:1; a test computes both.

/// The purpose of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Paint {
    /// The background of the chart.
    Surface,
    /// The background of a map or matrix, slightly different from the chart's.
    Panel,
    /// Text and prominent marks.
    Ink,
    /// Secondary text: units, ticks, notes.
    Muted,
    Grid,
    Axis,
    /// The nth series.
    Series(u8),
    Danger,
    Neutral,
    /// The nth shade of a scale from zero to the maximum.
    Step(u8),
    /// Text on a series' colour.
    OnSeries(u8),
    OnDanger,
    OnNeutral,
    OnStep(u8),
}

/// Number of series with their own colour.
pub(crate) const PALETTE_SIZE: usize = 7;
/// Number of shades of a scale, without the one for zero.
pub(crate) const STEPS: usize = 5;

const SERIES_LIGHT: [u32; PALETTE_SIZE] =
    [0x1B5E9E, 0xC97700, 0x00796B, 0xB5337D, 0x3A8FC4, 0x6F4A99, 0x7D6608];
const SERIES_DARK: [u32; PALETTE_SIZE] =
    [0x5B9FE3, 0xF2A93B, 0x4CC2AE, 0xE377B2, 0x9AD1F0, 0xB79AE0, 0xCDB94A];
const STEPS_LIGHT: [u32; STEPS + 1] = [0xF1F4F8, 0xCFE1F2, 0x94C1E0, 0x4A97CB, 0x1B69AA, 0x0B3C73];
const STEPS_DARK: [u32; STEPS + 1] = [0x1D242D, 0x1E3A57, 0x255C8C, 0x3A86C0, 0x73B4E2, 0xC4E3F8];
const DARK_TEXT: u32 = 0x10161D;
const LIGHT_TEXT: u32 = 0xFFFFFF;

impl Paint {
    /// Returns the colour on a light background.
    pub(crate) fn light(self) -> u32 {
        match self {
            Self::Surface => 0xFFFFFF,
            Self::Panel => 0xF6F8FA,
            Self::Ink => 0x17202A,
            Self::Muted => 0x52606D,
            Self::Grid => 0xE1E6EC,
            Self::Axis => 0x8592A0,
            Self::Series(n) => nth(&SERIES_LIGHT, n),
            Self::Danger => 0xC8420A,
            Self::Neutral => 0x6B7785,
            Self::Step(n) => nth(&STEPS_LIGHT, n),
            _ => self.beneath().map_or(DARK_TEXT, |beneath| readable_on(beneath.light())),
        }
    }

    /// Returns the colour on a dark background.
    pub(crate) fn dark(self) -> u32 {
        match self {
            Self::Surface => 0x14181F,
            Self::Panel => 0x1A2028,
            Self::Ink => 0xE8ECF1,
            Self::Muted => 0xA9B4C0,
            Self::Grid => 0x2B333D,
            Self::Axis => 0x72808F,
            Self::Series(n) => nth(&SERIES_DARK, n),
            Self::Danger => 0xF4794B,
            Self::Neutral => 0x9AA5B1,
            Self::Step(n) => nth(&STEPS_DARK, n),
            _ => self.beneath().map_or(LIGHT_TEXT, |beneath| readable_on(beneath.dark())),
        }
    }

    /// Returns the colour of text on this one.
    pub(crate) fn text_on(self) -> Self {
        match self {
            Self::Series(n) => Self::OnSeries(n),
            Self::Danger => Self::OnDanger,
            Self::Neutral => Self::OnNeutral,
            Self::Step(n) => Self::OnStep(n),
            _ => Self::Ink,
        }
    }

    fn beneath(self) -> Option<Self> {
        match self {
            Self::OnSeries(n) => Some(Self::Series(n)),
            Self::OnDanger => Some(Self::Danger),
            Self::OnNeutral => Some(Self::Neutral),
            Self::OnStep(n) => Some(Self::Step(n)),
            _ => None,
        }
    }
}

fn nth(colours: &[u32], n: u8) -> u32 {
    colours[usize::from(n) % colours.len()]
}

fn readable_on(beneath: u32) -> u32 {
    if contrast(beneath, LIGHT_TEXT) >= contrast(beneath, DARK_TEXT) { LIGHT_TEXT } else { DARK_TEXT }
}

/// The contrast of two colours as defined by WCAG 2, from 1 to 21.
fn contrast(one: u32, other: u32) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

fn luminance(colour: u32) -> f64 {
    let channel = |shift: u32| {
        let value = f64::from((colour >> shift) & 0xFF) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Ground = (&'static str, fn(Paint) -> u32);

    fn grounds() -> [Ground; 2] {
        [("light", Paint::light), ("dark", Paint::dark)]
    }

    #[test]
    fn text_has_a_contrast_of_at_least_4_5_to_1() {
        for (name, shade) in grounds() {
            for ground in [Paint::Surface, Paint::Panel] {
                for text in [Paint::Ink, Paint::Muted] {
                    assert!(contrast(shade(text), shade(ground)) >= 4.5, "{name} {text:?} on {ground:?}");
                }
            }
            let series = (0..PALETTE_SIZE as u8).map(Paint::Series);
            let steps = (0..=STEPS as u8).map(Paint::Step);
            for beneath in series.chain(steps).chain([Paint::Danger, Paint::Neutral]) {
                let reached = contrast(shade(beneath.text_on()), shade(beneath));
                assert!(reached >= 4.5, "{name} text on {beneath:?}: {reached:.2}");
            }
        }
    }

    #[test]
    fn marks_have_a_contrast_of_at_least_3_to_1() {
        for (name, shade) in grounds() {
            for mark in
                (0..PALETTE_SIZE as u8).map(Paint::Series).chain([Paint::Danger, Paint::Neutral, Paint::Axis])
            {
                let reached = contrast(shade(mark), shade(Paint::Surface));
                assert!(reached >= 3.0, "{name} {mark:?}: {reached:.2}");
            }
        }
    }

    #[test]
    fn each_step_is_darker_than_the_one_before_or_lighter_on_dark() {
        for step in 0..STEPS as u8 {
            assert!(luminance(Paint::Step(step).light()) > luminance(Paint::Step(step + 1).light()) + 0.02);
            assert!(luminance(Paint::Step(step).dark()) + 0.02 < luminance(Paint::Step(step + 1).dark()));
        }
    }
}

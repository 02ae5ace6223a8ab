//! The values of the query parameters of chart images.

use app::chart_images::Theme;
use domain::Invalid;

/// The format of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartFormat {
    /// The data of the chart.
    Json,
    /// The chart as an image.
    Svg,
}

impl ChartFormat {
    pub const ALL: [Self; 2] = [Self::Json, Self::Svg];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Svg => "svg",
        }
    }

    pub(super) fn parse(text: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|format| format.as_str() == text);
        found.ok_or_else(|| Invalid::new("invalid_format", "must be json or svg"))
    }
}

/// The themes of chart images.
pub struct ChartTheme;

impl ChartTheme {
    /// The names of all themes.
    pub const ALL: [&'static str; 3] = ["light", "dark", "auto"];

    pub(super) fn parse(text: &str) -> Result<Theme, Invalid> {
        match text {
            "light" => Ok(Theme::Light),
            "dark" => Ok(Theme::Dark),
            "auto" => Ok(Theme::Auto),
            _ => Err(Invalid::new("invalid_theme", "must be light, dark or auto")),
        }
    }
}

/// Whether a chart image has its title and subtitle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartTitle {
    Shown,
    None,
}

impl ChartTitle {
    /// The names of all values.
    pub const ALL: [&'static str; 2] = ["shown", "none"];

    pub(super) fn parse(text: &str) -> Result<Self, Invalid> {
        match text {
            "shown" => Ok(Self::Shown),
            "none" => Ok(Self::None),
            _ => Err(Invalid::new("invalid_title", "must be shown or none")),
        }
    }
}

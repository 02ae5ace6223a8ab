//! Machines and people that differ from their peers, in sentences.

use documents::{Block, Span, Text, Weight};
use domain::insights::Dimension;
use texts::reports;

use super::composer::Composer;
use crate::insights::{ExposureUnit, Outliers};
use crate::reports::figures::OutlierFigure;

/// Returns a sentence for each member of the figures, or says that nobody stands out.
pub(super) fn blocks(composer: &Composer<'_>) -> Vec<Block> {
    let figures = composer.figures();
    let (judged, not_judged) = figures.compared.unwrap_or((0, 0));
    let found = match (judged, figures.outliers.is_empty()) {
        (0, _) => composer.paragraph(reports::NOT_COMPARED),
        (_, true) => composer.paragraph(reports::NOBODY_STANDS_OUT),
        (_, false) => {
            let sentences = figures.outliers.iter().map(|outlier| sentence(composer, outlier));
            Block::List(sentences.collect())
        }
    };
    let (judged, not_judged) = (composer.formats.unsigned(judged), composer.formats.unsigned(not_judged));
    let values = [("n", judged.as_str()), ("others", &not_judged)];
    vec![found, Block::Note(Text::plain(composer.fill(reports::COMPARED, &values)))]
}

fn sentence(composer: &Composer<'_>, outlier: &OutlierFigure) -> Text {
    let formats = composer.formats;
    let dimension = member_dimension(outlier);
    let (seen, peer_kind) = match dimension {
        Dimension::Machine => (reports::OUTLIER_MACHINE, Dimension::MachineKind),
        Dimension::Operator => (reports::OUTLIER_OPERATOR, Dimension::MachineKind),
        Dimension::Worksite => (reports::OUTLIER_WORKSITE, Dimension::WorksiteKind),
        _ => (reports::OUTLIER_PEDESTRIAN, Dimension::PersonKind),
    };
    let name = composer.label(dimension, Some(outlier.id));
    let observed = formats.unsigned(outlier.observed);
    let exposure = match outlier.unit == ExposureUnit::Days.as_str() {
        true => composer.counted(reports::DAYS, outlier.exposure.round() as i64, &[]),
        false => formats.hours(outlier.exposure),
    };
    let seen = composer.sentence(seen, &[("name", &name)], &[("n", &observed), ("exposure", &exposure)]);
    let kind = composer.label(peer_kind, outlier.peer_kind);
    let kind = match outlier.peer_site {
        Some(site) => {
            let site = composer.label(Dimension::Worksite, Some(site));
            composer.fill(reports::KIND_AT_SITE, &[("kind", &kind), ("site", &site)])
        }
        None => kind,
    };
    let digits = usize::from(outlier.expected < 10.0);
    let (peers, expected) = (formats.unsigned(outlier.peers), formats.decimal(outlier.expected, digits));
    let (low, high) = (formats.unsigned(outlier.interval.0), formats.unsigned(outlier.interval.1));
    let values = [("peers", peers.as_str()), ("expected", &expected), ("low", &low), ("high", &high)];
    let expected = composer.sentence(reports::EXPECTED_AMONG_PEERS, &[("kind", &kind)], &values);
    let judged = match outlier.adjusted_p <= Outliers::THRESHOLD {
        true => composer.text(reports::CHANCE_IS_UNLIKELY),
        false => composer.text(reports::CHANCE_MAY_EXPLAIN),
    };
    let bold = |span: Span| Span { weight: Weight::Bold, ..span };
    let parts = Text(seen.0.into_iter().map(bold).collect()).and(" ");
    Text(parts.0.into_iter().chain(expected.0).collect()).and(format!(" {judged}"))
}

fn member_dimension(outlier: &OutlierFigure) -> Dimension {
    let all = [Dimension::Machine, Dimension::Worksite, Dimension::Pedestrian, Dimension::Operator];
    all.into_iter().find(|dimension| dimension.as_str() == outlier.by).unwrap_or(Dimension::Machine)
}

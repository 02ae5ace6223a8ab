//! Parts that the documents of several kinds of report have.

use documents::{Block, Text};
use texts::reports;

use super::composer::Composer;

/// Returns a section with a heading, or nothing if it would be empty.
pub(super) fn section(
    composer: &Composer<'_>,
    heading: texts::Text,
    body: impl IntoIterator<Item = Option<Block>>,
) -> Vec<Block> {
    let mut body = body.into_iter().flatten().peekable();
    let heading = body.peek().map(|_| composer.heading(heading));
    heading.into_iter().chain(body).collect()
}

/// Says why there is nothing to show.
pub(super) fn nothing_happened(composer: &Composer<'_>) -> Block {
    let text = composer.fill(reports::NOTHING_HAPPENED, &[("period", &composer.period())]);
    Block::Paragraph(Text::plain(text))
}

//! The outline: the headings as a tree, with where they are.

use krilla::destination::XyzDestination;
use krilla::geom::Point;
use krilla::outline::{Outline, OutlineNode};

use crate::layout::Page;
use crate::style::{BODY_TOP, MARGIN};

/// Space between the top of the window and the heading that was chosen.
const ABOVE: f32 = 8.0;

pub(super) fn outline(pages: &[Page]) -> Outline {
    // The headings that are open, with their levels.
    let mut open: Vec<(u8, OutlineNode)> = Vec::new();
    let mut outline = Outline::new();
    for (index, page) in pages.iter().enumerate() {
        for placed in page {
            let Some((level, text)) = &placed.item.heading else { continue };
            close(&mut open, &mut outline, *level);
            let at = Point::from_xy(MARGIN, (BODY_TOP + placed.top - ABOVE).max(0.0));
            let node = OutlineNode::new(text.clone(), XyzDestination::new(index, at)).with_open(true);
            open.push((*level, node));
        }
    }
    close(&mut open, &mut outline, 0);
    outline
}

/// Ends the headings that are not above one of this level.
fn close(open: &mut Vec<(u8, OutlineNode)>, outline: &mut Outline, level: u8) {
    while let Some((_, node)) = open.pop_if(|(last, _)| *last >= level) {
        match open.last_mut() {
            Some((_, parent)) => parent.push_child(node),
            None => outline.push_child(node),
        }
    }
}

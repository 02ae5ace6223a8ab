//! Machines and people that differ from their peers.

use domain::insights::IncursionFilter;

use super::{Draft, OutlierFigure};
use crate::accounts::authors::Author;
use crate::insights::{Outlier, OutlierBy, OutlierSelection, OutliersRequest};
use crate::{App, Error, ErrorKind};

/// Maximum number of outliers in a report.
const MAX_SHOWN: usize = 10;
/// Maximum number of members among which one is looked for.
const MAX_MEMBERS: usize = 20_000;

impl App {
    /// Adds those that stand out among the facts of a filter.
    pub(super) async fn add_outliers(
        &self,
        author: &Author,
        filter: &IncursionFilter,
        by: &[OutlierBy],
        draft: &mut Draft,
    ) -> Result<(), Error> {
        let request =
            OutliersRequest { by: by.to_vec(), selection: OutlierSelection::Outliers, limit: MAX_SHOWN };
        self.add_compared(author, filter, &request, |_| true, draft).await
    }

    /// Adds one member, whether it stands out or not, compared with all peers among the facts of a filter.
    pub(super) async fn add_comparison(
        &self,
        author: &Author,
        filter: &IncursionFilter,
        (by, id): (OutlierBy, i64),
        draft: &mut Draft,
    ) -> Result<(), Error> {
        let request =
            OutliersRequest { by: vec![by], selection: OutlierSelection::Everyone, limit: MAX_MEMBERS };
        self.add_compared(author, filter, &request, |found| found.id == id, draft).await
    }

    async fn add_compared(
        &self,
        author: &Author,
        filter: &IncursionFilter,
        request: &OutliersRequest,
        is_wanted: impl Fn(&OutlierFigure) -> bool + Send,
        draft: &mut Draft,
    ) -> Result<(), Error> {
        let found = match self.outliers_in(author.query_scope(), filter, request).await {
            Ok(found) => found,
            // There are too many to compare: the report says that nobody was.
            Err(error) if error.kind == ErrorKind::Invalid => return Ok(()),
            Err(error) => return Err(error),
        };
        draft.seqs.extend([found.result.seq, found.result.latest_seq]);
        let (judged, not_judged) = draft.figures.compared.unwrap_or((0, 0));
        draft.figures.compared = Some((judged + found.judged, not_judged + found.not_judged));
        let figures = found.members.iter().filter_map(outlier_figure).filter(is_wanted);
        draft.figures.outliers.extend(figures);
        Ok(())
    }
}

/// Returns the figures of a member; none if it could not be compared.
fn outlier_figure(found: &Outlier) -> Option<OutlierFigure> {
    let (outcome, test) = (&found.outcome, found.outcome.outlier_test()?);
    Some(OutlierFigure {
        by: found.by.as_str().to_owned(),
        id: outcome.key,
        peer_kind: outcome.group.kind,
        peer_site: outcome.group.site,
        unit: found.unit.as_str().to_owned(),
        peers: outcome.peers as u64,
        observed: outcome.observed,
        exposure: outcome.exposure,
        expected: test.expected,
        interval: (test.interval_low, test.interval_high),
        adjusted_p: test.adjusted_p,
    })
}

//! The tasks that fill nodes of a copy, and the nodes that rest because they could not be filled.

use std::collections::BTreeMap;

use domain::BrandId;
use tokio::task::{JoinError, JoinSet};
use warehouse::NodeId;

use super::failure_log::FailureLog;
use super::fill_notes::FillFault;
use super::filling::FillOutcome;
use super::lack::Lack;
use super::step::{CopyWriter, Positions, StepError};

/// The tasks of one copy: at most one for each lack, so that nodes that lack a few changes do not wait for one that gets all rows, which can
/// take hours.
#[derive(Debug, Default)]
pub(super) struct Fills {
    tasks: BTreeMap<Lack, FillTask>,
    unfilled: BTreeMap<NodeId, Unfilled>,
}

#[derive(Debug)]
struct FillTask {
    nodes: Vec<NodeId>,
    /// The task, which ends with this.
    running: JoinSet<FillOutcome>,
    outcome: Option<FillOutcome>,
}

/// A node that could not be filled.
#[derive(Debug)]
struct Unfilled {
    fault: FillFault,
    log: FailureLog,
}

impl Fills {
    pub fn is_filling(&self, node: NodeId) -> bool {
        self.tasks.values().any(|task| task.nodes.contains(&node))
    }

    /// Whether some tasks have ended.
    pub fn have_ended(&mut self) -> bool {
        for task in self.tasks.values_mut() {
            if let Some(ended) = task.running.try_join_next() {
                let failed =
                    |error: JoinError| FillOutcome::of_failure(&task.nodes, &FillFault::passing(&error));
                task.outcome = Some(ended.unwrap_or_else(failed));
            }
        }
        self.tasks.values().any(|task| task.outcome.is_some())
    }

    /// Returns the nodes that were filled since, with how far they are. Those that could not be filled rest. Fails if the database went back.
    pub fn take(&mut self, brand: BrandId) -> Result<Positions, StepError> {
        let mut outcomes = Vec::new();
        self.tasks.retain(|_, task| {
            let outcome = task.outcome.take();
            let is_running = outcome.is_none();
            outcomes.extend(outcome);
            is_running
        });
        let mut filled = Positions::new();
        let mut went_back = false;
        for outcome in outcomes {
            went_back |= outcome.went_back;
            filled.extend(outcome.filled);
            for (node, fault) in outcome.faults {
                let mut log = self.unfilled.remove(&node).map(|before| before.log).unwrap_or_default();
                let text = "a node of the warehouse is not filled for now";
                log.log(text, brand, &fault.reason);
                self.unfilled.insert(node, Unfilled { fault, log });
            }
        }
        if went_back {
            return Err(StepError::WentBack);
        }
        self.unfilled.retain(|node, _| !filled.contains_key(node));
        Ok(filled)
    }

    /// Begins to fill those of these nodes that do not rest, unless others with the same lack are being filled. The copy needs some of them
    /// more than others: those of shards that nobody else can answer for.
    pub fn begin(
        &mut self,
        writer: &CopyWriter,
        lack: Lack,
        mut nodes: Vec<NodeId>,
        is_needed: impl Fn(NodeId) -> bool,
    ) {
        let rests = |node: &NodeId| {
            self.unfilled.get(node).is_some_and(|unfilled| unfilled.fault.is_resting(is_needed(*node)))
        };
        nodes.retain(|node| !self.is_filling(*node) && !rests(node));
        if nodes.is_empty() || self.tasks.contains_key(&lack) {
            return;
        }
        let mut running = JoinSet::new();
        running.spawn(writer.clone().fill(lack, nodes.clone()));
        self.tasks.insert(lack, FillTask { nodes, running, outcome: None });
    }
}

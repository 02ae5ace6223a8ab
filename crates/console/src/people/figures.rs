//! The figures of one person: on foot and driving side by side, lengths of incursions, and machines met.

use app::insights::{Breakdown, BreakdownRequest, Durations, LabelledId};
use app::{App, EntityDetails, EntityRole, Error};
use domain::PersonId;
use domain::access::ReadInsights;
use domain::insights::{Dimension, Figure, GroupOrder, IncursionFilter, Measure};
use texts::console::people as t;
use texts::values;

use crate::behind::link_of;
use crate::frame::Frame;
use crate::machines::figures::{measure_columns, nothing_happened};
use crate::parts::{Cell, Column, Empty, Row, Shown, Table};

/// The measures of both roles, in the order in which they are shown.
const OF_ROLES: [Measure; 11] = [
    Measure::Incursions,
    Measure::Acknowledged,
    Measure::Unacknowledged,
    Measure::AcknowledgementRate,
    Measure::AverageDuration,
    Measure::Exposure,
    Measure::AverageAckTime,
    Measure::Machines,
    Measure::Pedestrians,
    Measure::RuntimeHours,
    Measure::IncursionsPerRuntimeHour,
];

const OF_MACHINE: [Measure; 4] =
    [Measure::Incursions, Measure::AcknowledgementRate, Measure::AverageDuration, Measure::Exposure];

/// The number of machines that are listed.
const MAX_MACHINES: usize = 20;

pub struct Figures {
    id: PersonId,
    durations: Durations,
    machines: Breakdown,
}

impl Figures {
    pub async fn load(
        app: &App,
        frame: &Frame,
        id: PersonId,
        filter: &IncursionFilter,
    ) -> Result<Self, Error> {
        let caller = frame.caller::<ReadInsights>()?;
        let filter = IncursionFilter { people: vec![id], ..filter.clone() };
        let by_machine = BreakdownRequest {
            by: Dimension::Machine,
            measures: OF_MACHINE.to_vec(),
            order: GroupOrder::Descending(0),
            limit: MAX_MACHINES,
        };
        let durations = app.insight_durations(&caller, &filter).await?;
        let machines = app.insight_breakdown(&caller, &filter, &by_machine).await?;
        Ok(Self { id, durations, machines })
    }

    /// How many incursions there were of each length.
    pub fn length_table(&self, frame: &Frame) -> Table {
        let (formats, id) = (frame.formats(), self.id.to_string());
        let columns = vec![
            Column::text(frame.text(t::LENGTH)),
            Column::number(values::measure(frame.language, Measure::Incursions.as_str())),
        ];
        let mut rows: Vec<Row> = Vec::new();
        for bucket in &self.durations.buckets {
            let from = bucket.from_s.to_string();
            let to = bucket.to_s.map(|to| to.to_string());
            // The filters of lists include their upper bound, and a bucket does not.
            let mut pairs = vec![
                ("person_id", id.as_str()),
                ("min_duration_s", from.as_str()),
                ("duration", from.as_str()),
            ];
            pairs.extend(to.as_deref().map(|to| ("max_duration_s", to)));
            let label = match &to {
                Some(to) => frame.fill(t::SECONDS_BETWEEN, &[("from", &from), ("to", to)]),
                None => frame.fill(t::SECONDS_OVER, &[("from", &from)]),
            };
            let shown = Shown::plain(formats.integer(bucket.incursions));
            let href = frame.link_with("/explore/incursions", &pairs);
            rows.push(Row::new(vec![Cell::text(label), Cell::figure(&shown, Some(href))]));
        }
        let open = Shown::plain(formats.integer(self.durations.without_end));
        let href = frame.link_with("/explore/incursions", &[("person_id", &id), ("duration", "none")]);
        let label = Cell::text(frame.text(t::WITHOUT_END));
        rows.push(Row::new(vec![label, Cell::figure(&open, Some(href))]));
        Table::new(frame.text(t::LENGTHS), columns, rows, nothing_happened(frame))
    }

    pub fn machine_table(&self, frame: &Frame) -> Table {
        let (formats, person) = (frame.formats(), self.id.to_string());
        let mut columns = vec![Column::text(frame.text(values::MACHINE))];
        columns.extend(measure_columns(frame, &OF_MACHINE));
        let row = |row: &app::insights::BreakdownRow| {
            let machine = match row.part.id {
                LabelledId::Number(id) => Some(id.to_string()),
                LabelledId::Word(_) | LabelledId::None => None,
            };
            let mut cells = vec![match &machine {
                Some(id) => Cell::head(row.part.label.as_str(), frame.link(&format!("/machines/{id}"))),
                None => Cell::text(frame.text(values::NO_MACHINE)),
            }];
            for (measure, figure) in OF_MACHINE.into_iter().zip(&row.figures) {
                let href = machine.as_ref().and_then(|machine| {
                    link_of(frame, measure, &[("machine_id", machine), ("person_id", &person)])
                });
                cells.push(Cell::figure(&formats.figure(measure, *figure), href));
            }
            Row::new(cells)
        };
        let empty = Empty {
            title: frame.text(t::NO_MACHINES_MET).to_owned(),
            reason: frame.text(t::NO_MACHINES_MET_REASON).to_owned(),
            action: None,
        };
        let rows = self.machines.rows.iter().map(row).collect();
        Table::new(frame.text(t::MACHINES_MET), columns, rows, empty)
    }
}

/// The figures as a pedestrian and as an operator side by side.
pub fn role_table(frame: &Frame, details: &EntityDetails) -> Table {
    let columns = vec![
        Column::text(frame.text(t::FIGURE)),
        Column::number(frame.text(t::ON_FOOT)),
        Column::number(frame.text(t::DRIVING)),
    ];
    let id = details.entity.id.to_string();
    let cell = |role: EntityRole, parameter: &str, measure: Measure| match figure_of(details, role, measure) {
        Some(figure) => {
            let shown = frame.formats().figure(measure, figure);
            let cell = Cell::figure(&shown, link_of(frame, measure, &[(parameter, &id)]));
            match shown.of {
                Some(of) => cell.note(of),
                None => cell,
            }
        }
        None => Cell::text(frame.text(t::NOT_FOR_ROLE)),
    };
    let row = |measure: Measure| {
        Row::new(vec![
            Cell::text(values::measure(frame.language, measure.as_str())),
            cell(EntityRole::Pedestrian, "pedestrian_id", measure),
            cell(EntityRole::Operator, "operator_id", measure),
        ])
    };
    let rows = OF_ROLES.into_iter().map(row).collect();
    Table::new(frame.text(t::ROLES), columns, rows, nothing_happened(frame))
}

/// Returns a figure of a role; none if the role does not have the measure.
fn figure_of(details: &EntityDetails, role: EntityRole, measure: Measure) -> Option<Figure> {
    let (_, figures) = details.summaries.iter().find(|(one, _)| *one == role)?;
    let place = role.measures().iter().position(|one| *one == measure)?;
    figures.get(place).copied()
}

//! A contract as its names alone, for one who need not know more of it.

use domain::contract::ContractType;

use crate::contracts::{
    boundaries,
    outline::{Part, outline},
    physics,
};

/// Headings with what is set as code below them, endpoints, or layers: a line for each.
pub(super) fn name_summary(kind: ContractType, text: &str) -> String {
    let lines = match kind {
        ContractType::Physics => endpoints(text),
        ContractType::Boundaries => layers(text),
        _ => Some(headings(text)),
    };
    lines.unwrap_or_default().join("\n")
}

fn endpoints(text: &str) -> Option<Vec<String>> {
    let physics = physics::read(text).ok()?;
    let line = |endpoint: &physics::Endpoint| {
        let way = match (&endpoint.method, &endpoint.path, &endpoint.call) {
            (Some(method), Some(path), _) => format!("{method} {path}"),
            (_, _, Some(call)) => call.clone(),
            _ => String::new(),
        };
        format!("{}: {way}", endpoint.name)
    };
    Some(physics.endpoints().map(|(endpoint, _)| line(endpoint)).collect())
}

fn layers(text: &str) -> Option<Vec<String>> {
    let boundaries = boundaries::read(text).ok()?;
    let line = |layer: &boundaries::Layer| {
        let (paths, imports) = (layer.paths.join(", "), layer.may_import.join(", "));
        format!("{} ({paths}) may import: {imports}", layer.name)
    };
    Some(boundaries.layers.iter().map(line).collect())
}

fn headings(text: &str) -> Vec<String> {
    let mut lines: Vec<(String, Vec<String>)> = Vec::new();
    for block in outline(text) {
        if let Part::Heading(level) = block.part {
            let marks = "#".repeat(level.into());
            lines.push((format!("{marks} {}", block.text.trim()), Vec::new()));
        } else if let Some((_, codes)) = lines.last_mut() {
            let new = block.codes.into_iter().filter(|code| !codes.contains(code));
            codes.extend(new.collect::<Vec<_>>());
        }
    }
    let line = |(heading, codes): (String, Vec<String>)| match codes.is_empty() {
        true => heading,
        false => format!("{heading}: {}", codes.join(", ")),
    };
    lines.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contracts::templates::example;

    #[test]
    fn summary_contains_names_only() {
        let of = |kind| name_summary(kind, example(kind));
        assert_eq!(
            of(ContractType::Physics),
            "list_tasks: GET /tasks\ncreate_task: POST /tasks\n\
             finish_task: POST /tasks/{task}/finish"
        );
        let phases = of(ContractType::Phases);
        assert!(phases.contains("## Phase 0 — Tasks can be kept: taskflow/rules/**"), "{phases}");
        assert!(!phases.contains("Finishing a task twice"), "{phases}");
        assert!(of(ContractType::Boundaries).contains("may import: "));
        for kind in ContractType::ALL {
            assert!(!of(kind).is_empty() && of(kind).len() < example(kind).len(), "{kind}");
        }
    }
}

//! Summaries of contracts by their names, for contracts that need no more.

use domain::{contract::ContractType, requirement::RequirementId};

use crate::contracts::{
    boundaries,
    outline::{Part, outline},
    physics,
};

/// Length of a line of a feature.
const MAX_LINE_CHARS: usize = 60;

/// Headings with what is set as code below them, endpoints, or layers: a line for each.
pub(super) fn name_summary(kind: ContractType, text: &str) -> String {
    let lines = match kind {
        ContractType::Physics => endpoints(text),
        ContractType::Boundaries => layers(text),
        ContractType::Blueprint => Some(headings(text, true)),
        _ => Some(headings(text, false)),
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

/// Each heading with the names below it: code, bold words that begin a line, and first cells of
/// tables; with `lines`, also the beginnings of list items, which are features and requirements, and
/// the ids of scenarios.
fn headings(text: &str, lines: bool) -> Vec<String> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for block in outline(text) {
        if let Part::Heading(level) = block.part {
            let marks = "#".repeat(level.into());
            found.push((format!("{marks} {}", block.text.trim()), Vec::new()));
            continue;
        }
        let Some((_, names)) = found.last_mut() else { continue };
        let lead = block.lead.trim();
        let own = match block.part {
            Part::FirstCell => Some(beginning(&block.text)),
            Part::Item if lines => {
                Some(scenario_id(&block.text).unwrap_or_else(|| beginning(&block.text)))
            }
            Part::Item | Part::Paragraph if !lead.is_empty() && !lead.ends_with(':') => {
                Some(lead.to_owned())
            }
            _ => None,
        };
        let is_whole = matches!(&own, Some(own) if own.len() == block.text.trim().len());
        let codes = block.codes.into_iter().filter(|_| !is_whole);
        for name in own.into_iter().chain(codes) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let separator = if lines { "; " } else { ", " };
    let line = |(heading, names): (String, Vec<String>)| match names.is_empty() {
        true => heading,
        false => format!("{heading}: {}", names.join(separator)),
    };
    found.into_iter().map(line).collect()
}

/// The id of a scenario, which identifies it without its text.
fn scenario_id(text: &str) -> Option<String> {
    let (id, _) = RequirementId::at_start(text.trim())?;
    id.scenario.map(|_| id.to_string())
}

/// The first words of a text.
fn beginning(text: &str) -> String {
    let text = text.trim();
    let Some((end, _)) = text.char_indices().nth(MAX_LINE_CHARS) else { return text.to_owned() };
    let end = text[..end].rfind(' ').unwrap_or(end);
    format!("{}…", &text[..end])
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
        assert!(phases.contains("## Phase 0 — Tasks: taskflow/rules/**"), "{phases}");
        assert!(!phases.contains("functions to add"), "{phases}");
        let blueprint = of(ContractType::Blueprint);
        assert!(
            blueprint.contains("R-4 (should, stated) Each member who wants it gets"),
            "{blueprint}"
        );
        assert!(blueprint.contains("; R-2.a; ") && !blueprint.contains("Given"), "{blueprint}");
        let stack = of(ContractType::Stack);
        assert!(stack.contains("database"), "{stack}");
        assert!(of(ContractType::Boundaries).contains("may import: "));
        for kind in ContractType::ALL {
            assert!(!of(kind).is_empty() && of(kind).len() < example(kind).len(), "{kind}");
        }
    }
}

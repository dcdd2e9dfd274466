//! Tests of the brief of a phase.

use std::sync::Arc;

use domain::event::agents::Role;
use domain::{
    event::{confirmations::RequirementChanged, life::Actor},
    follow_up::Requests,
};
use serde_json::json;

use super::*;
use crate::contract_set::ContractSet;
use crate::tools::{fixture::Fixture, tool::Done};

const PHASES: &str = "# Phases\n## Phase 0 — a\n**Covers:** R-1\n**Deliverables:**\n\
    - finish a task\n\n**Exit criteria:**\n- R-2.a — review\n## Phase 1 — b\n**Covers:** R-3\n\
    **Deliverables:**\n- b\n\n**Exit criteria:** b\n";
const BLUEPRINT: &str = "# Blueprint\n## Requirements\n- R-1 (must, stated) It counts.\n  \
    - R-1.a Given one, when it counts, then it says 1.\n- R-2 (should, assumed) It adds.\n\
    - R-3 (must, stated) It is fast.\n";
const PHYSICS: &str = include_str!("../../../../../static/templates/contracts/physics.yaml");

/// A fixture with these texts in place of its contracts.
async fn with(texts: &[(ContractType, String)]) -> Fixture {
    let mut fixture = Fixture::new().await;
    let set = &fixture.ctx.contracts;
    let own = set.iter().filter(|text| has_text(text)).map(|text| {
        let changed = texts.iter().find(|(kind, _)| *kind == text.kind);
        let content = changed.map_or(&text.content, |(_, content)| content).clone();
        ContractText { content, ..text.clone() }
    });
    let set = ContractSet::complete(own.collect(), |kind| ContractText {
        kind,
        version: 0,
        source: ContractSource::Template,
        content: "an example".into(),
        updated_at: None,
    });
    fixture.ctx.contracts = Arc::new(set);
    fixture
}

async fn brief(fixture: &Fixture) -> (String, Vec<&'static str>) {
    let Done { output, events, .. } =
        fixture.done(&ForgeGetPhaseBrief, json!({"phase_number": 0})).await;
    let read = events.iter().map(|event| match event {
        EventBody::BuildContractRead(read) => read.contract.name(),
        other => panic!("{other:?}"),
    });
    (output, read.collect())
}

fn tokens(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}

fn own_texts() -> Vec<(ContractType, String)> {
    [
        (ContractType::Phases, PHASES),
        (ContractType::Blueprint, BLUEPRINT),
        (ContractType::Physics, PHYSICS),
    ]
    .map(|(kind, text)| (kind, text.to_owned()))
    .to_vec()
}

#[tokio::test]
async fn short_contracts_are_returned_in_full_and_recorded() {
    let fixture = with(&own_texts()).await;
    let (text, read) = brief(&fixture).await;
    for part in [
        "[phases, version 3, of this build]\n## Phase 0",
        "## Phase 1",
        "- R-1 (must, stated) It counts.\n  - R-1.a Given one",
        "- R-2 (should, assumed) It adds.",
        "the stack contract",
        "- name: create_task",
        "[This project has none of these contracts: ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let requirements = text.split("# Requirements of phase 0").nth(1).unwrap();
    let covered = requirements.split("\n\n").next().unwrap();
    assert!(!covered.contains("R-3"), "{covered}");
    assert!(!text.contains("an example"), "{text}");
    assert_eq!(read.len(), 8, "{read:?}");
    assert!(!read.contains(&"ui"), "{read:?}");
}

#[tokio::test]
async fn long_contracts_are_reduced_to_what_the_phase_names() {
    let long = format!("# Stack\n## Language\n{}", "Rust with care. ".repeat(2_000));
    let endpoints = PHYSICS.replace(
        "shapes:",
        &(0..200)
            .map(|n| format!("  - name: unrelated_{n}\n    call: x {n}\n"))
            .chain(["shapes:".to_owned()])
            .collect::<String>(),
    );
    let mut texts = own_texts();
    texts[2].1 = endpoints;
    texts.push((ContractType::Stack, long));
    let mut fixture = with(&texts).await;
    let (text, read) = brief(&fixture).await;
    assert!(tokens(&text) <= 4_000, "{}", tokens(&text));
    for part in [
        "[stack, version 3, not shown (Language); 32020 bytes: fetch it with \
         forge_get_project_contract, contract_type stack]",
        "[physics, version 3, only what the phase names;",
        "- name: finish_task",
        "Task: { id: uuid",
        "the builder_directive contract",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("unrelated_") && !text.contains("Rust with care"), "{text}");
    assert!(read.contains(&"physics") && !read.contains(&"stack"), "{read:?}");
    fixture.ctx.role = Role::Fixer;
    let (text, _) = brief(&fixture).await;
    assert!(text.contains("forge_get_build_contracts, contract_type stack"), "{text}");
}

#[tokio::test]
async fn changes_of_requirements_by_users_are_shown() {
    let mut fixture = with(&own_texts()).await;
    let change =
        |id: &str, change| RequirementChanged { id: id.parse().unwrap(), change, by: Actor::Forge };
    Arc::make_mut(&mut fixture.ctx.state).requirement_changes = vec![
        change("R-1", RequirementChange::Reworded { text: "It counts twice.".into() }),
        change("R-2", RequirementChange::Removed),
    ];
    let (text, _) = brief(&fixture).await;
    assert!(text.contains("- R-1 (must, stated) It counts twice."), "{text}");
    assert!(text.contains("- R-2: the user removed it."), "{text}");
}

#[tokio::test]
async fn unknown_phase_is_reported() {
    let fixture = with(&own_texts()).await;
    let said = fixture.refused(&ForgeGetPhaseBrief, json!({"phase_number": 9})).await;
    assert!(said.contains("0 to 1"), "{said}");
    let past = json!({"phase_number": 0, "offset": 99_999});
    let said = fixture.refused(&ForgeGetPhaseBrief, past).await;
    assert!(said.contains("offset"), "{said}");
}

#[tokio::test]
async fn follow_up_build_gets_the_requests_and_the_contracts() {
    let mut fixture = with(&own_texts()).await;
    let requests = Requests {
        reason: "Not yet.".into(),
        item: None,
        threads: Vec::new(),
        suggestions: Vec::new(),
    };
    Arc::make_mut(&mut fixture.ctx.state).queued.requests = Some(Box::new(requests));
    let (text, read) = brief(&fixture).await;
    assert!(text.contains("Not yet.") && text.contains("the stack contract"), "{text}");
    assert!(!text.contains("## Phase 1") && !read.contains(&"phases"), "{read:?}");
    let past = fixture.refused(&ForgeGetPhaseBrief, json!({"phase_number": 1})).await;
    assert!(past.contains("phase 0"), "{past}");
}

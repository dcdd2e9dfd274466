//! Specs in real-world styles, and what is read in each.

use std::{fmt::Write, fs, path::PathBuf};

use domain::{
    criterion::ProofType,
    requirements::Priority,
    spec::{self, FileAction, ParsedSpec, SpecFormat},
};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/specs")
}

/// What was read, in the form of the expected files.
fn outcome(parsed: &ParsedSpec) -> String {
    let ParsedSpec { spec, missing, errors, warnings } = parsed;
    let mut out = String::new();
    let mut line = |text: String| {
        let _ = writeln!(out, "{text}");
    };
    line(if parsed.is_valid() { "valid".to_owned() } else { "invalid".to_owned() });
    let format = match spec.format {
        SpecFormat::Sections => "sections",
        SpecFormat::SpecKit => "spec kit",
        SpecFormat::Kiro => "kiro",
    };
    line(format!("format: {format}"));
    line(format!("title: {}", spec.title));
    for it in &spec.requirements {
        let should = if it.priority == Priority::Should { " (should)" } else { "" };
        let label = it.label.as_deref().map_or(String::new(), |label| format!("{label}: "));
        line(format!("requirement {}{should}: {label}{}", it.line, it.text));
    }
    for it in &spec.criteria {
        let proof = match &it.proof {
            ProofType::Test { names } => format!("test {}", names.join(", ")),
            ProofType::Command { command } => format!("command {command}"),
            ProofType::Review => "review".to_owned(),
            ProofType::Person => "person".to_owned(),
        };
        let requirement =
            it.requirement.map_or(String::new(), |at| format!(" of requirement {at}"));
        let phase = it.phase.map_or(String::new(), |at| format!(" in phase {at}"));
        line(format!("criterion {}{requirement}{phase}: {} [{proof}]", it.line, it.text));
    }
    for it in &spec.phases {
        line(format!("phase {}: {} ({} steps)", it.line, it.title, it.steps.len()));
    }
    for it in &spec.files {
        let action = match it.action {
            FileAction::Create => "create",
            FileAction::Modify => "modify",
            FileAction::Read => "read",
        };
        line(format!("file {}: {action} {}", it.line, it.path));
    }
    if let Some(command) = &spec.test_command {
        line(format!("test command: {command}"));
    }
    if !spec.scope.is_empty() {
        line(format!("scope: {}", spec.scope.join(" ")));
    }
    if !missing.is_empty() {
        let headings: Vec<&str> = missing.iter().map(|it| it.heading()).collect();
        line(format!("missing: {}", headings.join("; ")));
    }
    for problem in errors {
        line(format!("error: {problem}"));
    }
    for problem in warnings {
        line(format!("warning: {problem}"));
    }
    out
}

#[test]
fn specs_of_the_corpus_are_read_as_expected() {
    let mut files: Vec<PathBuf> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "md"))
        .collect();
    files.sort();
    assert!(files.len() >= 60, "{}", files.len());
    let mut differing = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        let parsed = spec::parse(&text);
        let lines = text.lines().count().max(1);
        for problem in parsed.errors.iter().chain(&parsed.warnings) {
            assert!(problem.line.is_none_or(|line| (1..=lines).contains(&line)), "{problem}");
        }
        let found = outcome(&parsed);
        let expected = fs::read_to_string(file.with_extension("expected")).unwrap_or_default();
        if found != expected {
            differing.push(format!("== {}\n{found}", file.display()));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn spec_of_a_megabyte_is_read() {
    let mut text = "# Large\n\n## Requirements\n".to_owned();
    for at in 0..140 {
        let _ = writeln!(text, "- FR-{at}: it does thing {at}");
    }
    text.push_str("\n## Technical Design\n");
    while text.len() < 1_000_000 {
        text.push_str("\nText with `code`, *emphasis* and [links](a.md).\n\n```rust\nfn main() {}\n```\n\n| a | b |\n|---|---|\n| c | d |\n");
    }
    text.push_str("\n## Pass Criteria\n");
    for at in 0..140 {
        let _ = writeln!(text, "- FR-{at}: `cargo test thing_{at}` passes");
    }
    let parsed = spec::parse(&text);
    assert_eq!(parsed.errors, []);
    assert_eq!((parsed.spec.requirements.len(), parsed.spec.criteria.len()), (140, 140));
    assert!(parsed.spec.criteria.iter().all(|it| matches!(it.proof, ProofType::Command { .. })));
    assert!(parsed.spec.design.len() > 900_000);
}

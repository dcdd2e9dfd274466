//! A project whose build writes a greeting in each phase, and the model that does it.

use model_server::{Seen, Turn};
use serde_json::json;

use crate::project_fixture::ProjectFixture;

pub const PHASES: usize = 3;
/// Configures the project's phases and gate, and the model.
pub async fn prepare(fixture: &ProjectFixture) {
    fixture.model.play(model);
    let phase = |n| {
        format!(
            "\n## Phase {n} — Greeting\n**Deliverables:**\n- greeting-{n}.txt\n\
             **Exit criteria:**\n- it greets\n"
        )
    };
    let phases: String = (0..PHASES).map(phase).collect();
    fixture.set("contracts/phases", json!({ "content": format!("# Phases\n{phases}") })).await;
    let gate = json!({
        "name": "test", "command": "echo begun; sleep 0.5; cat greeting-*.txt && echo ok 1",
        "timeout_s": 60, "required": true, "network": false
    });
    let settings = json!({ "gates": [gate], "clarification_timeout_s": null });
    fixture.set("settings", settings).await;
}

/// Whether a reply to this request writes the greeting.
pub fn is_work(seen: &Seen) -> bool {
    let system = seen.system();
    let others = ["You are the auditor", "You are the scout"];
    seen.turn() == 0 && !seen.is_planning() && !others.iter().any(|other| system.contains(other))
}

/// A competent model.
pub fn model(seen: &Seen) -> Turn {
    let system = seen.system();
    let phase = phase(seen);
    let file = format!("greeting-{phase}.txt");
    let says = |text: &str| Turn::says(text);
    let looks = |path: &str| Turn::reply().calls("read_file", json!({ "path": path }));
    let window = || Turn::reply().calls("forge_get_phase_brief", json!({ "phase_number": phase }));
    match seen.turn() {
        0 if system.contains("You are the auditor") => looks(&file),
        _ if system.contains("You are the auditor") => says(&format!(
            "=== PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — {file}:1\n\
             === END PHASE SIGN-OFF ==="
        )),
        0 if seen.is_planning() => window(),
        _ if system.contains("You are the scout") => says("Little is there."),
        _ if seen.is_planning() => {
            says("=== PLAN ===\n1. Write the greeting\nGates: validate\n=== END PLAN ===")
        }
        0 => {
            let edit = json!({ "path": file, "old_text": "Hello\n", "new_text": "Hello\nagain\n" });
            Turn::says("It has two lines.")
                .calls("write_file", json!({ "path": file, "content": "Hello\n" }))
                .calls("edit_file", edit)
        }
        _ => says("=== TASK DONE: 1 ===\nIt greets."),
    }
}

/// The phase that the first message of a conversation names.
pub fn phase(seen: &Seen) -> usize {
    let messages = seen.json.to_string();
    (0..PHASES).find(|n| messages.contains(&format!("Phase {n} of {PHASES}"))).expect("a phase")
}

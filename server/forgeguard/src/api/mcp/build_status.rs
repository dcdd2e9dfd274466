//! A build as MCP clients see it: what they need to follow and control it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{api::build::Build, store::builds};

#[derive(Serialize, JsonSchema)]
pub struct BuildRow {
    build_id: String,
    /// In its project, from 1.
    number: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// queued, running, awaiting_input, paused, retrying, blocked, sealing, sealed or abandoned.
    status: &'static str,
    /// CERTIFIED, CONDITIONAL or FLAGGED, once it is sealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
    phases_done: u32,
    phase_count: u32,
    open_errors: u32,
    open_questions: u32,
    created_at: String,
}

#[derive(Serialize, JsonSchema)]
pub struct BuildStatus {
    build_id: String,
    project_id: String,
    number: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// queued, running, awaiting_input, paused, retrying, blocked, sealing, sealed or abandoned.
    status: &'static str,
    /// CERTIFIED, CONDITIONAL or FLAGGED, once it is sealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
    /// Why it is blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked: Option<&'static str>,
    branch: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    head_sha: Option<String>,
    phases_done: u32,
    phase_count: u32,
    open_errors: u32,
    /// Sequence number of the newest event, for forge_watch_build.
    head_seq: u64,
    /// Questions that it waits for; answer them with forge_answer_question.
    questions: Vec<Question>,
}

#[derive(Serialize, JsonSchema)]
struct Question {
    question_id: String,
    question: String,
    /// None: answer with free text.
    options: Vec<String>,
    /// Several options may be chosen.
    multiple: bool,
}

impl From<&builds::Build> for BuildRow {
    fn from(build: &builds::Build) -> Self {
        Self {
            build_id: build.id.to_string(),
            number: build.number,
            title: build.title.clone(),
            status: build.status.name(),
            verdict: build.verdict.map(|verdict| verdict.name()),
            phases_done: build.phases_done,
            phase_count: build.phase_count,
            open_errors: build.open_errors,
            open_questions: build.open_questions,
            created_at: build.created_at.to_rfc3339(),
        }
    }
}

impl From<Build> for BuildStatus {
    fn from(build: Build) -> Self {
        let Build { summary, head_sha, head_seq, open_clarifications, .. } = build;
        let questions = open_clarifications.into_iter().map(|asked| Question {
            question_id: asked.id.to_string(),
            question: asked.question,
            options: asked.options,
            multiple: asked.multiple,
        });
        Self {
            build_id: summary.id.to_string(),
            project_id: summary.project_id.to_string(),
            number: summary.number,
            title: summary.title,
            status: summary.status.name(),
            verdict: summary.verdict.map(|verdict| verdict.name()),
            blocked: summary.blocked_text,
            branch: summary.branch,
            head_sha,
            phases_done: summary.phases_done,
            phase_count: summary.phase_count,
            open_errors: summary.open_errors,
            head_seq,
            questions: questions.collect(),
        }
    }
}

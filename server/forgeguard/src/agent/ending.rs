//! The events that end a run, and the build errors that they cause.
//!
//! A run that fails (the model or a tool failed, the agent violated its protocol or repeated a call)
//! causes one build error, and so does each finding of an auditor that is an error or fatal. A tool
//! result that reports an error does not: it is for the agent, and in the journal anyway.

use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::{
    errors::Severity,
    event::{
        EventBody,
        agents::{AgentFinished, Role, RunOutcome},
    },
    failure::ErrorClass,
    ids::{BuildErrorId, BuildId, RunId},
    rounds,
    sign_off::Judgement,
    state::BuildState,
    stop_code::StopCode,
    tracking::{ObservedFailure, track_all},
};
use llm::ModelError;

/// The source under which a failure of the model is tracked.
pub const MODEL: &str = "model";

/// How a run ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// It did its task.
    Completed {
        /// The last text of the agent.
        summary: String,
    },
    /// The auditor has judged the phase.
    Judged { summary: String, judgement: Judgement },
    /// The agent stopped with a code.
    Stopped { code: StopCode, text: String },
    /// The agent repeated the same call with the same result.
    DoomLoop {
        tool: String,
        /// Consecutive calls.
        times: u32,
    },
    Failed {
        error_class: ErrorClass,
        /// The source of the build error: `model`, `tool:…` or `agent:…`.
        source: String,
        message: String,
        /// Wait requested by the model's provider, in seconds.
        retry_after_s: Option<u32>,
    },
}

impl Ending {
    /// The model did not reply.
    pub fn model_failed(error: &ModelError) -> Self {
        let error_class = match error.class() {
            llm::ErrorClass::Transient => ErrorClass::Transient,
            llm::ErrorClass::Config => ErrorClass::Config,
            llm::ErrorClass::Unknown => ErrorClass::Unknown,
        };
        // Rounded up: a request that is too early is rejected again.
        let seconds = |wait: Duration| wait.as_secs_f64().ceil() as u32;
        Self::Failed {
            error_class,
            source: MODEL.into(),
            message: error.to_string(),
            retry_after_s: error.retry_after().map(seconds),
        }
    }

    /// Spending is limited and the model's price is unknown.
    pub fn no_price(model: &str) -> Self {
        let message = format!(
            "the build has a spending limit, but the price of the model {model} is unknown: set it \
             under [catalog] in forgeguard.toml"
        );
        let error_class = ErrorClass::Config;
        Self::Failed { error_class, source: MODEL.into(), message, retry_after_s: None }
    }

    pub fn tool_failed(tool: &str, error_class: ErrorClass, message: String) -> Self {
        let source = format!("tool:{tool}");
        Self::Failed { error_class, source, message, retry_after_s: None }
    }

    /// The agent did not follow the protocol of its role.
    pub fn protocol_violation(role: Role, message: impl Into<String>) -> Self {
        let source = format!("agent:{}", role.name());
        let (error_class, message) = (ErrorClass::Unknown, message.into());
        Self::Failed { error_class, source, message, retry_after_s: None }
    }

    /// The events, with ids for new build errors from `new_id`.
    pub fn events(
        self,
        state: &BuildState,
        place: (BuildId, RunId),
        now: DateTime<Utc>,
        new_id: impl FnMut() -> BuildErrorId,
    ) -> Vec<EventBody> {
        let (build_id, run_id) = place;
        let mut events = match &self {
            Self::Judged { judgement, .. } => {
                judgement.criteria.iter().cloned().map(EventBody::from).collect()
            }
            _ => Vec::new(),
        };
        events.extend(track_all(state, build_id, new_id, now, self.errors()));
        let is_judged = matches!(self, Self::Judged { .. });
        let finished = self.finished(run_id);
        if is_judged {
            events.extend(rounds::resolve_closed_findings(state, &finished));
        }
        events.push(finished.into());
        events
    }

    fn errors(&self) -> Vec<ObservedFailure> {
        let error =
            |source: &str, message: &str| ObservedFailure::new(source, Severity::Error, message);
        match self {
            Self::Completed { .. } | Self::Stopped { .. } => Vec::new(),
            Self::Failed { source, message, .. } => vec![error(source, message)],
            Self::DoomLoop { tool, .. } => vec![error(&format!("tool:{tool}"), &self.summary())],
            Self::Judged { judgement, .. } => {
                let findings = judgement.findings.iter();
                let errors = findings.filter(|finding| finding.severity >= Severity::Error);
                errors.map(rounds::finding_failure).collect()
            }
        }
    }

    fn summary(&self) -> String {
        match self {
            Self::Completed { summary } | Self::Judged { summary, .. } => summary.clone(),
            Self::Stopped { text, .. } => text.clone(),
            Self::DoomLoop { tool, times } => {
                format!("the same call of {tool} gave the same result {times} times in a row")
            }
            Self::Failed { message, .. } => message.clone(),
        }
    }

    fn finished(self, run_id: RunId) -> AgentFinished {
        let summary = self.summary();
        let plain = |outcome, summary| AgentFinished {
            run_id,
            outcome,
            summary,
            findings: Vec::new(),
            earlier_findings: Vec::new(),
            deliverables: Vec::new(),
            cleared_weakenings: Vec::new(),
            signed_off: false,
        };
        match self {
            Self::Completed { .. } => plain(RunOutcome::Completed, summary),
            Self::Judged { judgement, .. } => {
                let Judgement {
                    criteria: _,
                    findings,
                    earlier_findings,
                    deliverables,
                    cleared_weakenings,
                    signed_off,
                } = judgement;
                AgentFinished {
                    findings,
                    earlier_findings,
                    deliverables,
                    cleared_weakenings,
                    signed_off,
                    ..plain(RunOutcome::Completed, summary)
                }
            }
            Self::Stopped { code, text } => plain(RunOutcome::Stopped { code, text }, summary),
            Self::DoomLoop { tool, .. } => plain(RunOutcome::DoomLoop { tool }, summary),
            Self::Failed { error_class, message, retry_after_s, .. } => {
                plain(RunOutcome::Failed { error_class, message, retry_after_s }, summary)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::event::agents::Finding;

    use super::*;

    fn finding(severity: Severity, text: &str) -> Finding {
        let (place, clause) = (Some("src/a.js:3".into()), Some("boundaries.core".into()));
        Finding { id: None, severity, place, clause, text: text.into() }
    }

    #[test]
    fn aborted_run_records_one_error() {
        let sources = |ending: Ending| -> Vec<String> {
            ending
                .errors()
                .into_iter()
                .map(|seen| format!("{}: {}", seen.source, seen.message))
                .collect()
        };
        assert_eq!(
            sources(Ending::model_failed(&ModelError::Truncated)),
            ["model: the model's reply was cut off"]
        );
        assert_eq!(
            sources(Ending::DoomLoop { tool: "read_file".into(), times: 3 }),
            ["tool:read_file: the same call of read_file gave the same result 3 times in a row"]
        );
        assert!(sources(Ending::Completed { summary: "done".into() }).is_empty());
        let code = StopCode::AmbiguousIntent;
        assert!(sources(Ending::Stopped { code, text: "two ways".into() }).is_empty());
    }

    #[test]
    fn only_critical_findings_are_errors() {
        let findings = vec![
            finding(Severity::Error, "imports up"),
            finding(Severity::Warning, "a long name"),
            finding(Severity::Fatal, "a key in the code"),
        ];
        let judgement = Judgement {
            criteria: vec![],
            deliverables: vec![],
            cleared_weakenings: vec![],
            earlier_findings: vec![],
            findings,
            signed_off: false,
        };
        let ending = Ending::Judged { summary: "no".into(), judgement };
        let seen = ending.errors();
        assert_eq!(seen.len(), 2);
        assert_eq!(seen[0].message, "src/a.js:3: [boundaries.core] imports up");
        assert_eq!(seen[1].severity, Severity::Fatal);
    }

    #[test]
    fn class_of_model_failure_is_kept() {
        let wait = Some(Duration::from_millis(1_200));
        let Ending::Failed { retry_after_s, .. } =
            Ending::model_failed(&ModelError::Overloaded { retry_after: wait })
        else {
            panic!("a model that failed is a failure");
        };
        assert_eq!(retry_after_s, Some(2));
        let class = |error| match Ending::model_failed(&error) {
            Ending::Failed { error_class, .. } => error_class,
            other => panic!("{other:?}"),
        };
        assert_eq!(class(ModelError::Truncated), ErrorClass::Transient);
        assert_eq!(class(ModelError::TooLong), ErrorClass::Unknown);
        assert_eq!(class(ModelError::QuotaExceeded { provider: "p".into() }), ErrorClass::Config);
    }
}

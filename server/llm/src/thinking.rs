//! How much a model thinks before it replies, and what of it the server has rejected.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::error::ModelError;

/// Reasoning effort, as far as a provider supports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    None,
    Minimal,
    Low,
    Medium,
    High,
    Xhigh,
    Max,
}

/// What to request; empty for the model's default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Thinking {
    pub effort: Option<Effort>,
    /// Maximum tokens of thinking in a reply; only Anthropic's API has it.
    pub budget: Option<u32>,
}

impl Effort {
    const ALL: [Self; 7] =
        [Self::None, Self::Minimal, Self::Low, Self::Medium, Self::High, Self::Xhigh, Self::Max];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Xhigh => "xhigh",
            Self::Max => "max",
        }
    }
}

impl Thinking {
    /// Parses `effort=high` or `thinking=8000`.
    pub fn parse(option: &str) -> Option<Self> {
        match option.split_once('=')? {
            ("effort", name) => {
                let effort = Effort::ALL.into_iter().find(|effort| effort.as_str() == name)?;
                Some(Self { effort: Some(effort), budget: None })
            }
            ("thinking", tokens) => {
                let budget = tokens.parse().ok().filter(|tokens| *tokens > 0)?;
                Some(Self { effort: None, budget: Some(budget) })
            }
            _ => None,
        }
    }
}

/// As it is appended to a model's name, such as `?effort=high`.
impl fmt::Display for Thinking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(effort) = self.effort {
            write!(f, "?effort={}", effort.as_str())?;
        }
        if let Some(budget) = self.budget {
            write!(f, "?thinking={budget}")?;
        }
        Ok(())
    }
}

/// What is requested, without what the server has rejected. Clones share what they learn.
#[derive(Clone, Debug, Default)]
pub(crate) struct AcceptedThinking {
    wanted: Thinking,
    rejected: Arc<AtomicBool>,
    summary_rejected: Arc<AtomicBool>,
}

impl AcceptedThinking {
    pub(crate) fn new(wanted: Thinking) -> Self {
        Self { wanted, ..Self::default() }
    }

    pub(crate) fn current(&self) -> Thinking {
        match self.rejected.load(Ordering::Relaxed) {
            true => Thinking::default(),
            false => self.wanted,
        }
    }

    /// Whether a summary of the reasoning can be requested.
    pub(crate) fn allows_summary(&self) -> bool {
        !self.rejected.load(Ordering::Relaxed) && !self.summary_rejected.load(Ordering::Relaxed)
    }

    /// Learns from an error; whether a request without what was rejected can succeed.
    pub(crate) fn learn(&self, error: &ModelError, sent_summary: bool) -> bool {
        let (ModelError::Refused { reason } | ModelError::UnsupportedParameter { reason }) = error
        else {
            return false;
        };
        let reason = reason.to_lowercase();
        if sent_summary && reason.contains("summar") {
            return !self.summary_rejected.swap(true, Ordering::Relaxed);
        }
        let sent = sent_summary || self.current() != Thinking::default();
        let is_named = ["reasoning", "effort", "thinking"].iter().any(|name| reason.contains(name));
        sent && is_named && !self.rejected.swap(true, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_of_a_name_is_parsed_and_shown() {
        for option in ["effort=high", "effort=none", "thinking=8000"] {
            assert_eq!(Thinking::parse(option).unwrap().to_string(), format!("?{option}"));
        }
        for option in ["", "effort", "effort=most", "thinking=0", "thinking=-1", "top_p=1"] {
            assert_eq!(Thinking::parse(option), None, "{option}");
        }
        assert_eq!(Thinking::default().to_string(), "");
    }

    #[test]
    fn only_what_was_rejected_is_left_out() {
        let high = Thinking::parse("effort=high").unwrap();
        let refused = |reason: &str| ModelError::Refused { reason: reason.to_owned() };
        let thinking = AcceptedThinking::new(high);
        assert!(!thinking.learn(&refused("tools.0 is wrong"), true));
        assert!(!thinking.learn(&ModelError::TooLong, true));
        let unverified =
            refused("Your organization must be verified to generate reasoning summaries");
        assert!(thinking.learn(&unverified, true) && !thinking.allows_summary());
        assert_eq!(thinking.current(), high);
        let unsupported = refused("Unsupported parameter: 'reasoning.effort'");
        assert!(thinking.learn(&unsupported, false));
        assert_eq!(thinking.current(), Thinking::default());
        assert!(!thinking.learn(&unsupported, false), "it is not retried again");
        assert!(!AcceptedThinking::default().learn(&unsupported, false), "nothing was sent");
    }
}

//! Classes of failure, and what each class means for the next try (design: "Failing well").

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What kind of failure ended an attempt.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// The outside world stumbled: time-outs, resets, overload.
    Transient,
    /// The code does not hold together: syntax, types, missing modules.
    CodeError,
    /// A gate said no.
    TestFailure,
    /// Out of memory or disk, or killed by a limit.
    Resource,
    /// A key, a model name or a quota that only a person can mend.
    Config,
    /// None of these.
    Unknown,
}

/// Seconds before each new attempt, by class of failure; the length of a list is the number of
/// attempts. What a person has to mend is never tried again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RetryWaits {
    /// For [`ErrorClass::Transient`].
    pub transient: Vec<u32>,
    /// For [`ErrorClass::CodeError`].
    pub code_error: Vec<u32>,
    /// For [`ErrorClass::TestFailure`].
    pub test_failure: Vec<u32>,
    /// For [`ErrorClass::Resource`].
    pub resource: Vec<u32>,
    /// For [`ErrorClass::Unknown`].
    pub unknown: Vec<u32>,
}

impl Default for RetryWaits {
    fn default() -> Self {
        let a_new_attempt = vec![120, 300, 900];
        Self {
            transient: vec![30, 60, 120, 240, 480],
            code_error: a_new_attempt.clone(),
            test_failure: a_new_attempt.clone(),
            resource: vec![900, 1_800],
            unknown: a_new_attempt,
        }
    }
}

impl RetryWaits {
    /// Seconds to wait at the most because somebody asked for it; longer than that is for a person.
    const LONGEST_ASKED_S: u32 = 3_600;

    /// The waits of a class.
    pub fn of(&self, class: ErrorClass) -> &[u32] {
        match class {
            ErrorClass::Transient => &self.transient,
            ErrorClass::CodeError => &self.code_error,
            ErrorClass::TestFailure => &self.test_failure,
            ErrorClass::Resource => &self.resource,
            ErrorClass::Unknown => &self.unknown,
            ErrorClass::Config => &[],
        }
    }

    /// Seconds before attempt `attempt` (1 is the first retry): what the class asks for, or what a
    /// provider asked for where that is longer. `None` when there is no such attempt.
    pub fn wait_s(
        &self,
        class: ErrorClass,
        attempt: u32,
        retry_after_s: Option<u32>,
    ) -> Option<u32> {
        let index = usize::try_from(attempt.checked_sub(1)?).ok()?;
        let asked = retry_after_s.unwrap_or_default().min(Self::LONGEST_ASKED_S);
        self.of(class).get(index).map(|wait_s| (*wait_s).max(asked))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(class: ErrorClass, attempt: u32, asked: Option<u32>) -> Option<u32> {
        RetryWaits::default().wait_s(class, attempt, asked)
    }

    #[test]
    fn a_config_failure_is_never_retried() {
        assert_eq!(wait(ErrorClass::Config, 1, Some(1)), None);
    }

    #[test]
    fn a_provider_may_ask_for_a_longer_wait_and_not_for_a_shorter_one() {
        let wait = |attempt, asked| wait(ErrorClass::Transient, attempt, asked);
        assert_eq!(wait(1, None), Some(30));
        assert_eq!(wait(1, Some(7)), Some(30));
        assert_eq!(wait(1, Some(90)), Some(90));
        assert_eq!(wait(1, Some(u32::MAX)), Some(3_600));
        assert_eq!(wait(6, Some(90)), None);
    }

    #[test]
    fn waits_end_with_the_tries() {
        assert_eq!(wait(ErrorClass::Transient, 5, None), Some(480));
        assert_eq!(wait(ErrorClass::Transient, 6, None), None);
        assert_eq!(wait(ErrorClass::Resource, 3, None), None);
        assert_eq!(wait(ErrorClass::TestFailure, 0, None), None);
    }
}

//! Classes of failures, and the retries that each class permits.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The class of the failure that ended an attempt.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// A temporary external failure: timeouts, connection resets, overload.
    Transient,
    /// Invalid code: syntax, types, missing modules.
    CodeError,
    /// A gate failed.
    TestFailure,
    /// Out of memory or disk, or ended by a limit.
    Resource,
    /// A key, a model name or a quota that a user must fix.
    Config,
    /// None of these.
    Unknown,
}

/// Seconds before each retry, by class of failure; the length of a list is the number of retries.
/// Failures of the class `config` are never retried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RetryWaits {
    pub transient: Vec<u32>,
    pub code_error: Vec<u32>,
    pub test_failure: Vec<u32>,
    pub resource: Vec<u32>,
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
    /// Upper limit of a wait that a provider asks for.
    const MAX_RETRY_AFTER_S: u32 = 3_600;

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

    /// Seconds before retry `attempt`, from 1: the class's wait, or the provider's if that is longer.
    /// `None` if there are no more retries.
    pub fn wait_s(
        &self,
        class: ErrorClass,
        attempt: u32,
        retry_after_s: Option<u32>,
    ) -> Option<u32> {
        let index = usize::try_from(attempt.checked_sub(1)?).ok()?;
        let asked = retry_after_s.unwrap_or_default().min(Self::MAX_RETRY_AFTER_S);
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
    fn config_failure_is_never_retried() {
        assert_eq!(wait(ErrorClass::Config, 1, Some(1)), None);
    }

    #[test]
    fn provider_can_lengthen_a_wait_and_not_shorten_it() {
        let wait = |attempt, asked| wait(ErrorClass::Transient, attempt, asked);
        assert_eq!(wait(1, None), Some(30));
        assert_eq!(wait(1, Some(7)), Some(30));
        assert_eq!(wait(1, Some(90)), Some(90));
        assert_eq!(wait(1, Some(u32::MAX)), Some(3_600));
        assert_eq!(wait(6, Some(90)), None);
    }

    #[test]
    fn wait_is_none_after_the_last_retry() {
        assert_eq!(wait(ErrorClass::Transient, 5, None), Some(480));
        assert_eq!(wait(ErrorClass::Transient, 6, None), None);
        assert_eq!(wait(ErrorClass::Resource, 3, None), None);
        assert_eq!(wait(ErrorClass::TestFailure, 0, None), None);
    }
}

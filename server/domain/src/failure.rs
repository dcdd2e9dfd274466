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

impl ErrorClass {
    /// Seconds to wait before each new attempt; its length is the number of attempts.
    pub fn waits_s(self) -> &'static [u32] {
        match self {
            Self::Transient => &[30, 60, 120, 240, 480],
            Self::CodeError | Self::TestFailure | Self::Unknown => &[120, 300, 900],
            Self::Resource => &[900, 1800],
            Self::Config => &[],
        }
    }

    /// Seconds to wait at the most because somebody asked for it; longer than that is for a person.
    const LONGEST_ASKED_S: u32 = 3_600;

    /// Seconds before attempt `attempt`: what the class asks for, or what a provider asked for where
    /// that is longer. `None` when there is no such attempt.
    pub fn wait_asked_s(self, attempt: u32, retry_after_s: Option<u32>) -> Option<u32> {
        let asked = retry_after_s.unwrap_or_default().min(Self::LONGEST_ASKED_S);
        self.wait_s(attempt).map(|wait_s| wait_s.max(asked))
    }

    /// The wait before attempt `attempt` (1 is the first retry), or `None` when there is no such attempt.
    pub fn wait_s(self, attempt: u32) -> Option<u32> {
        let index = usize::try_from(attempt.checked_sub(1)?).ok()?;
        self.waits_s().get(index).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_config_failure_is_never_retried() {
        assert_eq!(ErrorClass::Config.wait_s(1), None);
    }

    #[test]
    fn a_provider_may_ask_for_a_longer_wait_and_not_for_a_shorter_one() {
        let wait = |attempt, asked| ErrorClass::Transient.wait_asked_s(attempt, asked);
        assert_eq!(wait(1, None), Some(30));
        assert_eq!(wait(1, Some(7)), Some(30));
        assert_eq!(wait(1, Some(90)), Some(90));
        assert_eq!(wait(1, Some(u32::MAX)), Some(3_600));
        assert_eq!(wait(6, Some(90)), None);
    }

    #[test]
    fn waits_end_with_the_tries() {
        assert_eq!(ErrorClass::Transient.wait_s(1), Some(30));
        assert_eq!(ErrorClass::Transient.wait_s(5), Some(480));
        assert_eq!(ErrorClass::Transient.wait_s(6), None);
        assert_eq!(ErrorClass::Resource.wait_s(3), None);
        assert_eq!(ErrorClass::TestFailure.wait_s(0), None);
    }
}

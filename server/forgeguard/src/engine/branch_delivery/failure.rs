//! Why an attempt to deliver a build failed, and the class that decides about retries.

use std::time::Duration;

use domain::{failure::ErrorClass, remote::RemoteProblem};
use forge::{ForgeError, Retry};

use crate::engine::{forge_access::ForgeAccessError, remotes::RemoteError};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub message: String,
    pub class: ErrorClass,
    /// The shortest wait that the forge asked for.
    pub wait: Option<Duration>,
}

impl Failure {
    /// One that a person must fix.
    pub fn lasting(message: impl Into<String>) -> Self {
        Self { message: message.into(), class: ErrorClass::Config, wait: None }
    }

    pub fn push(error: RemoteError) -> Self {
        use RemoteProblem as P;
        let class = match error.problem {
            P::Network | P::Timeout | P::Cancelled => ErrorClass::Transient,
            P::Other => ErrorClass::Unknown,
            P::Login
            | P::NotFound
            | P::Redirected
            | P::HostKey
            | P::Rejected
            | P::TooLarge
            | P::Shallow
            | P::Empty
            | P::Diverged => ErrorClass::Config,
        };
        let advice = match error.problem {
            P::Rejected => {
                ". Nothing was overwritten: if the branch was changed at the remote, delete or rename \
                 it there, and retry"
            }
            _ => "",
        };
        let message = format!("The branch could not be pushed: {}{advice}.", error.message);
        Self { message, class, wait: None }
    }

    pub fn access(error: ForgeAccessError) -> Self {
        match error {
            ForgeAccessError::UnknownKind => Self::lasting(
                "ForgeGuard does not know the API of this server: open the pull request there, or \
                 choose the kind of the server in the project's settings and retry.",
            ),
            ForgeAccessError::NoToken => Self::lasting(
                "A pull request needs an access token, and the remote has none: open the pull \
                 request at the server, or choose a credential with a token and retry.",
            ),
            ForgeAccessError::Remote(error) => Self::push(error),
            ForgeAccessError::Forge(error) => Self::forge(&error),
            ForgeAccessError::Tls(message) => Self::lasting(message),
        }
    }

    pub fn forge(error: &ForgeError) -> Self {
        let (class, wait) = match error.retry() {
            Retry::After(wait) => (ErrorClass::Transient, wait),
            Retry::Never => (ErrorClass::Config, None),
        };
        let mut message = error.to_string();
        if let Some(first) = message.get(..1) {
            message = format!("{}{}", first.to_uppercase(), &message[1..]);
        }
        Self { message: format!("{message}."), class, wait }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_failures_that_may_pass_are_retried() {
        let push =
            |problem| Failure::push(RemoteError { problem, message: "it failed".to_owned() }).class;
        assert_eq!(push(RemoteProblem::Network), ErrorClass::Transient);
        assert_eq!(push(RemoteProblem::Rejected), ErrorClass::Config);
        let limited = ForgeError::RateLimited {
            message: "slow down".to_owned(),
            wait: Some(Duration::from_secs(90)),
        };
        let failure = Failure::forge(&limited);
        assert_eq!(
            (failure.class, failure.wait),
            (ErrorClass::Transient, Some(Duration::from_secs(90)))
        );
        let rejected = Failure::forge(&ForgeError::Unauthorized("bad credentials".to_owned()));
        assert_eq!(rejected.class, ErrorClass::Config);
        assert_eq!(rejected.message, "The forge rejected the token: bad credentials.");
    }
}

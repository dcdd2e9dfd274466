//! The state shared by all handlers, and its settings.

use std::{sync::Arc, time::Duration};

use chrono::TimeDelta;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    access::AccessMonitor,
    auth::{
        client_address::TrustedProxies, failed_sign_ins::FailedSignIns, origin::OwnAddress,
        password::Passwords, rate_limiter::LoginRateLimiter, setup_token::SetupToken,
        token::Tokens,
    },
    readiness::Readiness,
};
use crate::{engine::Engine, journal::Journal, store::Db};

pub type Shared = Arc<App>;

pub struct App {
    pub db: Db,
    pub journal: Journal,
    pub engine: Engine,
    pub passwords: Passwords,
    pub tokens: Tokens,
    pub login_rate_limiter: LoginRateLimiter,
    pub failed_sign_ins: FailedSignIns,
    pub access: Arc<AccessMonitor>,
    pub setup: SetupToken,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: TrustedProxies,
    pub approval: ApprovalPolicy,
    pub own_address: OwnAddress,
    pub stream: StreamLimits,
    /// How long a question in a new project waits for an answer; None: without limit.
    pub clarification_timeout_s: Option<u32>,
    pub readiness: Readiness,
    /// Cancelled when the service stops.
    pub stopping: CancellationToken,
    /// Open sockets; the service waits for them when it stops.
    pub sockets: TaskTracker,
}

/// What an approval requires in this installation.
#[derive(Clone, Copy, Debug)]
pub struct ApprovalPolicy {
    /// How many administrators have to approve.
    pub required: u32,
    /// How long administrators cannot approve builds of the account that gave them access.
    pub cooldown: TimeDelta,
}

impl Default for ApprovalPolicy {
    fn default() -> Self {
        Self { required: 1, cooldown: TimeDelta::hours(24) }
    }
}

/// Limits of sockets and event streams.
#[derive(Clone, Copy, Debug)]
pub struct StreamLimits {
    /// A connection on which one write takes longer is closed.
    pub write_timeout: Duration,
    /// A socket that has not signed in by then is closed.
    pub sign_in_timeout: Duration,
    pub ping_interval: Duration,
    /// A socket that sends nothing for this long, not even answers to pings, is closed.
    pub pong_timeout: Duration,
    /// How often the access to open streams is checked.
    pub access_check_interval: Duration,
}

impl Default for StreamLimits {
    fn default() -> Self {
        Self {
            write_timeout: Duration::from_secs(10),
            sign_in_timeout: Duration::from_secs(10),
            ping_interval: Duration::from_secs(15),
            pong_timeout: Duration::from_secs(60),
            // A stream is closed within five seconds, also on another node and under load.
            access_check_interval: Duration::from_secs(2),
        }
    }
}

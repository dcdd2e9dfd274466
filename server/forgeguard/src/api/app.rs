//! What every handler can reach.

use std::{sync::Arc, time::Duration};

use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::auth::{
    origin::OwnAddress, password::Passwords, setup_token::SetupToken, token::Tokens, tries::Tries,
};
use crate::{engine::Engine, journal::Journal, store::Db};

/// The state of the router.
pub type Shared = Arc<App>;

/// Everything that the routes stand on.
pub struct App {
    /// Where everything is kept.
    pub db: Db,
    /// Where builds are written and followed.
    pub journal: Journal,
    /// What runs builds.
    pub engine: Engine,
    /// Hashes and verifies passwords.
    pub passwords: Passwords,
    /// Signs and reads access tokens.
    pub tokens: Tokens,
    /// Counts failed sign-ins.
    pub tries: Tries,
    /// Opens the door to the first account.
    pub setup: SetupToken,
    /// Where browsers find us.
    pub own_address: OwnAddress,
    /// Time limits of the live streams.
    pub stream: StreamLimits,
    /// Seconds that a question waits in a new project; None waits for ever.
    pub clarification_timeout_s: Option<u32>,
    /// Cancelled when the service stops.
    pub stopping: CancellationToken,
    /// Open sockets, which the service waits for when it stops.
    pub sockets: TaskTracker,
}

/// Time limits of the live streams.
#[derive(Clone, Copy, Debug)]
pub struct StreamLimits {
    /// How long one write may stand still before the connection is given up as too slow.
    pub write_grace: Duration,
    /// How long a socket may stay without signing in.
    pub sign_in_grace: Duration,
    /// The time between two pings.
    pub ping_every: Duration,
}

impl Default for StreamLimits {
    fn default() -> Self {
        Self {
            write_grace: Duration::from_secs(10),
            sign_in_grace: Duration::from_secs(10),
            ping_every: Duration::from_secs(15),
        }
    }
}

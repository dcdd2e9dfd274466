//! How fast a demo build replays its recording.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DemoSpeed {
    /// Slow enough to follow.
    #[default]
    Normal,
    /// Four times as fast.
    Fast,
    /// Without delays.
    Instant,
}

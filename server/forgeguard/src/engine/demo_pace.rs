//! The replies of a demo build: those of its first or its follow-up build, delayed so that people can
//! follow it.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{demo_speed::DemoSpeed, ids::BuildId};
use futures::StreamExt;
use llm::{DeltaStream, ModelError, Provider, Request};
use tokio::{sync::Mutex, time::Instant};

use crate::store::{Db, demo_speeds};

/// How long a change of the speed may take to apply.
const REFRESH_INTERVAL: Duration = Duration::from_millis(500);

/// Before the labels of runs in the follow-up build.
const FOLLOW_UP: &str = "follow-up/";

/// A provider whose deltas are delayed by the current speed of a demo build.
pub struct PacedProvider {
    pub inner: Arc<dyn Provider>,
    pub is_follow_up: bool,
    pub pace: Arc<DemoPace>,
}

/// The delay before each delta, by the speed that the build's owner has set.
pub struct DemoPace {
    db: Db,
    build: BuildId,
    /// At normal speed.
    delay: Duration,
    /// The speed as last read.
    known: Mutex<Option<(Instant, DemoSpeed)>>,
}

impl DemoPace {
    pub fn new(db: Db, build: BuildId, delay: Duration) -> Self {
        Self { db, build, delay, known: Mutex::default() }
    }

    async fn wait(&self) {
        if self.delay.is_zero() {
            return;
        }
        let begun = Instant::now();
        loop {
            let delay = match self.speed().await {
                DemoSpeed::Normal => self.delay,
                DemoSpeed::Fast => self.delay / 4,
                DemoSpeed::Instant => return,
            };
            let left = delay.saturating_sub(begun.elapsed());
            if left.is_zero() {
                return;
            }
            tokio::time::sleep(left.min(REFRESH_INTERVAL)).await;
        }
    }

    async fn speed(&self) -> DemoSpeed {
        let mut known = self.known.lock().await;
        if let Some((read_at, speed)) = *known
            && read_at.elapsed() < REFRESH_INTERVAL
        {
            return speed;
        }
        let speed = match self.read().await {
            Ok(speed) => speed,
            Err(error) => {
                tracing::warn!(%error, build = %self.build, "cannot read the speed of a demo build");
                known.map_or_else(DemoSpeed::default, |(_, speed)| speed)
            }
        };
        *known = Some((Instant::now(), speed));
        speed
    }

    async fn read(&self) -> crate::store::Result<DemoSpeed> {
        demo_speeds::get(&mut self.db.read().await?, self.build).await
    }
}

#[async_trait]
impl Provider for PacedProvider {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn stream(&self, request: &Request) -> Result<DeltaStream, ModelError> {
        let prefix = if self.is_follow_up { FOLLOW_UP } else { "" };
        let request = Request { label: format!("{prefix}{}", request.label), ..request.clone() };
        let (deltas, pace) = (self.inner.stream(&request).await?, self.pace.clone());
        let delayed = deltas.then(move |delta| {
            let pace = pace.clone();
            async move {
                pace.wait().await;
                delta
            }
        });
        Ok(delayed.boxed())
    }
}

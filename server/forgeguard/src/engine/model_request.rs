//! A request that shows whether a model can be used.

use std::time::{Duration, Instant};

use llm::{Message, ModelError, Request, collect};
use tokio::time::timeout;

use super::models::Model;

/// Enough for one word, including the reasoning of models that think first.
const MAX_REPLY_TOKENS: u32 = 1_024;
const TEST_TIMEOUT: Duration = Duration::from_secs(60);

impl Model {
    /// Sends the model one short request, and returns the time until its reply was complete.
    ///
    /// # Errors
    /// Why there was no reply.
    pub async fn test(&self) -> Result<Duration, ModelError> {
        let request = Request {
            label: "doctor".to_owned(),
            model: self.name.clone(),
            system: "You answer with one word.".to_owned(),
            tools: [].into(),
            messages: vec![Message::user("Say: ready")],
            max_tokens: MAX_REPLY_TOKENS,
            forgotten_turns: 0,
            earlier_turns: 0,
        };
        let started = Instant::now();
        let reply = async { collect(self.provider.stream(&request).await?, |_| {}).await };
        let reply = timeout(TEST_TIMEOUT, reply).await;
        reply.unwrap_or(Err(ModelError::Timeout { after: TEST_TIMEOUT }))?;
        Ok(started.elapsed())
    }
}

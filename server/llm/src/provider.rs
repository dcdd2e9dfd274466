//! The trait that every provider implements.

use std::sync::Arc;

use async_trait::async_trait;
use futures::stream::BoxStream;

use crate::{error::ModelError, reply::Delta, request::Request};

/// The deltas of one reply. Dropping it ends the call.
pub type DeltaStream = BoxStream<'static, Result<Delta, ModelError>>;

/// Something that answers requests.
#[async_trait]
pub trait Provider: Send + Sync {
    /// Short name, as people see it.
    fn name(&self) -> &str;

    /// Starts one call. It is never repeated in here: waiting and asking again is up to the caller.
    ///
    /// # Errors
    /// What the provider said before the first delta; later errors are items of the stream.
    async fn stream(&self, request: &Request) -> Result<DeltaStream, ModelError>;
}

#[async_trait]
impl<P: Provider + ?Sized> Provider for Arc<P> {
    fn name(&self) -> &str {
        (**self).name()
    }

    async fn stream(&self, request: &Request) -> Result<DeltaStream, ModelError> {
        (**self).stream(request).await
    }
}

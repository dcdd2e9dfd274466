//! The trait that every provider implements.

use std::sync::Arc;

use async_trait::async_trait;
use futures::stream::BoxStream;

use crate::{
    error::ModelError,
    relay::{ModelApi, Relay},
    reply::Delta,
    request::Request,
};

/// The deltas of one reply. Dropping it cancels the call.
pub type DeltaStream = BoxStream<'static, Result<Delta, ModelError>>;

/// A provider of language models.
#[async_trait]
pub trait Provider: Send + Sync {
    /// Short name, as displayed.
    fn name(&self) -> &str;

    /// Starts one call. Never retries; that is up to the caller.
    ///
    /// # Errors
    /// Errors before the first delta; later ones are items of the stream.
    async fn stream(&self, request: &Request) -> Result<DeltaStream, ModelError>;

    /// Passes requests of an external agent to this API; `None` if the provider does not have it.
    fn relay(&self, _: ModelApi) -> Option<Arc<dyn Relay>> {
        None
    }
}

#[async_trait]
impl<P: Provider + ?Sized> Provider for Arc<P> {
    fn name(&self) -> &str {
        (**self).name()
    }

    async fn stream(&self, request: &Request) -> Result<DeltaStream, ModelError> {
        (**self).stream(request).await
    }

    fn relay(&self, api: ModelApi) -> Option<Arc<dyn Relay>> {
        (**self).relay(api)
    }
}

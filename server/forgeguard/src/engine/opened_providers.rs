//! The sign-in providers that were opened on this node, so that not every sign-in reads their
//! discovery documents.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use domain::ids::SignInProviderId;
use sso::sign_in::Provider;

use crate::store::sign_in_providers::SignInProvider;

const LIFETIME: Duration = Duration::from_secs(300);

#[derive(Default)]
pub struct OpenedProviders(Mutex<HashMap<SignInProviderId, Opened>>);

struct Opened {
    /// The settings that it was opened with.
    row: SignInProvider,
    at: Instant,
    provider: Arc<Provider>,
}

impl OpenedProviders {
    pub fn get(&self, row: &SignInProvider) -> Option<Arc<Provider>> {
        let opened = self.lock();
        let opened = opened.get(&row.id)?;
        let is_current = opened.row == *row && opened.at.elapsed() < LIFETIME;
        is_current.then(|| opened.provider.clone())
    }

    pub fn insert(&self, row: SignInProvider, provider: Arc<Provider>) {
        self.lock().insert(row.id, Opened { row, at: Instant::now(), provider });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SignInProviderId, Opened>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

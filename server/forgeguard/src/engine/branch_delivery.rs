//! Delivers sealed builds to the remotes of their projects: pushes the branch, opens a pull request,
//! and reads its state until it is closed. A sealed build accepts no events, so the work is a queue
//! of its own, and its results are in its table.
//!
//! - [`escaping`], [`body`]: the texts of a pull request
//! - [`failure`]: why an attempt failed
//! - [`attempt`]: the steps of one attempt

mod attempt;
mod body;
mod escaping;
mod failure;

use std::sync::Arc;

use chrono::TimeDelta;
use domain::{
    branch_delivery::{DeliverWhen, DeliveryState, next_look},
    failure::ErrorClass,
    ids::UserId,
    state::Status,
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::{
    error::EngineError,
    handle::Engine,
    queue::{self, Worker},
    settings::ProjectSettings,
};
use crate::store::{
    self, branch_deliveries,
    branch_deliveries::{BranchDelivery, DeliveryQueue, Lease},
    builds::{self, Build},
    projects::{self, Project},
    remotes, seals,
};
use attempt::{Attempt, Ended};
use failure::Failure;

/// Before an attempt is repeated after a failure of this service.
const RETRY_DELAY: TimeDelta = TimeDelta::seconds(5);

/// Delivers builds until shutdown. `base_url` is the address of this service in links.
pub async fn run(engine: Engine, base_url: String) {
    queue::run(DeliveryWorker { engine, base_url: base_url.into() }).await;
}

impl Engine {
    /// Delivers a sealed build now, tries again after a failure, or reads its pull request again.
    pub async fn request_delivery(
        &self,
        build: &Build,
        project: &Project,
        by: UserId,
    ) -> Result<(), EngineError> {
        if build.status != Status::Sealed {
            return Err(EngineError::NothingToDeliver);
        }
        let settings = ProjectSettings::read(&project.settings).map_err(EngineError::Settings)?;
        if settings.delivery.when == DeliverWhen::Never {
            return Err(EngineError::DeliveryOff);
        }
        let mut tx = self.db().write().await?;
        if remotes::get(&mut tx, project.id).await?.is_none() {
            return Err(EngineError::NoRemote);
        }
        branch_deliveries::request(&mut tx, store::new_id(), build.id, by, store::now()).await?;
        tx.commit().await?;
        self.wake_deliverers.notify_one();
        Ok(())
    }
}

#[derive(Clone)]
struct DeliveryWorker {
    engine: Engine,
    base_url: Arc<str>,
}

impl Worker for DeliveryWorker {
    type Queue = DeliveryQueue;

    fn engine(&self) -> &Engine {
        &self.engine
    }

    fn when_due(&self) -> &Notify {
        &self.engine.wake_deliverers
    }

    async fn work(&self, lease: Lease, stop: CancellationToken) {
        let worked = self.deliver(lease.clone(), stop).await;
        let Err(error) = worked else { return };
        tracing::error!(build_id = %lease.id, %error, "a build could not be delivered; trying again");
        if let Err(error) = self.hand_back(&lease, RETRY_DELAY).await {
            tracing::error!(build_id = %lease.id, %error, "the lease will expire");
        }
    }
}

impl DeliveryWorker {
    async fn deliver(&self, lease: Lease, stop: CancellationToken) -> Result<(), EngineError> {
        let Some(attempt) = self.attempt(lease, stop).await? else { return Ok(()) };
        let is_delivered = attempt.delivery.state == DeliveryState::Delivered;
        let outcome = match attempt.delivery.pr_number.filter(|_| is_delivered) {
            Some(number) => attempt.look(number).await,
            None => attempt.deliver().await,
        };
        match outcome {
            Ok(()) => Ok(()),
            Err(Ended::Stopped) => self.hand_back(&attempt.lease, TimeDelta::zero()).await,
            Err(Ended::Error(error)) => Err(error),
            Err(Ended::Failed(state, failure)) => self.fail(&attempt, state, failure).await,
        }
    }

    /// What is to be delivered; None if there is nothing, which is recorded.
    async fn attempt(
        &self,
        lease: Lease,
        stop: CancellationToken,
    ) -> Result<Option<Attempt>, EngineError> {
        let mut conn = self.engine.db().read().await?;
        let (delivery, build) = (
            branch_deliveries::get(&mut conn, lease.id).await?,
            builds::get(&mut conn, lease.id).await?,
        );
        let (Some(delivery), Some(build)) = (delivery, build) else { return Ok(None) };
        let project = projects::get(&mut conn, build.project_id).await?;
        let seal = seals::get(&mut conn, build.id).await?;
        let remote = remotes::get(&mut conn, build.project_id).await?;
        drop(conn);
        let (Some(project), Some(seal), Some(remote)) = (project, seal, remote) else {
            let state = match delivery.state {
                DeliveryState::Delivered => DeliveryState::Delivered,
                _ => DeliveryState::NoRemote,
            };
            self.finish(&lease, state, None).await?;
            return Ok(None);
        };
        let settings = ProjectSettings::read(&project.settings).map_err(EngineError::Settings)?;
        if !is_wanted(&delivery, &settings) {
            let mut tx = self.engine.db().write().await?;
            branch_deliveries::remove(&mut tx, &lease, store::now()).await?;
            tx.commit().await?;
            return Ok(None);
        }
        let link = format!("{}/projects/{}/builds/{}", self.base_url, project.slug, build.number);
        let engine = self.engine.clone();
        Ok(Some(Attempt {
            engine,
            lease,
            stop,
            delivery,
            build,
            project,
            settings,
            seal,
            remote,
            link,
        }))
    }

    /// Records a failure: another attempt follows by its class, or the delivery ends in `state`.
    async fn fail(
        &self,
        attempt: &Attempt,
        state: DeliveryState,
        failure: Failure,
    ) -> Result<(), EngineError> {
        let Failure { message, class, wait } = failure;
        let asked = wait.map(|wait| u32::try_from(wait.as_secs()).unwrap_or(u32::MAX));
        let next = attempt.delivery.attempts + 1;
        let waits = &self.engine.parts.waits;
        let wait = waits.wait_s(class, next, asked).map(|s| TimeDelta::seconds(s.into()));
        // The state of an open pull request is read again, even if that has failed for a while.
        let is_known = attempt.delivery.state == DeliveryState::Delivered;
        let since = store::now() - attempt.delivery.delivered_at.unwrap_or_else(store::now);
        let wait =
            wait.or(next_look(since).filter(|_| is_known).map(|it| it.max(TimeDelta::hours(1))));
        let is_config = class == ErrorClass::Config;
        tracing::warn!(build_id = %attempt.build.id, ?state, is_config, message, "delivering failed");
        let (now, lease) = (store::now(), &attempt.lease);
        let mut tx = self.engine.db().write().await?;
        match wait {
            Some(wait) => {
                branch_deliveries::retry_later(&mut tx, lease, &message, now, now + wait).await?
            }
            None if state == DeliveryState::Delivered && !is_known => {
                branch_deliveries::set_delivered(&mut tx, lease, Some(&message), now).await?
            }
            None => branch_deliveries::finish(&mut tx, lease, state, Some(&message), now).await?,
        };
        Ok(tx.commit().await?)
    }

    async fn finish(
        &self,
        lease: &Lease,
        state: DeliveryState,
        failure: Option<&str>,
    ) -> Result<(), EngineError> {
        let mut tx = self.engine.db().write().await?;
        branch_deliveries::finish(&mut tx, lease, state, failure, store::now()).await?;
        Ok(tx.commit().await?)
    }

    async fn hand_back(&self, lease: &Lease, wait: TimeDelta) -> Result<(), EngineError> {
        let mut tx = self.engine.db().write().await?;
        store::leases::hand_back::<DeliveryQueue>(&mut tx, lease, store::now() + wait).await?;
        Ok(tx.commit().await?)
    }
}

/// Whether a user has requested it, or the project wants it at the seal.
fn is_wanted(delivery: &BranchDelivery, settings: &ProjectSettings) -> bool {
    delivery.requested_by.is_some()
        || delivery.pr_number.is_some()
        || settings.delivery.when == DeliverWhen::AtSeal
}

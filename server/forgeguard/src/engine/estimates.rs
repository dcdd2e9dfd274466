//! Estimates of what a build will use, from the project's contracts and its earlier builds.

use domain::{
    estimate::{self, BuildEstimate, EarlierBuild, MAX_EARLIER_BUILDS, TokenPrices},
    event::agents::Role,
    state::Status,
};

use super::{error::EngineError, handle::Engine, models::Models};
use crate::store::{builds, contracts::Contract, projects::Project};

/// Characters of one token, on average.
const CHARS_PER_TOKEN: usize = 4;
/// The newest builds of a project among which sealed ones are looked for.
const MAX_SEARCHED_BUILDS: i64 = 20;

impl Engine {
    /// What a build of `phases` phases with these contracts would probably use.
    pub(super) async fn estimate(
        &self,
        project: &Project,
        models: &Models,
        phases: usize,
        contracts: &[Contract],
    ) -> Result<BuildEstimate, EngineError> {
        let chars: usize = contracts.iter().map(|it| it.content.chars().count()).sum();
        let price = models.of(Role::Coder).price;
        let prices = price.map(|price| TokenPrices {
            input: price.input,
            cached_input: price.cache_read,
            output: price.output,
        });
        let earlier = self.earlier_builds(project, models.shown()).await?;
        let phases = u32::try_from(phases).unwrap_or(u32::MAX);
        Ok(estimate::estimate(phases, (chars / CHARS_PER_TOKEN) as u64, &earlier, prices))
    }

    async fn earlier_builds(
        &self,
        project: &Project,
        model: &str,
    ) -> Result<Vec<EarlierBuild>, EngineError> {
        let mut conn = self.db().read().await?;
        let builds = builds::list(&mut conn, project.id, None, MAX_SEARCHED_BUILDS).await?;
        drop(conn);
        // A follow-up implements comments, not phases of a contract.
        let sealed = builds.iter().filter(|it| it.status == Status::Sealed && it.follows.is_none());
        let mut earlier = Vec::new();
        for build in sealed.take(MAX_EARLIER_BUILDS) {
            let state = self.journal().state(build.id).await?;
            earlier.push(EarlierBuild {
                phases: build.phase_count,
                tokens: state.spent.tokens_in.saturating_add(state.spent.tokens_out),
                usd_micros: state.spent.usd_micros,
                is_same_model: build.model.as_deref() == Some(model),
            });
        }
        Ok(earlier)
    }
}

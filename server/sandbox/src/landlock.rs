//! Kernel rules on files, TCP ports and signals.

use ::landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, LandlockStatus, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use crate::system;
use crate::wire::Walls;

/// The first version that also covers truncation; without that, files outside can be emptied.
const NEEDED: ABI = ABI::V3;
const WANTED: ABI = ABI::V9;

/// Shuts this process and all its children in for good. Returns the kernel's Landlock version,
/// or `None` where there is none and the walls do not depend on it.
pub fn restrict(walls: &Walls) -> Result<Option<i32>, String> {
    let status = apply(walls).map_err(|error| format!("Landlock: {error}"))?;
    match status {
        (RulesetStatus::NotEnforced, _) if walls.landlock_required => {
            Err("Landlock is missing or switched off in this kernel".into())
        }
        (RulesetStatus::NotEnforced, _) => Ok(None),
        (_, abi) => Ok(abi),
    }
}

/// Keeps this process and all its children from signalling anybody else, and nothing more.
/// Says whether the kernel can do that.
pub fn scope_signals() -> bool {
    let restrict = || -> Result<RulesetStatus, RulesetError> {
        let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        Ok(ruleset.scope(Scope::Signal)?.create()?.restrict_self()?.ruleset)
    };
    matches!(restrict(), Ok(RulesetStatus::FullyEnforced))
}

fn apply(walls: &Walls) -> Result<(RulesetStatus, Option<i32>), RulesetError> {
    let needed = match walls.landlock_required {
        true => CompatLevel::HardRequirement,
        false => CompatLevel::BestEffort,
    };
    let mut ruleset = Ruleset::default()
        .set_compatibility(needed)
        .handle_access(AccessFs::from_all(NEEDED))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(WANTED))?
        .scope(Scope::Signal)?
        .scope(Scope::AbstractUnixSocket)?;
    if !walls.tcp {
        ruleset = ruleset.handle_access(AccessNet::from_all(WANTED))?;
    }
    let read = AccessFs::from_read(WANTED);
    let look = AccessFs::ReadFile | AccessFs::ReadDir;
    let device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev;
    let facts = system::KERNEL_FACTS.iter().chain([&system::KERNEL_SETTINGS, &"/proc/self"]);
    let status = ruleset
        .create()?
        .add_rules(path_beneath_rules(&walls.read, read))?
        .add_rules(path_beneath_rules(&walls.write, AccessFs::from_all(WANTED)))?
        .add_rules(path_beneath_rules(system::DEVICES, device))?
        .add_rules(path_beneath_rules(facts, look))?
        .restrict_self()?;
    let abi = match status.landlock {
        LandlockStatus::Available { effective_abi, kernel_abi } => {
            Some(kernel_abi.unwrap_or(effective_abi as i32))
        }
        LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => None,
    };
    Ok((status.ruleset, abi))
}

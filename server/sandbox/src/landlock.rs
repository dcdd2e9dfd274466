//! Kernel rules on files, TCP ports and signals.

use ::landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, LandlockStatus, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use crate::system;
use crate::wire::Restrictions;

/// The first version that restricts truncation; before it, files outside could be emptied.
const MIN_ABI: ABI = ABI::V3;
const TARGET_ABI: ABI = ABI::V9;

/// Restricts this process and all its children irrevocably. Returns the kernel's Landlock version,
/// or `None` if there is none and the level does not require it.
pub fn restrict(restrictions: &Restrictions) -> Result<Option<i32>, String> {
    let status = apply(restrictions).map_err(|error| format!("Landlock: {error}"))?;
    match status {
        (RulesetStatus::NotEnforced, _) if restrictions.landlock_required => {
            Err("Landlock is missing or disabled in this kernel".into())
        }
        (RulesetStatus::NotEnforced, _) => Ok(None),
        (_, abi) => Ok(abi),
    }
}

/// Prevents this process and all its children from signalling other processes, and restricts
/// nothing else. Returns whether the kernel supports that.
pub fn scope_signals() -> bool {
    let restrict = || -> Result<RulesetStatus, RulesetError> {
        // Every ruleset forbids moving files between directories unless it grants it.
        let ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::Refer)?
            .scope(Scope::Signal)?
            .create()?
            .add_rules(path_beneath_rules(["/"], AccessFs::Refer))?;
        Ok(ruleset.restrict_self()?.ruleset)
    };
    matches!(restrict(), Ok(RulesetStatus::FullyEnforced))
}

fn apply(restrictions: &Restrictions) -> Result<(RulesetStatus, Option<i32>), RulesetError> {
    let needed = match restrictions.landlock_required {
        true => CompatLevel::HardRequirement,
        false => CompatLevel::BestEffort,
    };
    let mut ruleset = Ruleset::default()
        .set_compatibility(needed)
        .handle_access(AccessFs::from_all(MIN_ABI))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(TARGET_ABI))?
        .scope(Scope::Signal)?
        .scope(Scope::AbstractUnixSocket)?;
    if !restrictions.tcp {
        ruleset = ruleset.handle_access(AccessNet::from_all(TARGET_ABI))?;
    }
    let read = AccessFs::from_read(TARGET_ABI);
    let list = AccessFs::ReadFile | AccessFs::ReadDir;
    let device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev;
    let proc_files = system::PROC_FILES.iter().chain([&system::PROC_SYS, &"/proc/self"]);
    let status = ruleset
        .create()?
        .add_rules(path_beneath_rules(&restrictions.read, read))?
        .add_rules(path_beneath_rules(
            restrictions.writable.paths(),
            AccessFs::from_all(TARGET_ABI),
        ))?
        .add_rules(path_beneath_rules(system::DEVICES, device))?
        .add_rules(path_beneath_rules(proc_files, list))?
        .restrict_self()?;
    let abi = match status.landlock {
        LandlockStatus::Available { effective_abi, kernel_abi } => {
            Some(kernel_abi.unwrap_or(effective_abi as i32))
        }
        LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => None,
    };
    Ok((status.ruleset, abi))
}

//! Validates a policy and a command, and builds the supervisor's job from them.

use std::io;
use std::net::SocketAddr;
use std::path::{Component, Path, PathBuf};

use crate::bubblewrap::{self, View};
use crate::cgroup::RunGroup;
use crate::egress::{self, EgressRules};
use crate::error::SandboxError;
use crate::git_pointer::GitPointer;
use crate::level::Level;
use crate::policy::{Command, Policy};
use crate::readable_paths::without_hidden;
use crate::run_dir::RunDir;
use crate::system;
use crate::wire::{CONFINE, Confinement, Job, RUN_VARIABLE, Restrictions, Sockets, Writable};

/// Levels of bubblewrap processes between the supervisor and the command.
const BUBBLEWRAP_DEPTH: u8 = 2;

/// A validated policy and command. All paths exist and are canonical.
pub struct Plan {
    policy: Policy,
    command: Command,
    /// Relative to the worktree.
    cwd: PathBuf,
    pointer: Option<GitPointer>,
}

impl Plan {
    /// Resolves and checks every path.
    pub fn new(mut policy: Policy, command: Command) -> Result<Self, SandboxError> {
        if command.argv.first().is_none_or(String::is_empty) {
            return Err(SandboxError::CommandEmpty);
        }
        if policy.level == Level::Landlock && policy.network.is_some() {
            return Err(SandboxError::NetworkNeedsStrict);
        }
        if policy.level != Level::Strict && policy.service.is_some() {
            return Err(SandboxError::ServiceNeedsStrict);
        }
        if policy.level != Level::Strict && policy.home.is_some() {
            return Err(SandboxError::HomeNeedsStrict);
        }
        policy.worktree = canonicalize(&policy.worktree)?;
        policy.home = policy.home.as_deref().map(canonicalize).transpose()?;
        policy.git_dir = policy.git_dir.as_deref().map(canonicalize).transpose()?;
        policy.hidden = policy.hidden.iter().filter_map(|path| path.canonicalize().ok()).collect();
        for path in policy.readable.iter().chain(&policy.path) {
            canonicalize(path)?;
        }
        if let Some(path) = policy.hidden.iter().find(|path| path.starts_with(&policy.worktree)) {
            return Err(SandboxError::HiddenInsideWorktree(path.clone()));
        }
        if let (Level::Landlock, Some(git_dir)) = (policy.level, &policy.git_dir)
            && git_dir.starts_with(&policy.worktree)
        {
            return Err(SandboxError::GitDirWritable(git_dir.clone()));
        }
        let cwd = resolve_cwd(&policy.worktree, &command.cwd)?;
        let content = policy.git_pointer.take();
        let pointer = content.map(|content| GitPointer::new(&policy.worktree, content));
        Ok(Self { policy, command, cwd, pointer })
    }

    pub fn level(&self) -> Level {
        self.policy.level
    }

    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The worktree's `.git` file, if the policy protects one.
    pub fn pointer(&self) -> Option<&GitPointer> {
        self.pointer.as_ref()
    }

    pub fn command(&self) -> &Command {
        &self.command
    }

    /// The rules of the proxy that the run needs, if any.
    pub fn egress(&self) -> Option<&EgressRules> {
        self.policy.network.as_ref().filter(|_| self.policy.level == Level::Strict)
    }

    /// Where listeners of the service are opened in the command's network namespace.
    fn listeners(&self) -> Vec<SocketAddr> {
        let proxy = self.egress().map(|_| egress::PROXY_ADDRESS);
        let service = self.policy.service.as_ref().map(|_| egress::SERVICE_ADDRESS);
        proxy.into_iter().chain(service).collect()
    }

    pub fn job(
        &self,
        run: &RunDir,
        control_group: Option<RunGroup>,
        supervisor: &Path,
        bubblewrap: Option<&Path>,
    ) -> Result<Job, SandboxError> {
        let strict = self.policy.level == Level::Strict;
        let mut program = Vec::new();
        if strict {
            let refused =
                |reason: String| SandboxError::NotConfined { level: Level::Strict, reason };
            let bubblewrap =
                bubblewrap.ok_or_else(|| refused("bubblewrap is not installed".to_owned()))?;
            let view = View { policy: &self.policy, run, pointer: self.pointer(), supervisor };
            let arguments = bubblewrap::arguments(&view)
                .map_err(SandboxError::system("preparing the sandbox's view of the system"))?;
            program.push(path_to_string(bubblewrap)?);
            program.extend(arguments);
        } else {
            program.push(path_to_string(supervisor)?);
        }
        program.push(CONFINE.to_owned());
        Ok(Job {
            program,
            wrapper_depth: if strict { BUBBLEWRAP_DEPTH } else { 0 },
            confinement: Confinement {
                argv: self.command.argv.clone(),
                worktree: self.policy.worktree.clone(),
                cwd: self.cwd.clone(),
                environment: self.environment(run)?,
                limits: self.policy.limits,
                listeners: self.listeners(),
                restrictions: self.restrictions(run, control_group.is_some()),
            },
            control_group,
            interrupted_first: self.command.interrupted_first,
        })
    }

    fn restrictions(&self, run: &RunDir, memory_is_counted: bool) -> Option<Restrictions> {
        let policy = &self.policy;
        let worktree = policy.worktree.clone();
        match policy.level {
            Level::None => None,
            // Bubblewrap's view contains only readable paths.
            Level::Strict => Some(Restrictions {
                read: vec!["/".into()],
                writable: Writable::in_view(worktree),
                tcp: true,
                landlock_required: false,
                sockets: Sockets::All,
                memory_is_counted,
                host_ipc: false,
            }),
            Level::Landlock => Some(Restrictions {
                read: self.readable_in_place(),
                writable: Writable::in_place(worktree, run),
                tcp: false,
                landlock_required: true,
                memory_is_counted,
                sockets: Sockets::Closed,
                host_ipc: true,
            }),
        }
    }

    fn readable_in_place(&self) -> Vec<PathBuf> {
        let policy = &self.policy;
        let all: Vec<PathBuf> = system::DIRECTORIES
            .iter()
            .map(PathBuf::from)
            .chain(system::configuration())
            .chain(policy.readable.iter().cloned())
            .chain(policy.path.iter().cloned())
            .filter_map(|path| path.canonicalize().ok())
            .collect();
        let mut granted = without_hidden(&all, &policy.hidden);
        granted.extend(policy.git_dir.clone());
        granted
    }

    fn environment(&self, run: &RunDir) -> Result<Vec<(String, String)>, SandboxError> {
        let policy = &self.policy;
        let mut path = Vec::new();
        for directory in &policy.path {
            path.push(path_to_string(directory)?);
        }
        path.push(system::PATH.to_owned());
        let (temporary, home) = match policy.level {
            Level::Strict => ("/tmp".into(), bubblewrap::HOME.into()),
            Level::Landlock | Level::None => (run.temporary(), run.home()),
        };
        let mut all = vec![
            ("PATH".to_owned(), path.join(":")),
            ("HOME".to_owned(), path_to_string(&home)?),
            ("TMPDIR".to_owned(), path_to_string(&temporary)?),
            ("LANG".to_owned(), "C.UTF-8".to_owned()),
            ("TERM".to_owned(), "dumb".to_owned()),
            ("CI".to_owned(), "1".to_owned()),
            // Bytecode beside the sources would belong to no commit.
            ("PYTHONDONTWRITEBYTECODE".to_owned(), "1".to_owned()),
            // The repository is read-only, so git must not refresh its index, and the host's git
            // configuration may name programs and secrets.
            ("GIT_OPTIONAL_LOCKS".to_owned(), "0".to_owned()),
            ("GIT_CONFIG_NOSYSTEM".to_owned(), "1".to_owned()),
            (RUN_VARIABLE.to_owned(), run.id.clone()),
        ];
        if self.egress().is_some() {
            all.extend(egress::variables());
        }
        for (name, value) in &policy.environment {
            all.retain(|(known, _)| known != name || known == RUN_VARIABLE);
            if name != RUN_VARIABLE {
                all.push((name.clone(), value.clone()));
            }
        }
        Ok(all)
    }
}

fn canonicalize(path: &Path) -> Result<PathBuf, SandboxError> {
    let unusable = |reason: String| SandboxError::PathUnusable { path: path.to_owned(), reason };
    if !path.is_absolute() {
        return Err(unusable("it is not absolute".into()));
    }
    path.canonicalize().map_err(|error: io::Error| unusable(error.to_string()))
}

/// Resolves symbolic links and returns the directory relative to the worktree.
fn resolve_cwd(worktree: &Path, cwd: &Path) -> Result<PathBuf, SandboxError> {
    let outside = || SandboxError::DirectoryOutside(cwd.to_owned());
    if !cwd.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(outside());
    }
    let found = worktree.join(cwd).canonicalize().map_err(|_| outside())?;
    let below = found.strip_prefix(worktree).map_err(|_| outside())?;
    if found.is_dir() { Ok(below.to_owned()) } else { Err(outside()) }
}

fn path_to_string(path: &Path) -> Result<String, SandboxError> {
    path.to_str().map(str::to_owned).ok_or_else(|| SandboxError::PathUnusable {
        path: path.to_owned(),
        reason: "it is not UTF-8".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directory_outside_the_worktree_is_rejected() {
        let tree = tempfile::tempdir().unwrap();
        std::fs::create_dir(tree.path().join("below")).unwrap();
        std::os::unix::fs::symlink("/usr", tree.path().join("away")).unwrap();
        let top = tree.path().canonicalize().unwrap();
        assert_eq!(resolve_cwd(&top, Path::new("below")).unwrap(), Path::new("below"));
        for cwd in ["..", "below/../..", "/usr", "away", "missing"] {
            let refusal = resolve_cwd(&top, Path::new(cwd)).unwrap_err();
            assert!(matches!(refusal, SandboxError::DirectoryOutside(_)), "{cwd}");
        }
    }

    #[test]
    fn policy_that_no_level_can_enforce_is_rejected() {
        let tree = tempfile::tempdir().unwrap();
        std::fs::create_dir(tree.path().join(".git")).unwrap();
        let mut policy = Policy::new(Level::Landlock, tree.path());
        policy.git_dir = Some(tree.path().join(".git"));
        let refusal = Plan::new(policy.clone(), Command::shell("true")).err().unwrap();
        assert!(matches!(refusal, SandboxError::GitDirWritable(_)));
        policy.hidden = vec![tree.path().join(".git")];
        let refusal = Plan::new(policy, Command::shell("true")).err().unwrap();
        assert!(matches!(refusal, SandboxError::HiddenInsideWorktree(_)));
    }
}

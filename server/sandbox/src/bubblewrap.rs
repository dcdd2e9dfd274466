//! The view of the machine that bubblewrap builds for the strict level.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::policy::Policy;
use crate::run_dir::RunDir;
use crate::system;

/// Where this program is found inside, whatever its place outside.
const SUPERVISOR: &str = "/.sandbox-supervisor";
/// The user inside; outside it is the service's own, so what it makes belongs to the service.
const USER: &str = "1000";
const PLACES: [&str; 3] = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"];

/// What the view is made from.
pub struct View<'a> {
    pub policy: &'a Policy,
    pub run: &'a RunDir,
    /// The worktree's `.git` file, to be covered with itself, read-only.
    pub pointer: Option<&'a Path>,
    pub supervisor: &'a Path,
}

/// The program, if it is installed.
pub fn find() -> Option<PathBuf> {
    PLACES.iter().map(PathBuf::from).find(|path| path.is_file())
}

/// Arguments up to and including the program to run inside. Writes the users' files on the way.
pub fn arguments(view: &View<'_>) -> io::Result<Vec<String>> {
    let mut list = List::default();
    for flag in ["user", "pid", "ipc", "uts"] {
        list.flag(&format!("--unshare-{flag}"));
    }
    list.flag("--unshare-cgroup-try");
    if !view.policy.network {
        list.flag("--unshare-net");
    }
    list.flags(&["--uid", USER, "--gid", USER, "--hostname", "sandbox", "--cap-drop", "ALL"]);
    list.flags(&["--die-with-parent", "--new-session", "--proc", "/proc", "--dev", "/dev"]);
    list.bind("--bind", &view.run.shared_memory(), Path::new("/dev/shm"))?;
    list.bind("--bind", &view.run.temporary(), Path::new("/tmp"))?;
    show_system(&mut list, view)?;
    show_policy(&mut list, view.policy)?;
    if let Some(pointer) = view.pointer {
        list.same("--ro-bind", pointer)?;
    }
    list.bind("--ro-bind", view.supervisor, Path::new(SUPERVISOR))?;
    list.flags(&["--remount-ro", "/", "--", SUPERVISOR]);
    Ok(list.0)
}

fn show_system(list: &mut List, view: &View<'_>) -> io::Result<()> {
    for directory in system::DIRECTORIES.map(Path::new) {
        if let Ok(target) = fs::read_link(directory) {
            list.flag("--symlink");
            list.path(&target)?;
            list.path(directory)?;
        } else if directory.is_dir() {
            list.same("--ro-bind", directory)?;
        }
    }
    for path in system::configuration() {
        list.same("--ro-bind", &path)?;
    }
    let users = [
        ("passwd", format!("builder:x:{USER}:{USER}::/tmp/home:/bin/sh\n")),
        ("group", format!("builder:x:{USER}:\n")),
    ];
    for (name, content) in users {
        let file = view.run.etc().join(name);
        fs::write(&file, content)?;
        list.bind("--ro-bind", &file, &Path::new("/etc").join(name))?;
    }
    Ok(())
}

/// Hidden trees are covered, and what was named inside them on purpose is laid on top.
fn show_policy(list: &mut List, policy: &Policy) -> io::Result<()> {
    let named: Vec<&PathBuf> = policy.readable.iter().chain(&policy.path).collect();
    let is_hidden = |path: &Path| policy.hidden.iter().any(|hidden| path.starts_with(hidden));
    let (inside, outside): (Vec<&PathBuf>, Vec<&PathBuf>) =
        named.into_iter().partition(|path| is_hidden(path));
    for path in &outside {
        list.same("--ro-bind", path)?;
    }
    for hidden in &policy.hidden {
        let shown = system::DIRECTORIES
            .iter()
            .map(Path::new)
            .chain(outside.iter().map(|path| path.as_path()))
            .any(|shown| hidden.starts_with(shown));
        if shown && hidden.is_dir() {
            list.flag("--tmpfs");
            list.path(hidden)?;
        } else if shown {
            list.bind("--ro-bind", Path::new("/dev/null"), hidden)?;
        }
    }
    for path in inside {
        list.same("--ro-bind", path)?;
    }
    list.same("--bind", &policy.worktree)?;
    if let Some(git_dir) = &policy.git_dir {
        list.same("--ro-bind", git_dir)?;
    }
    Ok(())
}

#[derive(Default)]
struct List(Vec<String>);

impl List {
    fn flag(&mut self, flag: &str) {
        self.0.push(flag.to_owned());
    }

    fn flags(&mut self, flags: &[&str]) {
        flags.iter().for_each(|flag| self.flag(flag));
    }

    fn path(&mut self, path: &Path) -> io::Result<()> {
        let text = path.to_str().ok_or_else(|| io::Error::other("a path is not UTF-8"))?;
        self.flag(text);
        Ok(())
    }

    fn same(&mut self, kind: &str, path: &Path) -> io::Result<()> {
        self.bind(kind, path, path)
    }

    fn bind(&mut self, kind: &str, from: &Path, to: &Path) -> io::Result<()> {
        self.flag(kind);
        self.path(from)?;
        self.path(to)
    }
}

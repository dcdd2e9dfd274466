//! Skills: instructions for specific kinds of work, which agents load on demand.
//!
//! The bundled ones are in the binary. A project's are in its `.forge/skills/<name>/SKILL.md`: they
//! are untrusted, like every file of the worktree, and invalid ones are skipped.

use serde::Deserialize;

use super::{syntax::yaml_options, walk::walk, work_path::WorkPath, worktree::Worktree};

const FOLDER: &str = ".forge/skills";
const FILE: &str = "SKILL.md";
/// Size limit of a file, in bytes.
const MAX_FILE: u64 = 32 * 1024;
/// Size limit of a name, in characters.
const MAX_NAME: usize = 64;
/// Descriptions are cut to this many characters.
const MAX_DESCRIPTION: usize = 160;
/// Skills per project.
const MAX_SKILLS: usize = 20;
/// Entries searched for skills.
const LOOKED_AT: usize = 1_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    /// Lower-case letters, digits and `-`; its folder's name.
    pub name: String,
    /// When to use it, on one line.
    pub description: String,
    /// What to do.
    pub body: String,
}

#[derive(Deserialize)]
struct Front {
    name: String,
    description: String,
}

/// The bundled skills and those of a project, by name. A project's skill replaces a bundled one.
pub fn skills(tree: &Worktree) -> Vec<Skill> {
    let mut skills = of_project(tree);
    for ours in bundled() {
        if skills.iter().all(|skill| skill.name != ours.name) {
            skills.push(ours);
        }
    }
    skills.sort_by(|one, other| one.name.cmp(&other.name));
    skills
}

/// The path of a project's skill.
pub fn place(name: &str) -> Option<WorkPath> {
    WorkPath::parse(&format!("{FOLDER}/{name}/{FILE}")).ok()
}

fn of_project(tree: &Worktree) -> Vec<Skill> {
    let Ok(folder) = WorkPath::parse(FOLDER) else { return Vec::new() };
    let files = walk(tree, &folder, Some(2)).take(LOOKED_AT).filter_map(|path| {
        let (folder, file) = path.split()?;
        let (_, name) = folder.split()?;
        (file == FILE).then(|| read(tree, &path, name)).flatten()
    });
    files.take(MAX_SKILLS).collect()
}

fn read(tree: &Worktree, path: &WorkPath, folder: &str) -> Option<Skill> {
    let text = String::from_utf8(tree.read(path, MAX_FILE).ok()?).ok()?;
    parse(&text).filter(|skill| skill.name == folder)
}

fn bundled() -> impl Iterator<Item = Skill> {
    macro_rules! file {
        ($name:literal) => {
            include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../../static/templates/skills/",
                $name,
                "/SKILL.md"
            ))
        };
    }
    [file!("change-an-interface"), file!("trace-a-failure")].into_iter().filter_map(parse)
}

/// Front matter between two lines `---`, then the body.
fn parse(text: &str) -> Option<Skill> {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let (front, body) = text.strip_prefix("---\n")?.split_once("\n---\n")?;
    let Front { name, description } =
        serde_saphyr::from_str_with_options(front, yaml_options()).ok()?;
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(fits) {
        return None;
    }
    let description = on_one_line(&description);
    let body = body.trim().to_owned();
    (!description.is_empty() && !body.is_empty()).then_some(Skill { name, description, body })
}

fn on_one_line(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_DESCRIPTION) {
        Some((end, _)) => format!("{} […]", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::symlink};

    fn names(tree: &Worktree) -> Vec<String> {
        skills(tree).into_iter().map(|skill| skill.name).collect()
    }

    fn text(name: &str, description: &str) -> String {
        format!("---\nname: {name}\ndescription: {description}\nlicense: MIT\n---\n\n# Do it\n")
    }

    #[test]
    fn ours_are_well_formed_and_short() {
        let ours: Vec<Skill> = bundled().collect();
        assert_eq!(ours.len(), 2);
        for skill in ours {
            assert!(skill.body.starts_with("# ") && skill.body.len() < 2_000, "{skill:?}");
            assert!(!skill.description.ends_with("[…]"), "{skill:?}");
        }
    }

    #[test]
    fn project_skills_replace_bundled_skills() {
        let folder = tempfile::tempdir().unwrap();
        for (name, description) in
            [("deploy", "\"When\\nit goes out.\""), ("trace-a-failure", "Mine")]
        {
            let place = folder.path().join(FOLDER).join(name);
            fs::create_dir_all(&place).unwrap();
            fs::write(place.join(FILE), text(name, description)).unwrap();
        }
        let tree = Worktree::open(folder.path()).unwrap();
        assert_eq!(names(&tree), ["change-an-interface", "deploy", "trace-a-failure"]);
        let skills = skills(&tree);
        assert_eq!(skills[1].description, "When it goes out.");
        assert_eq!((skills[2].description.as_str(), skills[2].body.as_str()), ("Mine", "# Do it"));
    }

    #[test]
    fn bad_ones_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join(FILE), text("linked", "d")).unwrap();
        let top = folder.path().join(FOLDER);
        fs::create_dir_all(&top).unwrap();
        symlink(outside.path(), top.join("linked")).unwrap();
        let long = format!("{}{}", text("large", "d"), "x".repeat(40_000));
        for (place, text) in [
            ("none", "# no front matter".to_owned()),
            ("open", "---\nname: open\n".to_owned()),
            ("broken", "---\nname: [\n---\nbody".to_owned()),
            ("nameless", "---\ndescription: d\n---\nbody".to_owned()),
            ("other", text("another-name", "d")),
            ("UPPER", text("UPPER", "d")),
            ("empty", "---\nname: empty\ndescription: d\n---\n\n".to_owned()),
            ("silent", text("silent", "''")),
            ("large", long),
        ] {
            fs::create_dir_all(top.join(place)).unwrap();
            fs::write(top.join(place).join(FILE), text).unwrap();
        }
        fs::create_dir_all(top.join("link")).unwrap();
        symlink(outside.path().join(FILE), top.join("link").join(FILE)).unwrap();
        let tree = Worktree::open(folder.path()).unwrap();
        assert_eq!(names(&tree), ["change-an-interface", "trace-a-failure"]);
    }

    #[test]
    fn long_descriptions_are_cut_and_their_number_is_limited() {
        let folder = tempfile::tempdir().unwrap();
        for n in 0..30 {
            let place = folder.path().join(FOLDER).join(format!("s{n:02}"));
            fs::create_dir_all(&place).unwrap();
            fs::write(place.join(FILE), text(&format!("s{n:02}"), &"é ".repeat(200))).unwrap();
        }
        let skills = skills(&Worktree::open(folder.path()).unwrap());
        assert_eq!(skills.len(), MAX_SKILLS + 2);
        let described = &skills[1].description;
        assert!(described.ends_with("[…]") && described.chars().count() < 170, "{described}");
    }
}

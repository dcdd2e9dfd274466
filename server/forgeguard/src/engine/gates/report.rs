//! The test report that a gate's command writes. It is removed before the command runs, so that
//! only the run itself can have written it, and again after it was read.

use std::{io, path::Path};

use domain::test_results::{TestCase, junit};
use rootdir::{FileKind, RootDir, is_missing};

/// Files read from a folder of reports.
const MAX_FILES: usize = 2_000;

/// Removes the report at `report` below `root`; of a folder, the XML files in it.
pub fn remove(root: &Path, report: &str) -> io::Result<()> {
    let root = RootDir::open(root)?;
    for file in files(&root, report)? {
        match root.remove_file(&file) {
            Err(error) if !is_missing(&error) => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// The tests in the report, or why it cannot be used.
pub fn read(root: &Path, report: &str) -> Result<Vec<TestCase>, String> {
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::FileTooLarge => {
            format!("it is larger than {} MiB", junit::MAX_REPORT_BYTES / (1024 * 1024))
        }
        _ => error.to_string(),
    };
    let root = RootDir::open(root).map_err(unreadable)?;
    let files = files(&root, report).map_err(unreadable)?;
    if files.is_empty() {
        return Err("the command did not write it".to_owned());
    }
    let mut left = junit::MAX_REPORT_BYTES;
    let mut cases = Vec::new();
    for file in files {
        let content = root.read(&file, left).map_err(unreadable)?;
        left -= content.len() as u64;
        let xml = String::from_utf8(content).map_err(|_| "it is not UTF-8".to_owned())?;
        cases.extend(junit::read(&xml).map_err(|error| error.to_string())?);
    }
    Ok(cases)
}

/// The file itself, or the XML files of a folder, in order of their names.
fn files(root: &RootDir, report: &str) -> io::Result<Vec<String>> {
    let kind = match root.stat(report) {
        Ok(stat) => stat.map(|stat| FileKind::of(&stat)),
        Err(error) if is_missing(&error) => None,
        Err(error) => return Err(error),
    };
    match kind {
        None => Ok(Vec::new()),
        Some(FileKind::Directory) => {
            let mut names = Vec::new();
            for entry in root.list(report)? {
                let (name, _) = entry?;
                let name = name.to_string_lossy();
                if name.ends_with(".xml") {
                    names.push(format!("{report}/{name}"));
                }
                if names.len() > MAX_FILES {
                    let reason = format!("it contains more than {MAX_FILES} files");
                    return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
                }
            }
            names.sort();
            Ok(names)
        }
        Some(_) => Ok(vec![report.to_owned()]),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    const PASSED: &str = "<testsuite><testcase name='a'/></testsuite>";

    #[test]
    fn report_of_an_earlier_run_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert_eq!(read(root, "out/report.xml").unwrap_err(), "the command did not write it");
        fs::create_dir(root.join("out")).unwrap();
        fs::write(root.join("out/report.xml"), PASSED).unwrap();
        remove(root, "out/report.xml").unwrap();
        assert_eq!(read(root, "out/report.xml").unwrap_err(), "the command did not write it");
        fs::write(root.join("out/report.xml"), PASSED).unwrap();
        assert_eq!(read(root, "out/report.xml").unwrap().len(), 1);
    }

    #[test]
    fn folder_of_reports_is_read_and_other_files_stay() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir(root.join("reports")).unwrap();
        for name in ["TEST-a.xml", "TEST-b.xml", "notes.txt"] {
            fs::write(root.join("reports").join(name), PASSED).unwrap();
        }
        assert_eq!(read(root, "reports").unwrap().len(), 2);
        remove(root, "reports").unwrap();
        assert!(read(root, "reports").is_err());
        assert!(root.join("reports/notes.txt").exists());
    }

    #[test]
    fn links_are_removed_but_not_followed() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (root, secret) = (folder.path(), other.path().join("secret.xml"));
        fs::write(&secret, PASSED).unwrap();
        symlink(&secret, root.join("report.xml")).unwrap();
        symlink(other.path(), root.join("reports")).unwrap();
        assert!(read(root, "report.xml").is_err());
        assert!(read(root, "reports").is_err());
        assert!(read(root, "reports/secret.xml").is_err());
        remove(root, "report.xml").unwrap();
        assert!(secret.exists() && !root.join("report.xml").exists());
    }
}

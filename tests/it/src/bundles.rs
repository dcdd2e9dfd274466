//! Exported bundles of sealed builds: verified without a service, and any change is detected.

use std::{
    io::{Cursor, Read, Write},
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;
use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

use crate::{
    harness::{Database, Instance, binary},
    project_fixture::git,
    push_request::MIB,
    watched_build::WatchedBuild,
};

type Parts = Vec<(String, Vec<u8>)>;

fn parts(bundle: &[u8]) -> Parts {
    let mut archive = ZipArchive::new(Cursor::new(bundle)).expect("a zip file");
    (0..archive.len())
        .map(|place| {
            let mut part = archive.by_index(place).expect("a part");
            let mut bytes = Vec::new();
            part.read_to_end(&mut bytes).expect("its bytes");
            (part.name().expect("a name").to_string(), bytes)
        })
        .collect()
}

/// A bundle of these parts with correct checksums.
fn pack(folder: &Path, parts: &Parts) -> PathBuf {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, bytes) in parts {
        zip.start_file(name.as_str(), options).expect("a part");
        zip.write_all(bytes).expect("its bytes");
    }
    let file = folder.join("changed.zip");
    std::fs::write(&file, zip.finish().expect("a zip file").into_inner()).expect("a file");
    file
}

/// Runs the program in a folder without a data directory.
fn forgeguard(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(binary());
    command.current_dir(folder).args(arguments).env_remove("DATABASE_URL");
    command.output().expect("it runs")
}

fn output_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[tokio::test]
async fn bundle_is_verified_without_a_service_and_every_change_is_detected() {
    let mut demo = WatchedBuild::demo(&[("FORGEGUARD_DEMO_PACE", "0")]).await;
    demo.run_to_the_end().await;
    demo.assert_certified().await;
    let path = format!("/api/builds/{}/bundle", demo.build);
    let bundle = demo.server.stream(&path, "application/zip").await.bytes().await.expect("a file");
    let folder = TempDir::with_prefix("forgeguard-it-").expect("a folder");
    let place = folder.path();
    let data = demo.server.data().display().to_string();
    let key = forgeguard(place, &["--data-dir", &data, "seal-key"]);
    std::fs::write(place.join("seal.pub"), &key.stdout).expect("a file");
    std::fs::write(place.join("bundle.zip"), &bundle).expect("a file");
    demo.server.stop().await;

    let good = forgeguard(place, &["verify", "bundle.zip", "--key", "seal.pub"]);
    let branch = format!("forge/build-{}", demo.build);
    assert!(good.status.success(), "{}", output_text(&good));
    assert!(
        output_text(&good).starts_with(&format!("ok: CERTIFIED, {branch} at ")),
        "{}",
        output_text(&good)
    );
    let own = forgeguard(place, &["verify", "bundle.zip"]);
    assert!(
        own.status.success() && output_text(&own).contains("signed with key "),
        "{}",
        output_text(&own)
    );

    let missing = forgeguard(place, &["verify", "missing.zip"]);
    assert_eq!(missing.status.code(), Some(2), "{}", output_text(&missing));

    let parts = parts(&bundle);
    let names: Vec<&str> = parts.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.contains(&"contracts/physics.yaml") && names.len() == 15, "{names:?}");
    let branch_file = parts.iter().find(|(name, _)| name == "branch.bundle").expect("a branch");
    std::fs::write(place.join("branch.bundle"), &branch_file.1).expect("a file");
    git(place, &["clone", "-q", "-b", &branch, "branch.bundle", "sources"]);
    assert!(place.join("sources/.git").exists());

    // Flipped bits in every part, distributed over all of it.
    for (name, bytes) in parts.iter().filter(|(name, _)| name != "README.txt") {
        let step = (bytes.len() / 12).max(1);
        for at in (0..bytes.len()).step_by(step) {
            let mut changed = parts.clone();
            let (_, bytes) = changed.iter_mut().find(|(other, _)| other == name).expect("it");
            bytes[at] ^= 1 << (at % 7);
            let file = pack(place, &changed).display().to_string();
            let found = forgeguard(place, &["verify", &file, "--key", "seal.pub"]);
            let words = output_text(&found);
            assert!(!found.status.success(), "byte {at} of {name} can change");
            assert!(words.lines().any(|line| line.starts_with(name)), "{name} at {at}: {words}");
        }
        let without: Parts = parts.iter().filter(|(other, _)| other != name).cloned().collect();
        let file = pack(place, &without).display().to_string();
        let found = forgeguard(place, &["verify", &file]);
        assert!(
            !found.status.success() && output_text(&found).contains(name.as_str()),
            "without {name}"
        );
    }
    // Events missing at the end leave a valid chain, but then the seal is missing.
    let mut shorter = parts.clone();
    let (_, journal) = shorter.iter_mut().find(|(name, _)| name == "journal.ndjson").expect("it");
    let end = journal[..journal.len() - 1].iter().rposition(|byte| *byte == b'\n').expect("lines");
    journal.truncate(end + 1);
    let file = pack(place, &shorter).display().to_string();
    let found = forgeguard(place, &["verify", &file]);
    assert_eq!(found.status.code(), Some(1));
    assert!(
        output_text(&found).contains("does not end where the seal says"),
        "{}",
        output_text(&found)
    );
}

/// A file of empty entries with these names, and one that expands to `zeros` bytes.
fn zip_of(names: impl IntoIterator<Item = String>, zeros: u64) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for name in names {
        zip.start_file(name, options).expect("a part");
    }
    zip.start_file("journal.ndjson", options.large_file(true)).expect("a part");
    for _ in 0..zeros / MIB {
        zip.write_all(&[0; MIB as usize]).expect("its bytes");
    }
    zip.finish().expect("a zip file").into_inner()
}

#[test]
fn zip_bombs_are_rejected_in_bounded_memory() {
    let folder = TempDir::with_prefix("forgeguard-it-").expect("a folder");
    let long_names = (0..20).map(|at| format!("{at}{}", "a".repeat(60_000)));
    for (what, file, why) in [
        ("it expands a thousandfold", zip_of([], 256 * MIB), "it expands to more than"),
        ("many entries", zip_of((0..30_000).map(|at| at.to_string()), 0), "more than 64 entries"),
        ("long names", zip_of(long_names, 0), "more than 64 entries"),
        (
            "a path outside",
            zip_of(["../../seal.pub".to_owned()], 0),
            "an entry with an invalid name",
        ),
        ("no zip", vec![0; MIB as usize], "not a zip file"),
    ] {
        assert!(file.len() < 4 * MIB as usize, "{what}: {}", file.len());
        std::fs::write(folder.path().join("bomb.zip"), file).expect("a file");
        let mut command = Command::new("prlimit");
        command.args(["--data=268435456", "--fsize=67108864"]).arg(binary());
        let command = command.args(["verify", "bomb.zip"]).current_dir(folder.path());
        let output = command.env_remove("DATABASE_URL").output().expect("it runs");
        assert_eq!(output.status.code(), Some(1), "{what}: {output:?}");
        assert!(output_text(&output).contains(why), "{what}: {output:?}");
    }
}

support::on_both! {
    async fn unsealed_build_cannot_be_exported(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let project = ada.project("P").await;
        let build = instance.queue_build(&project, &ada.id).await;
        let refused = ada.get(&format!("/api/builds/{build}/bundle")).await.problem(409);
        assert!(refused["detail"].as_str().unwrap().contains("not sealed"), "{refused}");
        instance.stop().await;
    }
}

//! A sealed build taken along: checked without a service, and no part of it can change unseen.

use std::{
    io::{Cursor, Read, Write},
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;
use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

use crate::{
    ground::git,
    harness::{Database, Instance, binary},
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

/// A bundle of these parts, whose own checksums are right.
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

/// In a folder without any data directory.
fn forgeguard(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(binary());
    command.current_dir(folder).args(arguments).env_remove("DATABASE_URL");
    command.output().expect("it runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[tokio::test]
async fn a_bundle_is_checked_without_a_service_and_shows_every_change() {
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
    assert!(good.status.success(), "{}", said(&good));
    assert!(said(&good).starts_with(&format!("ok: CERTIFIED, {branch} at ")), "{}", said(&good));
    let own = forgeguard(place, &["verify", "bundle.zip"]);
    assert!(own.status.success() && said(&own).contains("signed with key "), "{}", said(&own));

    let parts = parts(&bundle);
    let names: Vec<&str> = parts.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.contains(&"contracts/physics.yaml") && names.len() == 14, "{names:?}");
    let branch_file = parts.iter().find(|(name, _)| name == "branch.bundle").expect("a branch");
    std::fs::write(place.join("branch.bundle"), &branch_file.1).expect("a file");
    git(place, &["clone", "-q", "-b", &branch, "branch.bundle", "sources"]);
    assert!(place.join("sources/.git").exists());

    // A bit here and there in every part, spread over all of it.
    for (name, bytes) in parts.iter().filter(|(name, _)| name != "README.txt") {
        let step = (bytes.len() / 12).max(1);
        for at in (0..bytes.len()).step_by(step) {
            let mut changed = parts.clone();
            let (_, bytes) = changed.iter_mut().find(|(other, _)| other == name).expect("it");
            bytes[at] ^= 1 << (at % 7);
            let file = pack(place, &changed).display().to_string();
            let found = forgeguard(place, &["verify", &file, "--key", "seal.pub"]);
            let words = said(&found);
            assert!(!found.status.success(), "byte {at} of {name} can change");
            assert!(words.lines().any(|line| line.starts_with(name)), "{name} at {at}: {words}");
        }
        let without: Parts = parts.iter().filter(|(other, _)| other != name).cloned().collect();
        let file = pack(place, &without).display().to_string();
        let found = forgeguard(place, &["verify", &file]);
        assert!(!found.status.success() && said(&found).contains(name.as_str()), "without {name}");
    }
    // Events that are left out at the end still chain, and the seal is gone.
    let mut shorter = parts.clone();
    let (_, journal) = shorter.iter_mut().find(|(name, _)| name == "journal.ndjson").expect("it");
    let end = journal[..journal.len() - 1].iter().rposition(|byte| *byte == b'\n').expect("lines");
    journal.truncate(end + 1);
    let file = pack(place, &shorter).display().to_string();
    let found = said(&forgeguard(place, &["verify", &file]));
    assert!(found.contains("does not end where the seal says"), "{found}");
}

support::on_both! {
    async fn what_is_not_sealed_cannot_be_taken_along(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let project = ada.project("P").await;
        let build = instance.queue_build(&project, &ada.id).await;
        let refused = ada.get(&format!("/api/builds/{build}/bundle")).await.problem(409);
        assert!(refused["detail"].as_str().unwrap().contains("not sealed"), "{refused}");
        instance.stop().await;
    }
}

//! The forge keys that `forgeguard login` has stored, by the address of their server, in a file that
//! only its owner can read.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use domain::ids::ForgeKeyId;
use reqwest::Url;
use serde::{Deserialize, Serialize, Serializer};

use super::failure::Failure;
use crate::{
    config,
    secret::{self, Secret},
};

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct StoredKeys {
    #[serde(default)]
    servers: BTreeMap<String, StoredKey>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredKey {
    pub id: ForgeKeyId,
    #[serde(serialize_with = "exposed")]
    pub key: Secret<String>,
}

fn exposed<S: Serializer>(key: &Secret<String>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(key.expose())
}

impl StoredKeys {
    /// Empty if there is no file.
    pub fn read() -> Result<Self, Failure> {
        let file = file()?;
        match fs::read_to_string(&file) {
            Ok(text) => toml::from_str(&text).map_err(|error| failed(&file, "read", &error)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(failed(&file, "read", &error)),
        }
    }

    pub fn get(&self, server: &Url) -> Option<&StoredKey> {
        self.servers.get(server.as_str())
    }

    /// Stores a key. Returns the one that it replaces.
    pub fn put(&mut self, server: &Url, key: StoredKey) -> Result<Option<StoredKey>, Failure> {
        let earlier = self.servers.insert(server.as_str().to_owned(), key);
        self.write()?;
        Ok(earlier)
    }

    /// Returns the key that was removed.
    pub fn remove(&mut self, server: &Url) -> Result<Option<StoredKey>, Failure> {
        let removed = self.servers.remove(server.as_str());
        if removed.is_some() {
            self.write()?;
        }
        Ok(removed)
    }

    fn write(&self) -> Result<(), Failure> {
        let file = file()?;
        let text = toml::to_string(self).map_err(|error| failed(&file, "written", &error))?;
        let folder = file.parent().unwrap_or(Path::new("."));
        let written =
            fs::create_dir_all(folder).and_then(|()| secret::replace_file(&file, text.as_bytes()));
        written.map_err(|error| failed(&file, "written", &error))
    }
}

/// The address of a server, in the form by which its key is found.
pub fn address(server: &str) -> Result<Url, Failure> {
    let url = Url::parse(server).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    url.ok_or_else(|| {
        Failure::invalid_input(format!(
            "{server} is not the address of a server, such as https://forge.example.org"
        ))
    })
}

fn file() -> Result<PathBuf, Failure> {
    config::user_directory()
        .map(|folder| folder.join("keys.toml"))
        .ok_or_else(|| Failure::new("set HOME: keys of servers are stored in the home directory"))
}

fn failed(file: &Path, what: &str, cause: &dyn std::error::Error) -> Failure {
    Failure::with_cause(format!("{} cannot be {what}", file.display()), cause)
}

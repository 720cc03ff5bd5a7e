//! The packages that a binary is made of.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::ReleaseError;

/// A package of a binary.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its license as it says it, in SPDX's words.
    pub license: Option<String>,
    /// Whether it comes from a registry; otherwise it is one of ours.
    pub is_foreign: bool,
    /// SHA-256 of its archive, as `Cargo.lock` has it.
    pub checksum: Option<String>,
    /// What it is made of itself: names and versions.
    pub needs: BTreeSet<(String, String)>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    source: Option<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<Kind>,
}

#[derive(Deserialize)]
struct Kind {
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    checksum: Option<String>,
}

/// The packages that the binaries of some packages of a workspace are made of, with what runs when they are built, but
/// without what only tests use.
///
/// # Errors
/// If Cargo cannot be asked, or `Cargo.lock` cannot be read.
pub fn of(workspace: &Path, roots: &[&str]) -> Result<Vec<Part>, ReleaseError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // For this machine alone: packages of other systems need not have been fetched.
    let target = host()?;
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(["--filter-platform", &target])
        .current_dir(workspace)
        .output()
        .map_err(|error| ReleaseError::Cargo(error.to_string()))?;
    if !output.status.success() {
        return Err(ReleaseError::Cargo(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let metadata: Metadata = serde_json::from_slice(&output.stdout)
        .map_err(|error| ReleaseError::Cargo(error.to_string()))?;
    let path = workspace.join("Cargo.lock");
    let unread = |reason: String| ReleaseError::File { path: path.clone(), reason };
    let lock = std::fs::read_to_string(&path).map_err(|error| unread(error.to_string()))?;
    let lock: Lock = toml::from_str(&lock).map_err(|error| unread(error.to_string()))?;
    Ok(reached(&metadata, &lock, roots))
}

/// The kind of machine that this is, as the compiler calls it.
fn host() -> Result<String, ReleaseError> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .arg("-vV")
        .output()
        .map_err(|error| ReleaseError::Cargo(error.to_string()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| ReleaseError::Cargo("rustc names no host".to_owned()))
}

fn reached(metadata: &Metadata, lock: &Lock, roots: &[&str]) -> Vec<Part> {
    let packages: HashMap<&str, &Package> =
        metadata.packages.iter().map(|package| (package.id.as_str(), package)).collect();
    let nodes: HashMap<&str, &Node> =
        metadata.resolve.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
    let checksums: HashMap<(&str, &str), &str> = lock
        .package
        .iter()
        .filter_map(|it| Some(((it.name.as_str(), it.version.as_str()), it.checksum.as_deref()?)))
        .collect();
    let ours =
        |package: &&Package| package.source.is_none() && roots.contains(&package.name.as_str());
    let mut open: Vec<&str> =
        metadata.packages.iter().filter(ours).map(|package| package.id.as_str()).collect();
    let mut found: BTreeMap<&str, Part> = BTreeMap::new();
    while let Some(id) = open.pop() {
        if found.contains_key(id) {
            continue;
        }
        let (package, node) = (packages[id], nodes[id]);
        let is_used = |kind: &Kind| kind.kind.as_deref() != Some("dev");
        let needs: Vec<&str> = node
            .deps
            .iter()
            .filter(|dependency| dependency.dep_kinds.iter().any(is_used))
            .map(|dependency| dependency.pkg.as_str())
            .collect();
        let key = (package.name.as_str(), package.version.as_str());
        let named = |id: &&str| (packages[id].name.clone(), packages[id].version.clone());
        let part = Part {
            name: package.name.clone(),
            version: package.version.clone(),
            license: package.license.clone(),
            is_foreign: package.source.is_some(),
            checksum: checksums.get(&key).map(|&checksum| checksum.to_owned()),
            needs: needs.iter().map(named).collect(),
        };
        found.insert(id, part);
        open.extend(needs);
    }
    let mut parts: Vec<Part> = found.into_values().collect();
    parts.sort();
    parts
}

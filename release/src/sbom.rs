//! The parts of a binary as a software bill of materials, CycloneDX 1.5.

use serde_json::{Value, json};

use crate::parts::Part;

/// Writes down what a binary is made of. The same parts give the same text: it has no time and no number of its own.
pub fn cyclone_dx(name: &str, version: &str, parts: &[Part]) -> Value {
    let address = |name: &str, version: &str| format!("pkg:cargo/{name}@{version}");
    let components: Vec<Value> = parts
        .iter()
        .map(|part| {
            let mut component = json!({
                "type": "library",
                "bom-ref": address(&part.name, &part.version),
                "purl": address(&part.name, &part.version),
                "name": part.name,
                "version": part.version,
            });
            if let Some(license) = &part.license {
                component["licenses"] = json!([{ "expression": license.replace('/', " OR ") }]);
            }
            if let Some(checksum) = &part.checksum {
                component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
            }
            component
        })
        .collect();
    let dependencies: Vec<Value> = parts
        .iter()
        .map(|part| {
            let needs: Vec<String> =
                part.needs.iter().map(|(name, version)| address(name, version)).collect();
            json!({ "ref": address(&part.name, &part.version), "dependsOn": needs })
        })
        .collect();
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": {
            "type": "application",
            "bom-ref": format!("{name}@{version}"),
            "name": name,
            "version": version,
        } },
        "components": components,
        "dependencies": dependencies,
    })
}

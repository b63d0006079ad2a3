//! Models for tests: the published one that the scripts install, and small random ones.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// The directory of all-MiniLM-L6-v2: `GOVMEM_TEST_MODEL`, else where `scripts/lib/model.sh` puts it.
///
/// # Panics
/// When it is not installed, naming the command that installs it.
pub fn minilm() -> PathBuf {
    #[expect(clippy::disallowed_methods, reason = "where the model lies is the environment's to say")]
    let var = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let cache = || var("GOVMEM_CACHE").or_else(|| Some(var("HOME")?.join(".cache/govmem")));
    let dir = var("GOVMEM_TEST_MODEL").or_else(|| Some(cache()?.join("models/all-MiniLM-L6-v2"))).unwrap();
    assert!(
        dir.join("model.safetensors").is_file(),
        "the test model is not in {}: run scripts/lib/model.sh",
        dir.display()
    );
    dir
}

/// Writes a small model into `dir` from its description: `files` (name → JSON) and `tensors`
/// (name, shape, kind), filled by the generator that `tests/embed/reference.py` describes.
pub fn write_small(dir: &Path, model: &Value) {
    std::fs::create_dir_all(dir).unwrap();
    for (name, content) in model["files"].as_object().unwrap() {
        let path = dir.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content.to_string()).unwrap();
    }
    let (mut header, mut data) = (serde_json::Map::new(), Vec::new());
    for (index, tensor) in model["tensors"].as_array().unwrap().iter().enumerate() {
        let count: u64 = tensor[1].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).product();
        let begin = data.len();
        for value in seeded(index as u64, count, tensor[2].as_str().unwrap()) {
            data.extend_from_slice(&value.to_le_bytes());
        }
        let entry = json!({ "dtype": "F32", "shape": tensor[1], "data_offsets": [begin, data.len()] });
        header.insert(tensor[0].as_str().unwrap().to_owned(), entry);
    }
    let mut header = Value::Object(header).to_string();
    while !header.len().is_multiple_of(8) {
        header.push(' ');
    }
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend_from_slice(header.as_bytes());
    file.extend_from_slice(&data);
    std::fs::write(dir.join("model.safetensors"), file).unwrap();
}

fn seeded(index: u64, count: u64, kind: &str) -> impl Iterator<Item = f32> {
    let mut state = index + 1;
    let scale = if kind == "matrix" { 0.25 } else { 0.125 };
    let base = if kind == "norm" { 1.0 } else { 0.0 };
    (0..count).map(move |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 40) as f32 / 8_388_608.0 - 1.0) * scale + base
    })
}

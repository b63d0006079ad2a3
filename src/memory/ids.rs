//! Identifiers of records that are known by their path.

use std::collections::{HashMap, HashSet};

use crate::base::id::ascii_slug;

/// The slug of each path; of several paths with one slug the first keeps it and the others get
/// `-2`, `-3` … in order. Paths come sorted.
pub fn unique_slugs<'a>(paths: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let slugs: Vec<String> = paths
        .into_iter()
        .map(|p| Some(ascii_slug(p)).filter(|s| !s.is_empty()).unwrap_or_else(|| "note".into()))
        .collect();
    let mut taken: HashSet<String> = slugs.iter().cloned().collect();
    let mut seen: HashMap<String, usize> = HashMap::new();
    slugs
        .into_iter()
        .map(|slug| {
            let count = seen.entry(slug.clone()).or_insert(0);
            *count += 1;
            if *count == 1 {
                return slug;
            }
            let mut n = *count;
            while !taken.insert(format!("{slug}-{n}")) {
                n += 1;
            }
            format!("{slug}-{n}")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collisions_are_numbered_in_order_and_never_collide_again() {
        let ids = unique_slugs(["a b", "a-b", "a-b-2", "a_b", "日"]);
        assert_eq!(ids, ["a-b", "a-b-3", "a-b-2", "a-b-4", "note"]);
    }
}

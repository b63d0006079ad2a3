#!/usr/bin/env bash
# Makes a release in this checkout: CHANGELOG, version, notes, checks, one commit, one annotated tag.
# Nothing is published: what changes the world outside is printed at the end, for you to run.
# Usage: scripts/release.sh VERSION
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '==> %s\n' "$*" >&2; }
refuse() { printf 'error: %s\nhint: %s\n' "$1" "$2" >&2; exit 2; }
tool() { python3 scripts/lib/release.py "$@"; }

[ $# -eq 1 ] || refuse "one argument is expected" "scripts/release.sh VERSION, such as 1.2.3"
version=$1
tag=v$version

git rev-parse --git-dir >/dev/null 2>&1 || refuse "this is not a git repository" "release from a clone"
[ "$(git rev-parse --show-toplevel)" = "$(pwd -P)" ] || refuse "this checkout is inside another repository" "release from a clone"
previous=$(git describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null || true)
tool check CHANGELOG.md "$version" "$previous" || exit 2
git rev-parse --quiet --verify "refs/tags/$tag" >/dev/null && refuse "the tag $tag exists" "choose another version"
git symbolic-ref --quiet HEAD >/dev/null || refuse "no branch is checked out" "git switch BRANCH"
[ -z "$(git status --porcelain)" ] || refuse "the tree is not clean" "git status; commit or stash first"
name=$(git config user.name || true)
[ -n "$name" ] || refuse "git does not know who releases" "git config user.name NAME; git config user.email ADDRESS"

work=$(mktemp -d)
committed=
# Whatever stops the run before the commit leaves the tree as it was.
undo() {
  local code=$?
  [ -n "$committed" ] || git checkout --quiet HEAD -- CHANGELOG.md Cargo.toml Cargo.lock
  rm -rf "$work"
  exit "$code"
}
trap undo EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

since=${previous:+$previous..}HEAD
# Names alone: authors and co-authors of the commits since the last release, most commits first.
{
  git log --no-merges --format='%aN' "$since"
  git log --no-merges --format='%(trailers:key=Co-authored-by,valueonly,unfold)' "$since" | sed -n 's/ *<.*>$//p'
} | sort | uniq -c | sort -k1,1nr -k2 | sed 's/^ *[0-9]* //' >"$work/contributors"

date=$(date -u ${SOURCE_DATE_EPOCH:+-d "@$SOURCE_DATE_EPOCH"} +%F)
say "CHANGELOG.md, Cargo.toml, Cargo.lock: $version of $date"
tool move CHANGELOG.md "$version" "$date" "$work/contributors"
tool version Cargo.toml Cargo.lock "$version"

# The hooks that a commit and a push would run, now, while a failure costs nothing.
for hook in pre-commit pre-push; do
  say "hook: $hook"
  git hook run --ignore-missing "$hook" -- </dev/null >&2
done
say "checks: .ci/run"
./.ci/run 2>&1 | tee "$work/checks" >&2

for file in $(tool schemas); do
  mkdir -p "$work/previous/$(dirname "$file")"
  [ -z "$previous" ] || git show "$previous:$file" >"$work/previous/$file" 2>/dev/null || rm -f "$work/previous/$file"
done
tool notes CHANGELOG.md "$version" "$previous" "$work/checks" "$work/previous" >"$work/notes"

[ "$(git status --porcelain | cut -c4- | sort | tr '\n' ' ')" = "$(git diff --name-only HEAD -- CHANGELOG.md Cargo.toml Cargo.lock | sort | tr '\n' ' ')" ] ||
  refuse "the hooks or the checks changed other files" "git status; commit what they make first"
git commit --quiet --message "Release $version" -- CHANGELOG.md Cargo.toml Cargo.lock >&2
committed=yes
git tag --annotate --cleanup=verbatim --file "$work/notes" "$tag"

cat "$work/notes"
say "$tag is made here and nowhere else; undo it with: git tag -d $tag && git reset --keep HEAD~1"

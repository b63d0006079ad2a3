"""What scripts/release.sh does with texts: check and move the changelog, set the version, write notes.

The changelog is in the form of Keep a Changelog: `## [Unreleased]`, `## [X.Y.Z] - DATE`, below them a
paragraph on formats and `### Added`, `### Changed` …; beside those it knows `### Benchmarks` and
`### Migrations`.
"""

import pathlib
import re
import sys

SEMVER = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?")
HEADING = re.compile(r"## \[([^\]]+)\](?: - (\d{4}-\d{2}-\d{2}))?\s*")
BEHAVIOUR = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
KNOWN = BEHAVIOUR + ["Benchmarks", "Migrations", "Contributors"]
# What a file of ours may have to be made again for: name, file, constant, the command that does it.
SCHEMAS = [
    ("index sets (manifest)", "src/vector/manifest.rs", "SCHEMA", "govmem reindex --full"),
    ("audit events", "src/audit/envelope.rs", "SCHEMA_VERSION", "govmem audit verify"),
    ("scores", "src/store/schema/score.rs", "SCHEMA_VERSION", "learnings-score"),
    ("search index (govfind)", "src/retrieval/catalog/schema.rs", "VERSION", "govfind update --rebuild && govfind embed"),
]


def refuse(why, hint):
    sys.stderr.write(f"error: {why}\nhint: {hint}\n")
    sys.exit(2)


def order(version):
    """The order of semantic versions: a pre-release comes before its release."""
    match = SEMVER.fullmatch(version)
    parts = [(0, int(p), "") if p.isdigit() else (1, 0, p) for p in (match[4] or "").split(".") if p]
    return [int(match[i]) for i in (1, 2, 3)], not parts, parts


def sections(text):
    """(version, date, body) of every section, newest first."""
    out, lines = [], text.splitlines(keepends=True)
    starts = [i for i, line in enumerate(lines) if line.startswith("## ")]
    for at, end in zip(starts, starts[1:] + [len(lines)]):
        match = HEADING.fullmatch(lines[at].rstrip("\n"))
        if not match:
            refuse(f"CHANGELOG.md:{at + 1}: not a section of Keep a Changelog", "## [X.Y.Z] - YYYY-MM-DD")
        out.append((match[1], match[2], "".join(lines[at + 1 : end])))
    return out


def parts(body):
    """The paragraph above the first `###`, and the text under each."""
    pieces = re.split(r"^### (.+)\n", body, flags=re.M)
    named = {}
    for name, text in zip(pieces[1::2], pieces[2::2]):
        named[name.strip()] = named.get(name.strip(), "") + text.strip("\n") + "\n"
    return pieces[0].strip(), named


def check(path, version, previous):
    if not SEMVER.fullmatch(version):
        refuse(f"{version!r} is not a version", "MAJOR.MINOR.PATCH, such as 1.2.3, without v")
    found = sections(pathlib.Path(path).read_text(encoding="utf-8"))
    if any(name == version for name, _, _ in found):
        refuse(f"{path} already has a section {version}", "choose another version")
    last = previous.removeprefix("v")
    if SEMVER.fullmatch(last) and order(version) <= order(last):
        refuse(f"{version} does not come after {last}", "versions grow")
    bodies = [body for name, _, body in found if name == "Unreleased"]
    if len(bodies) != 1:
        refuse(f"{path} has {len(bodies)} sections Unreleased", "one `## [Unreleased]` is expected")
    named = parts(bodies[0])[1]
    odd = [name for name in named if name not in KNOWN]
    if odd:
        refuse(f"{path}: unknown heading ### {odd[0]}", ", ".join(KNOWN))
    if not any(re.search(r"^[-*] \S", text, flags=re.M) for text in named.values()):
        refuse(f"Unreleased of {path} is empty", "there is nothing to release")


def move(path, version, date, contributors):
    file = pathlib.Path(path)
    text = file.read_text(encoding="utf-8")
    names = [n for n in pathlib.Path(contributors).read_text(encoding="utf-8").splitlines() if n]
    before, heading, rest = text.partition("## [Unreleased]\n")
    end = re.search(r"^## ", rest, flags=re.M)
    body, after = (rest[: end.start()], rest[end.start() :]) if end else (rest, "")
    credits = "\n### Contributors\n\n" + "".join(f"- {n}\n" for n in names) if names else ""
    body = f"## [{version}] - {date}\n\n{body.strip()}\n{credits}"
    file.write_text(f"{before}{heading}\n{body}" + (f"\n{after}" if after else ""), encoding="utf-8")


def set_version(manifest, lock, version):
    text = pathlib.Path(manifest).read_text(encoding="utf-8")
    name = re.search(r'^name = "([^"]+)"', text, flags=re.M)[1]
    changed, count = re.subn(r'(?m)\A(.*?^version = ")[^"]+', rf"\g<1>{version}", text, count=1, flags=re.S)
    locked = pathlib.Path(lock).read_text(encoding="utf-8")
    own = rf'(\[\[package\]\]\nname = "{re.escape(name)}"\nversion = ")[^"]+'
    locked, twice = re.subn(own, rf"\g<1>{version}", locked)
    if (count, twice) != (1, 1):
        refuse(f"the version of {name} stands in {manifest} {count} times, in {lock} {twice} times", "once each")
    pathlib.Path(manifest).write_text(changed, encoding="utf-8")
    pathlib.Path(lock).write_text(locked, encoding="utf-8")


def constant(root, file, name):
    try:
        text = (pathlib.Path(root) / file).read_text(encoding="utf-8")
    except OSError:
        return None
    found = re.search(rf"\bconst {name}: \w+ = (\d+);", text)
    return found and found[1]


def notes(path, version, previous, checks, old):
    """The notes of the series (the versions that share MAJOR.MINOR), newest first."""
    series = version.split(".")[:2]
    mine = [
        (name, *parts(body))
        for name, _, body in sections(pathlib.Path(path).read_text(encoding="utf-8"))
        if SEMVER.fullmatch(name) and name.split(".")[:2] == series
    ]
    out = [f"govmem {version}", ""]

    def section(title, wanted, empty):
        out.extend([f"## {title}", ""])
        some = False
        for name, _, named in mine:
            for kind in wanted:
                if named.get(kind, "").strip():
                    label = f"{name}, {kind.lower()}" if len(wanted) > 1 else name
                    out.extend([f"{label}:", "", named[kind].rstrip(), ""])
                    some = True
        if not some:
            out.extend([empty, ""])

    section("Behaviour", BEHAVIOUR, "Unchanged.")
    out.extend(["## Index and schema compatibility", ""])
    again = []
    for title, file, name, command in SCHEMAS:
        now, then = constant(".", file, name), constant(old, file, name)
        if now is None:
            continue
        if then is None:
            out.append(f"- {title}: version {now}.")
        elif now == then:
            out.append(f"- {title}: version {now}, as in {previous}.")
        else:
            out.append(f"- {title}: version {now}, was {then} in {previous}; `{command}`.")
            again.append(command)
    for name, paragraph, _ in mine:
        if paragraph:
            out.append(f"- {name}: {' '.join(paragraph.split())}")
    out.append("")
    log = pathlib.Path(checks).read_text(encoding="utf-8", errors="replace")
    suites = [int(n) for n in re.findall(r"^test result: ok\. (\d+) passed", log, flags=re.M)]
    skipped = sorted(set(re.findall(r"^SKIPPED: .*", log, flags=re.M)))
    out.extend(["## Tests run", "", f"`.ci/run`: {sum(suites)} tests in {len(suites)} binaries passed."])
    out.extend([f"- {line}" for line in skipped] + [""])
    section("Effect on benchmarks", ["Benchmarks"], "None was recorded.")
    section("Migrations", ["Migrations"], "None.")
    out.extend(["## Left to you", "", "Nothing was published. These commands change something, and none was run:", ""])
    commands = [f"git push origin HEAD v{version}", "cargo publish --locked"]
    commands += [f"{command}    # in every workspace or index of the previous version" for command in again]
    out.extend([f"    {c}" for c in commands] + [""])
    section("Contributors", ["Contributors"], "None named.")
    sys.stdout.write("\n".join(out).rstrip() + "\n")


if __name__ == "__main__":
    verbs = {"check": check, "move": move, "version": set_version, "notes": notes}
    verb, *arguments = sys.argv[1:]
    if verb == "schemas":
        print("\n".join(file for _, file, _, _ in SCHEMAS))
    else:
        verbs[verb](*arguments)

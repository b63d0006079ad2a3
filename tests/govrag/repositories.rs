//! Three small repositories: a Rust crate, a Python service, a TypeScript front end.

use crate::world::World;

/// A Rust crate, in English.
pub fn rust() -> World {
    World::with(&[
        (
            "README.md",
            "# Lockbox\n\n[![ci](badge.svg)](https://ci.example)\n\nLockbox locks an account after repeated failures of its owner to sign in.\n\n## Installing\n\nAdd the crate to the manifest of the program.\n\n## Limits\n\nOnly accounts of this machine are known. See [the design](docs/design.md).\n",
        ),
        ("CONTRIBUTING.md", "# Contributing\n\nEvery change comes with a test that fails without it.\n"),
        (
            "docs/design.md",
            "# Design\n\nThe counter of failures is kept apart from the accounts.\n\n## Counters\n\nA counter is forgotten after a quiet hour.\n",
        ),
        (
            "docs/adr/0001-count-by-account.md",
            "# 1. Count by account\n\nFailures are counted by account, not by address.\n\n## Consequences\n\nA shared address never locks its neighbours.\n",
        ),
        ("Cargo.toml", "[package]\nname = \"lockbox\"\nversion = \"0.1.0\"\n\n[features]\naudit = []\n"),
        ("src/lib.rs", "//! Locks accounts after repeated failures.\n\npub mod counter;\npub mod lock;\n"),
        (
            "src/lock.rs",
            "//! The lock of one account.\n\nuse crate::counter::Counter;\n\n/// Failures that close the lock.\npub const MOST_FAILURES: u32 = 5;\n\n/// A lock that closes by itself.\npub struct Lock { counter: Counter }\n\nimpl Lock {\n    /// Tells whether the owner may try again.\n    pub fn is_open(&self) -> bool { true }\n}\n\nfn private() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn closes_at_the_fifth_failure() {}\n}\n",
        ),
        (
            "src/counter.rs",
            "//! Counts failures.\n\n/// A counter that forgets.\npub struct Counter { n: u32 }\n",
        ),
        (
            "src/store/disk.rs",
            "//! Keeps counters on disk.\n\n/// Writes a counter where LOCKBOX_DIR points.\npub fn write() { let _ = std::env::var(\"LOCKBOX_DIR\"); }\n",
        ),
        ("tests/locking.rs", "//! Locking from outside.\n\n#[test]\nfn a_closed_lock_stays_closed() {}\n"),
        (".github/workflows/ci.yml", "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps: []\n"),
        ("target/debug/junk.rs", "//! Built, not written.\npub fn junk() {}\n"),
        (".env", "TOKEN=not-a-real-one\n"),
        (".gitignore", "ignored/\n"),
        ("ignored/secret.md", "# Ignored\n\nThis document must never be taken over.\n"),
    ])
}

/// A Python service, in French.
pub fn python() -> World {
    World::with(&[
        (
            "README.md",
            "# Boutique\n\nLe service de la boutique ouvre les sessions des clients et tient leurs paniers.\n\n## Démarrer\n\nLancez le service avec les réglages de votre machine.\n",
        ),
        ("AGENTS.md", "# Consignes\n\nLes réponses sont en français et chaque route a son test.\n"),
        (
            "boutique/comptes/routes.py",
            "\"\"\"Routes des comptes.\"\"\"\nimport os\nfrom flask import Blueprint\nfrom .service import ouvrir\n\nbp = Blueprint(\"comptes\", __name__)\nDUREE_SESSION = 3600\n\n@bp.route(\"/connexion\", methods=[\"POST\"])\ndef connexion():\n    \"\"\"Ouvre une session.\"\"\"\n    return ouvrir(os.environ[\"BOUTIQUE_CLE\"])\n\n@bp.get(\"/profil\")\ndef profil():\n    \"\"\"Montre le profil.\"\"\"\n",
        ),
        (
            "boutique/comptes/service.py",
            "\"\"\"Ouverture et fermeture des sessions.\"\"\"\n\ndef ouvrir(cle: str) -> bool:\n    \"\"\"Ouvre une session pour cette clé.\"\"\"\n    return True\n\ndef _interne():\n    pass\n",
        ),
        (
            "boutique/panier/modele.py",
            "\"\"\"Le panier d'un client.\"\"\"\n\nclass Panier:\n    \"\"\"Des lignes et leur total.\"\"\"\n",
        ),
        ("boutique/__init__.py", ""),
        (
            "migrations/001_comptes.sql",
            "CREATE TABLE comptes (\n  id INTEGER PRIMARY KEY,\n  nom TEXT NOT NULL\n);\n",
        ),
        (
            "openapi.yaml",
            "openapi: 3.0.0\ninfo:\n  title: API de la boutique\n  description: Ce que la boutique expose.\npaths:\n  /profil:\n    get:\n      summary: Montre le profil\n",
        ),
        (
            "schemas/panier.schema.json",
            "{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\", \"title\": \"Panier\", \"properties\": {\"total\": {\"type\": \"number\", \"description\": \"Somme des lignes.\"}}}\n",
        ),
        ("pyproject.toml", "[project]\nname = \"boutique\"\n"),
        ("Dockerfile", "FROM python:3.13\nEXPOSE 8000\nCMD [\"boutique\"]\n"),
        (
            "tests/test_connexion.py",
            "\"\"\"La connexion vue du client.\"\"\"\n\ndef test_refuse_une_cle_vide():\n    pass\n",
        ),
    ])
}

/// A TypeScript front end, in English.
pub fn typescript() -> World {
    World::with(&[
        ("README.md", "# Shopfront\n\nThe pages that buyers see: the cart and the payment of an order.\n"),
        (
            "package.json",
            "{\"name\": \"shopfront\", \"scripts\": {\"build\": \"vite build\", \"test\": \"vitest\"}}\n",
        ),
        ("vite.config.ts", "export default { base: process.env.SHOP_BASE };\n"),
        (
            "src/cart/cart.ts",
            "/**\n * The cart of the buyer.\n */\n\nimport { pay } from '../payment/pay';\n\n/** Adds a line to the cart. */\nexport function addLine(id: string): void { pay(id); }\n\nexport const MAX_LINES = 99;\n",
        ),
        (
            "src/payment/pay.ts",
            "/** Pays an order once. */\nexport async function pay(order: string): Promise<void> {}\n",
        ),
        (
            "src/pages/index.tsx",
            "/** The first page. */\nexport function Home() { return <main>shop</main>; }\n",
        ),
        (
            "src/cart/cart.test.ts",
            "import { describe, it } from 'vitest';\ndescribe('cart', () => { it('adds a line once', () => {}); });\n",
        ),
        ("node_modules/x/index.js", "export function foreign() {}\n"),
    ])
}

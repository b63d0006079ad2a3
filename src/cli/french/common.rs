//! What the three tools have in common.

/// English and French.
pub(super) const TEXTS: &super::Table = &[
    ("Common", "Communes"),
    ("Print help (see more with '--help')", "Affiche l'aide (plus avec --help)"),
    ("Print help (see a summary with '-h')", "Affiche l'aide (résumé avec -h)"),
    ("Print version", "Affiche la version"),
    (
        "Print this message or the help of the given subcommand(s)",
        "Affiche cette aide ou celle d'une commande",
    ),
    (
        "Where to work; otherwise here, or in the nearest parent directory that is configured",
        "Où travailler ; sinon ici, ou dans le plus proche dossier parent configuré",
    ),
    (
        "Machine output: one JSON document on stdout",
        "Pour les machines : un document JSON sur la sortie standard",
    ),
    ("Print results and errors only", "N'affiche que résultats et erreurs"),
    (
        "Say more on stderr; twice for debugging",
        "En dit plus sur la sortie d'erreur ; deux fois pour déboguer",
    ),
    ("When to use colour", "Quand colorer"),
    ("On a terminal, unless `NO_COLOR` is set", "Sur un terminal, sauf si `NO_COLOR` est défini"),
    ("Always", "Toujours"),
    ("Never", "Jamais"),
    ("The shell", "Le shell"),
    ("Print the manual page", "Affiche la page de manuel"),
];

//! `govrag`.

/// English and French.
pub(super) const TEXTS: &super::Table = &[
    (
        "The Markdown knowledge base beside the code: found by `.rag`, read by people and assistants",
        "La base de connaissance Markdown à côté du code : repérée par `.rag`, lue par les humains et les assistants",
    ),
    ("Example: govrag check --strict --format github", "Exemple : govrag check --strict --format github"),
    (
        "Make a base of draft pages from what the repository holds",
        "Crée une base d'ébauches à partir de ce que contient le dépôt",
    ),
    (
        "Bring pages up to date with what happened to the code they describe",
        "Met les pages en accord avec ce qu'est devenu le code qu'elles décrivent",
    ),
    ("Make the derived indexes again", "Régénère les index dérivés"),
    (
        "Check the base against the norm, its links and its code",
        "Vérifie la base : norme, liens, accord avec le code",
    ),
    (
        "Answer a question from the base within a token budget",
        "Répond à une question depuis la base, dans un budget de tokens",
    ),
    (
        "Show a page or one of its sections within a token budget",
        "Montre une page ou une de ses sections, dans un budget de tokens",
    ),
    ("List the pages that describe a file", "Liste les pages qui décrivent un fichier"),
    ("Draw the graph of pages", "Dessine le graphe des pages"),
    (
        "Move a page or a folder and repair everything that names it",
        "Déplace une page ou un dossier et répare tout ce qui le nomme",
    ),
    ("Record that a page was read against its code", "Note qu'une page a été relue face à son code"),
    (
        "Figures of the base: documents, tokens per phase, statuses",
        "Chiffres de la base : documents, tokens par phase, statuts",
    ),
    ("The normative slug of a title", "Le nom de fichier normalisé d'un titre"),
    (
        "Put skills, commands and the pointer where an assistant finds them",
        "Place compétences, commandes et pointeur là où un assistant les trouve",
    ),
    ("Print the completion script of a shell", "Affiche le script de complétion d'un shell"),
    // ack
    (
        "Example: govrag ack securite/mfa.md --status stable",
        "Exemple : govrag ack securite/mfa.md --status stable",
    ),
    ("The page, from the root of the base", "La page, depuis la racine de la base"),
    (
        "Give the page this status; only here does a page become stable",
        "Donne ce statut à la page ; elle ne devient stable qu'ici",
    ),
    // check
    (
        "Example: govrag check --strict --format sarif > govrag.sarif",
        "Exemple : govrag check --strict --format sarif > govrag.sarif",
    ),
    ("Only this page, folder or theme", "Seulement cette page, ce dossier ou ce thème"),
    (
        "Repair what needs no judgement: indexes, cases, quotes, moves that git knows",
        "Répare ce qui ne demande aucun jugement : index, casse, guillemets, déplacements connus de git",
    ),
    ("With --fix: show the diff and write nothing", "Avec --fix : montre les différences, n'écrit rien"),
    (
        "Fail on warnings; `=all` includes pages that only grew old",
        "Échoue sur les alertes ; `=all` y compris les pages qui n'ont fait que vieillir",
    ),
    (
        "Warnings fail, except those that only time brings",
        "Les alertes font échouer, sauf celles que seul le temps apporte",
    ),
    ("Every warning fails", "Toute alerte fait échouer"),
    ("Format of the report", "Format du rapport"),
    ("For people", "Pour les humains"),
    ("One JSON document", "Un document JSON"),
    ("SARIF 2.1.0", "SARIF 2.1.0"),
    ("GitHub workflow commands", "Annotations GitHub"),
    ("Count ages from this day", "Compte les âges depuis ce jour"),
    (
        "Write the findings as the known ones, into the file that `check.baseline` of .rag names",
        "Note les constats comme connus, dans le fichier que nomme `check.baseline` de .rag",
    ),
    // graph
    (
        "Example: govrag graph securite/mfa.md --depth 2 --format mermaid",
        "Exemple : govrag graph securite/mfa.md --depth 2 --format mermaid",
    ),
    ("Only what lies around this page", "Seulement les alentours de cette page"),
    ("Steps around the page", "Nombre de pas autour de la page"),
    ("Format", "Format"),
    ("Nodes with title, type, status and edges", "Nœuds avec titre, type, statut et arêtes"),
    ("A Mermaid flowchart", "Un diagramme Mermaid"),
    ("A Graphviz digraph", "Un graphe Graphviz"),
    // index
    ("Example: govrag index", "Exemple : govrag index"),
    // init
    ("Example: govrag init ./docs-rag --lang fr", "Exemple : govrag init ./docs-rag --lang fr"),
    ("Where the pages go [default: ./docs-rag]", "Où vont les pages [défaut : ./docs-rag]"),
    (
        "Language of the pages, fr or en; deduced from the repository otherwise",
        "Langue des pages, fr ou en ; sinon déduite du dépôt",
    ),
    // install
    ("Example: govrag install --cli claude --git", "Exemple : govrag install --cli claude --git"),
    (
        "The assistant: claude, kilo, opencode, codex, gemini; may be repeated",
        "L'assistant : claude, kilo, opencode, codex, gemini ; répétable",
    ),
    ("For the user, in every repository", "Pour l'utilisateur, dans tous ses dépôts"),
    (
        "One copy of the skills in .agents/skills, links to it elsewhere",
        "Une seule copie des compétences dans .agents/skills, des liens ailleurs",
    ),
    ("Remove what is ours and unchanged", "Retire ce qui est à nous et inchangé"),
    (
        "Say which copies are missing, behind or changed; write nothing",
        "Dit quelles copies manquent, retardent ou ont changé ; n'écrit rien",
    ),
    (
        "Set the merge driver of the derived files and the hook that makes them again",
        "Définit le pilote de fusion des fichiers dérivés et le crochet qui les régénère",
    ),
    // mv
    (
        "Example: govrag mv login.md securite/authentification/login.md",
        "Exemple : govrag mv login.md securite/authentification/login.md",
    ),
    ("The page or folder, from the root of the base", "La page ou le dossier, depuis la racine de la base"),
    (
        "Its new path from the root, or a folder to put it in",
        "Son nouveau chemin depuis la racine, ou un dossier où le mettre",
    ),
    ("Show the diff and write nothing", "Montre les différences, n'écrit rien"),
    // query
    (
        "Example: govrag query \"verrouillage après échecs de connexion\" --status stable",
        "Exemple : govrag query \"verrouillage après échecs de connexion\" --status stable",
    ),
    ("The question", "La question"),
    ("Only pages of this type; may be repeated", "Seulement les pages de ce type ; répétable"),
    ("Only pages of this status; may be repeated", "Seulement les pages de ce statut ; répétable"),
    (
        "Only pages with this tag; repeated, with all of them",
        "Seulement les pages qui ont ce tag ; répété, tous à la fois",
    ),
    ("Only pages for these readers; may be repeated", "Seulement les pages pour ces lecteurs ; répétable"),
    (
        "Most tokens of the answer (800 unless .rag says otherwise)",
        "Plafond de tokens de la réponse (800, sauf si .rag dit autrement)",
    ),
    (
        "One phase alone: 0 marker, 1 manifest, 2 front matter, 3 sections, 4 neighbours",
        "Une seule phase : 0 marqueur, 1 manifeste, 2 front matter, 3 sections, 4 voisines",
    ),
    (
        "Show scores and the rarity of the question's words",
        "Montre les scores et la rareté des mots de la question",
    ),
    // refs
    ("Example: govrag refs src/auth/login.ts", "Exemple : govrag refs src/auth/login.ts"),
    ("A file or folder of the repository", "Un fichier ou un dossier du dépôt"),
    // show
    (
        "Example: govrag show securite/mfa.md#enrollment --max-tokens 400",
        "Exemple : govrag show securite/mfa.md#enrollment --max-tokens 400",
    ),
    (
        "A page from the root of the base, `#` and an anchor or heading for one section",
        "Une page depuis la racine de la base ; `#` et une ancre ou un titre pour une section",
    ),
    (
        "Budget in tokens; a longer page is shown as its front matter and outline",
        "Budget en tokens ; d'une page plus longue, on montre le front matter et le plan",
    ),
    // slug
    ("Example: govrag slug \"Gestion des accès\"", "Exemple : govrag slug \"Gestion des accès\""),
    ("A title", "Un titre"),
    (
        "Language that reads `&`: fr or en; otherwise the base's",
        "Langue où lire `&` : fr ou en ; sinon celle de la base",
    ),
    // stats
    ("Example: govrag stats --json", "Exemple : govrag stats --json"),
    // update
    ("Example: govrag update --since HEAD~3", "Exemple : govrag update --since HEAD~3"),
    ("Look at what changed since this revision", "Regarde ce qui a changé depuis cette révision"),
    ("Files that changed, or one branch", "Des fichiers modifiés, ou une branche"),
    ("Archive this page; may be repeated", "Archive cette page ; répétable"),
];

//! `govmem` and the five batch jobs.

/// English and French.
pub(super) const TEXTS: &super::Table = &[
    (
        "The governance memory: lessons, watch notes and clarifications, found and injected at step 0",
        "La mémoire de gouvernance : learnings, notes de veille et clarifications, retrouvés et injectés à l'étape 0",
    ),
    (
        "Example:\n  govmem init --lang en\n  govmem learn --story PD-7 --gate 8 --domain auth --project backend --tags mfa,timing --lesson \"Compare codes in constant time\"\n  govmem inject --story PD-42 --title \"MFA for partners\" --domain auth --project backend",
        "Exemple :\n  govmem init --lang fr\n  govmem learn --story PD-7 --gate 8 --domain auth --project backend --tags mfa,timing --lesson \"Comparer les codes en temps constant\"\n  govmem inject --story PD-42 --title \"MFA pour les partenaires\" --domain auth --project backend",
    ),
    (
        "Make a workspace: configuration, stores, empty indexes, git settings",
        "Crée un espace de travail : configuration, fichiers, index vides, réglages git",
    ),
    ("Say what is there and what to do next", "Dit ce qui est là et ce qu'il reste à faire"),
    (
        "Examine the workspace; change nothing without --fix",
        "Examine l'espace de travail ; ne change rien sans --fix",
    ),
    (
        "Approve what a workspace's configuration asks for: an address, a remote model, a CA, a credential",
        "Approuve ce que demande la configuration : une adresse, un modèle distant, une autorité, un secret",
    ),
    (
        "Put the assistants' commands into a repository, beside what it has",
        "Place les commandes des assistants dans un dépôt, à côté de ce qu'il a",
    ),
    (
        "Ask the four questions of step 0 and record the answers verbatim",
        "Pose les quatre questions de l'étape 0 et note les réponses mot pour mot",
    ),
    ("Record a lesson", "Enregistre un learning"),
    ("Record the verdict of a gate", "Enregistre le verdict d'une gate"),
    (
        "List learnings, watch notes, clarifications or gate records",
        "Liste learnings, notes de veille, clarifications ou verdicts",
    ),
    ("Show one record whole", "Montre un enregistrement en entier"),
    ("B2: collect the clarifications and index them", "B2 : collecte les clarifications et les indexe"),
    ("B1: index a source", "B1 : indexe une source"),
    ("B3: reuse scores from verified events", "B3 : scores de réutilisation d'après les événements vérifiés"),
    ("B4: promote and archive learnings, one step", "B4 : promeut et archive les learnings, d'un cran"),
    ("B5: inject step 0 for a story", "B5 : injecte l'étape 0 d'une story"),
    ("Search one source", "Cherche dans une source"),
    ("Collect and index all three sources again", "Collecte et indexe de nouveau les trois sources"),
    (
        "Bring an archived learning back (an operator's act)",
        "Fait revenir un learning archivé (acte d'opérateur)",
    ),
    (
        "Replace a leaked text by `[redacted]` (an operator's act)",
        "Remplace un texte divulgué par `[redacted]` (acte d'opérateur)",
    ),
    ("Remove what has passed its retention", "Retire ce dont la durée de conservation est passée"),
    ("Import other people's records", "Importe les enregistrements d'autrui"),
    (
        "The signed trail: verify, bootstrap, rotate, reseal",
        "La piste signée : vérifier, amorcer, tourner la clé, resceller",
    ),
    (
        "Say what was reused, injected, and needs a hand",
        "Dit ce qui a été réutilisé, injecté, et ce qui demande une intervention",
    ),
    ("The four indicators of PD-295", "Les quatre indicateurs de PD-295"),
    ("Reports: compounding, HTML page", "Rapports : capitalisation, page HTML"),
    ("Print shell completions", "Affiche les complétions d'un shell"),
    // init
    ("The directory; the current one by default", "Le dossier ; par défaut le dossier courant"),
    ("Language of messages and blocks: fr or en", "Langue des messages et des blocs : fr ou en"),
    (
        "Embedder: ollama or local; probed when absent",
        "Modèle de plongement : ollama ou local ; cherché s'il n'est pas donné",
    ),
    ("Directory of the local model", "Dossier du modèle local"),
    ("Keyring: vault or file", "Trousseau : vault ou file"),
    ("Repair, naming each file", "Répare, en nommant chaque fichier"),
    (
        "An address, remote-model:NAME, ca-cert:FILE or credential-file:FILE; without it, what is approved is listed",
        "Une adresse, remote-model:NOM, ca-cert:FICHIER ou credential-file:FICHIER ; sans rien, liste ce qui est approuvé",
    ),
    ("Withdraw the approval", "Retire l'approbation"),
    (
        "Example:\n  govmem trust https://vault.example:8200\n  govmem trust remote-model:gpt-oss:120b-cloud\n  govmem trust ca-cert:deploy/ca.pem\n  govmem trust credential-file:/etc/govmem/role-id",
        "Exemple :\n  govmem trust https://vault.example:8200\n  govmem trust remote-model:gpt-oss:120b-cloud\n  govmem trust ca-cert:deploy/ca.pem\n  govmem trust credential-file:/etc/govmem/role-id",
    ),
    // install
    (
        "The assistant: claude, kilo, opencode, codex, gemini",
        "L'assistant : claude, kilo, opencode, codex, gemini",
    ),
    ("The repository; the current directory by default", "Le dépôt ; par défaut le dossier courant"),
    (
        "Say which copies are missing, changed or behind",
        "Dit quelles copies manquent, ont changé ou retardent",
    ),
    (
        "Remove what was installed and not changed since",
        "Retire ce qui a été installé et n'a pas changé depuis",
    ),
    // clarify
    (
        "Example:\n  govmem clarify --story PD-42 --domain auth --project backend --answers answers.json\n\nanswers.json: {\"Q1\": \"…\", \"Q2\": \"…\", \"Q3\": \"…\", \"Q4\": \"…\"} (or the four as a list)",
        "Exemple :\n  govmem clarify --story PD-42 --domain auth --project backend --answers reponses.json\n\nreponses.json : {\"Q1\": \"…\", \"Q2\": \"…\", \"Q3\": \"…\", \"Q4\": \"…\"} (ou les quatre en liste)",
    ),
    ("The story", "La story"),
    ("Its domain", "Son domaine"),
    ("Its project", "Son projet"),
    (
        "The slug of its folder; `clarifications` by default",
        "Le nom de son dossier ; `clarifications` par défaut",
    ),
    (
        "The four answers as JSON, from a file or `-`; asked on the terminal otherwise",
        "Les quatre réponses en JSON, depuis un fichier ou `-` ; sinon demandées au terminal",
    ),
    (
        "Replace existing answers, keeping the old file as `.1`",
        "Remplace des réponses existantes, en gardant l'ancien fichier en `.1`",
    ),
    // learn, gate
    (
        "Read story, gate, domain, project, tags, lesson, title and refs as JSON from a file or `-`",
        "Lit story, gate, domain, project, tags, lesson, title et refs en JSON, depuis un fichier ou `-`",
    ),
    ("The story the lesson comes from", "La story d'où vient le learning"),
    ("The gate it was learnt at", "La gate où il a été appris"),
    ("Domain", "Domaine"),
    ("Project", "Projet"),
    ("Tags, separated by commas", "Tags, séparés par des virgules"),
    ("The lesson; `-` reads standard input", "Le learning ; `-` lit l'entrée standard"),
    ("Title", "Titre"),
    (
        "Code paths it speaks of, separated by commas",
        "Chemins de code dont il parle, séparés par des virgules",
    ),
    ("The gate", "La gate"),
    ("Iteration, from 1", "Itération, à partir de 1"),
    ("GO, RESERVE, NON_CONFORME or REJECTED", "GO, RESERVE, NON_CONFORME ou REJECTED"),
    (
        "Domain; that of the story's clarifications by default",
        "Domaine ; par défaut celui des clarifications de la story",
    ),
    (
        "Project; that of the story's clarifications by default",
        "Projet ; par défaut celui des clarifications de la story",
    ),
    // list, show
    ("What to list", "Quoi lister"),
    ("Lessons", "Learnings"),
    ("Watch notes", "Notes de veille"),
    ("Clarifications", "Clarifications"),
    ("Gate records", "Verdicts des gates"),
    ("Of one story", "D'une story"),
    ("Of one domain", "D'un domaine"),
    ("Of one project", "D'un projet"),
    ("Archived learnings too", "Aussi les learnings archivés"),
    ("The most rows", "Nombre maximal de lignes"),
    (
        "Identifier of a learning, watch note, clarification or story",
        "Identifiant d'un learning, d'une note de veille, d'une clarification ou d'une story",
    ),
    // jobs
    ("Exit 3 when a file is excluded", "Sort avec 3 si un fichier est exclu"),
    ("Exit 3 when a note is excluded", "Sort avec 3 si une note est exclue"),
    ("Exit 3 when a record is excluded", "Sort avec 3 si un enregistrement est exclu"),
    ("B1: index the watch notes", "B1 : indexe les notes de veille"),
    (
        "Example:\n  step0-inject --story PD-42 --title \"MFA for partners\" --domain auth-identity --project backend\n  echo '{\"story_id\":\"PD-42\",\"title\":\"MFA\",\"domain\":\"auth\",\"project\":\"backend\"}' | step0-inject --from-json -",
        "Exemple :\n  step0-inject --story PD-42 --title \"MFA pour les partenaires\" --domain auth-identity --project backend\n  echo '{\"story_id\":\"PD-42\",\"title\":\"MFA\",\"domain\":\"auth\",\"project\":\"backend\"}' | step0-inject --from-json -",
    ),
    ("Its title", "Son titre"),
    (
        "The query, instead of title, domain and project",
        "La requête, au lieu du titre, du domaine et du projet",
    ),
    (
        "Read story_id, title, domain, project and query as JSON from a file or `-`",
        "Lit story_id, title, domain, project et query en JSON, depuis un fichier ou `-`",
    ),
    // search, reindex
    ("Clarifications; domain and project are required", "Clarifications ; domaine et projet obligatoires"),
    ("What to look for, at most 500 characters", "Ce que l'on cherche, 500 caractères au plus"),
    ("The most results", "Nombre maximal de résultats"),
    ("Sign an event for this search", "Signe un événement pour cette recherche"),
    ("The story the search is for", "La story pour laquelle on cherche"),
    ("Least reuse score, 0 to 0.99", "Score de réutilisation minimal, de 0 à 0.99"),
    ("story, domain or global", "story, domain ou global"),
    (
        "fort, modere, faible, nul; several separated by commas",
        "fort, modere, faible, nul ; plusieurs séparés par des virgules",
    ),
    (
        "adopter, experimenter, surveiller, ignorer; several separated by commas",
        "adopter, experimenter, surveiller, ignorer ; plusieurs séparés par des virgules",
    ),
    ("The domain (required)", "Le domaine (obligatoire)"),
    ("The project (required)", "Le projet (obligatoire)"),
    (
        "Embed every text again, even the unchanged ones",
        "Calcule de nouveau le vecteur de tous les textes, même inchangés",
    ),
    // audit
    ("Verify every signature and the chain", "Vérifie chaque signature et la chaîne"),
    (
        "Create the first key and sign the trail's first event (an operator's act)",
        "Crée la première clé et signe le premier événement (acte d'opérateur)",
    ),
    ("Rotate the key", "Tourne la clé"),
    (
        "Adopt or reopen the chain, with a signed reason (an operator's act)",
        "Adopte ou rouvre la chaîne, avec un motif signé (acte d'opérateur)",
    ),
    (
        "Accept a clock that stands behind the trail, with a signed reason",
        "Accepte une horloge en retard sur la piste, avec un motif signé",
    ),
    (
        "A chain head noted earlier; the trail must contain it",
        "Une tête de chaîne notée auparavant ; la piste doit la contenir",
    ),
    ("Why", "Pourquoi"),
    // reports
    (
        "Share of GO at the first version of gate 8: ten stories after the merge against ten before",
        "Part de GO à la première version de la gate 8 : dix stories après la fusion, dix avant",
    ),
    (
        "Reuse of learnings over 90 days from the merge, target 30 %",
        "Réutilisation des learnings sur 90 jours depuis la fusion, cible 30 %",
    ),
    (
        "New stories that found a clarification of their domain in the last 30 days, target 1",
        "Nouvelles stories qui ont trouvé une clarification de leur domaine en 30 jours, cible 1",
    ),
    (
        "First five stories after the merge that received a strong or moderate watch note, target 5",
        "Cinq premières stories après la fusion à recevoir une note de veille forte ou modérée, cible 5",
    ),
    (
        "Example:\n  govmem kpi cs1 --freeze\n  govmem kpi cs1 --json",
        "Exemple :\n  govmem kpi cs1 --freeze\n  govmem kpi cs1 --json",
    ),
    (
        "Write the baseline, once, from the last ten stories judged before the merge",
        "Écrit la référence, une fois, d'après les dix dernières stories jugées avant la fusion",
    ),
    ("Example:\n  govmem kpi cs2 --window 90d", "Exemple :\n  govmem kpi cs2 --window 90d"),
    ("Days from the merge", "Jours depuis la fusion"),
    (
        "What each source gave: injections, distinct items, reuse",
        "Ce qu'a donné chaque source : injections, éléments distincts, réutilisation",
    ),
    (
        "One self-contained page: injections, scores, transitions, indicators, graph",
        "Une page autonome : injections, scores, transitions, indicateurs, graphe",
    ),
    (
        "Example:\n  govmem report compounding --story PD-42",
        "Exemple :\n  govmem report compounding --story PD-42",
    ),
    (
        "A story to report on, before the 30 days of all stories",
        "Une story à présenter, avant les 30 jours de toutes les stories",
    ),
    (
        "Example:\n  govmem report html --output memory.html",
        "Exemple :\n  govmem report html --output memoire.html",
    ),
    ("Write the page there; on standard output otherwise", "Écrit la page là ; sinon sur la sortie standard"),
    (
        "The page's heading; the workspace's folder by default",
        "Le titre de la page ; par défaut le dossier de l'espace de travail",
    ),
    // import
    (
        "Lessons from JSON lines, JSON documents or Markdown with front matter",
        "Learnings, depuis des lignes JSON, des documents JSON ou du Markdown avec front matter",
    ),
    ("Gate records from JSON lines", "Verdicts des gates, depuis des lignes JSON"),
    (
        "Example:\n  govmem import learnings notes.jsonl --map lesson=takeaway,created_at=ts --story LEG-1 --gate 8 --domain harness --project yyds\n  govmem import learnings manifest.json --items lessons --map lesson=problem+solution,title=summary --story LEG-2 --gate 8 --domain tools --project lessons",
        "Exemple :\n  govmem import learnings notes.jsonl --map lesson=takeaway,created_at=ts --story LEG-1 --gate 8 --domain harness --project yyds\n  govmem import learnings manifest.json --items lessons --map lesson=problem+solution,title=summary --story LEG-2 --gate 8 --domain tools --project lessons",
    ),
    ("The files", "Les fichiers"),
    (
        "Our field = their path, separated by commas; `a+b` joins two paths",
        "Notre champ = leur chemin, séparés par des virgules ; `a+b` joint deux chemins",
    ),
    ("Where the items stand in a JSON document", "Où sont les éléments dans un document JSON"),
    ("Story of items that name none", "Story des éléments qui n'en nomment pas"),
    ("Gate of items that name none", "Gate des éléments qui n'en nomment pas"),
    ("Domain of items that name none", "Domaine des éléments qui n'en nomment pas"),
    ("Project of items that name none", "Projet des éléments qui n'en nomment pas"),
    ("Say what would be imported, write nothing", "Dit ce qui serait importé, n'écrit rien"),
    ("The file of JSON lines", "Le fichier de lignes JSON"),
    (
        "Watch notes from Markdown, YAML or JSON, as notes of our own form",
        "Notes de veille, depuis du Markdown, du YAML ou du JSON, dans notre forme",
    ),
    (
        "Clarifications from JSON, YAML or Markdown, as files of our own form",
        "Clarifications, depuis du JSON, du YAML ou du Markdown, dans notre forme",
    ),
    (
        "Example:\n  govmem import veille radar/ --map verdict=ring --impact modere --latest --dry-run\n  govmem import veille blips/*.yaml --map title=name,verdict=blip[-1].ring,date=blip[-1].date,summary=description+rationale --verdicts pilot=experimenter --impact faible",
        "Exemple :\n  govmem import veille radar/ --map verdict=ring --impact modere --latest --dry-run\n  govmem import veille blips/*.yaml --map title=name,verdict=blip[-1].ring,date=blip[-1].date,summary=description+rationale --verdicts pilot=experimenter --impact faible",
    ),
    (
        "The files; of a directory every Markdown, YAML and JSON file in it",
        "Les fichiers ; d'un dossier, tous ses fichiers Markdown, YAML et JSON",
    ),
    (
        "Our field = their path, separated by commas; `a+b` joins two paths, `a|b` takes the first that is there",
        "Notre champ = leur chemin, séparés par des virgules ; `a+b` joint deux chemins, `a|b` prend le premier présent",
    ),
    (
        "Their verdict = ours, separated by commas; adopt, trial, assess, hold, archive are known",
        "Leur verdict = le nôtre, séparés par des virgules ; adopt, trial, assess, hold, archive sont connus",
    ),
    (
        "Impact of notes that name none: fort, modere, faible or nul",
        "Impact des notes qui n'en nomment pas : fort, modere, faible ou nul",
    ),
    (
        "Where the items stand in a JSON or YAML document",
        "Où sont les éléments dans un document JSON ou YAML",
    ),
    ("Of notes with one title, the latest only", "Des notes d'un même titre, la dernière seulement"),
    (
        "Example:\n  govmem import clarifications answers.jsonl --map story=ticket,Q1=why,Q2=done_when,Q3=limits,Q4=first --domain auth --project backend\n  govmem import clarifications specs/ --domain auth --project backend --dry-run",
        "Exemple :\n  govmem import clarifications reponses.jsonl --map story=ticket,Q1=why,Q2=done_when,Q3=limits,Q4=first --domain auth --project backend\n  govmem import clarifications specs/ --domain auth --project backend --dry-run",
    ),
    (
        "The files; of a directory every spec.md, *-clarifications.md, JSON and YAML file in it",
        "Les fichiers ; d'un dossier, tous ses spec.md, *-clarifications.md, JSON et YAML",
    ),
    (
        "Our field = their path, separated by commas: story, date, Q1 to Q4, questions, question, answer, theme …",
        "Notre champ = leur chemin, séparés par des virgules : story, date, Q1 à Q4, questions, question, answer, theme …",
    ),
    (
        "Domain of items that name none; `[clarifications] domain` by default",
        "Domaine des éléments qui n'en nomment pas ; par défaut domain de [clarifications]",
    ),
    (
        "Project of items that name none; `[clarifications] project` by default",
        "Projet des éléments qui n'en nomment pas ; par défaut project de [clarifications]",
    ),
    (
        "Day of items that name none, from which their retention counts",
        "Jour des éléments qui n'en nomment pas, d'où court leur conservation",
    ),
    // promote, purge, redact, restore, score
    (
        "Example:\n  learnings-promote --dry-run\n  learnings-promote --yes",
        "Exemple :\n  learnings-promote --dry-run\n  learnings-promote --yes",
    ),
    ("Print the plan, change nothing", "Affiche le plan, ne change rien"),
    (
        "Archive even more than a fifth of the active learnings in one run",
        "Archive même plus d'un cinquième des learnings actifs en une fois",
    ),
    ("Clarifications whose 18 months have passed", "Clarifications dont les 18 mois sont passés"),
    ("Example:\n  govmem purge clarifications --json", "Exemple :\n  govmem purge clarifications --json"),
    (
        "Remove their Markdown files below docs/epics too",
        "Retire aussi leurs fichiers Markdown sous docs/epics",
    ),
    (
        "Example:\n  govmem redact --id PD-19-3-a1b2c3d4e5f6 --reason \"customer name\"\n\nThe text becomes [redacted]; its vectors and replayable blocks go. Version control and backups keep what they have.",
        "Exemple :\n  govmem redact --id PD-19-3-a1b2c3d4e5f6 --reason \"nom d'un client\"\n\nLe texte devient [redacted] ; ses vecteurs et blocs rejouables partent. Gestion de versions et sauvegardes gardent ce qu'elles ont.",
    ),
    ("The learning", "Le learning"),
    (
        "Why; signed, so never the leaked text itself",
        "Pourquoi ; signé, donc jamais le texte divulgué lui-même",
    ),
    (
        "Example:\n  govmem restore --id PD-19-3-a1b2c3d4e5f6",
        "Exemple :\n  govmem restore --id PD-19-3-a1b2c3d4e5f6",
    ),
    ("The archived learning", "Le learning archivé"),
    (
        "Example:\n  learnings-score --json\n\nA score is an association between a lesson and what became of the stories that received it; it does not say that the lesson caused it.",
        "Exemple :\n  learnings-score --json\n\nUn score est une association entre un learning et ce que sont devenues les stories qui l'ont reçu ; il ne dit pas que le learning en est la cause.",
    ),
];

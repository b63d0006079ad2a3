//! `govfind`.

/// English and French.
pub(super) const TEXTS: &super::Table = &[
    (
        "Search your documents by words and by meaning, on this machine",
        "Cherche dans vos documents par les mots et par le sens, sur cette machine",
    ),
    (
        "Search your documents by words and by meaning, on this machine\n\nCollections of files are indexed when you say so (`update`, `embed`) and searched by words (`search`), by meaning (`vsearch`) or by both (`query`). Nothing is added, indexed, embedded or started by itself: what a command lacks, it names.",
        "Cherche dans vos documents par les mots et par le sens, sur cette machine\n\nDes collections de fichiers sont indexées quand vous le dites (`update`, `embed`), puis fouillées par les mots (`search`), par le sens (`vsearch`) ou par les deux (`query`). Rien ne s'ajoute, ne s'indexe ni ne démarre tout seul : ce qui manque à une commande, elle le nomme.",
    ),
    (
        "Example:\n  govfind collection add ~/notes --name notes\n  govfind update\n  govfind search \"vault rotation\"",
        "Exemple :\n  govfind collection add ~/notes --name notes\n  govfind update\n  govfind search \"rotation vault\"",
    ),
    (
        "The index: a name, or a path; otherwise the project's `.govfind/index.db`, else `default`",
        "L'index : un nom ou un chemin ; sinon `.govfind/index.db` du projet, sinon `default`",
    ),
    ("Manage the directories that are indexed", "Gère les dossiers indexés"),
    (
        "Manage notes about scopes, kept apart from the documents",
        "Gère les notes sur des portées, tenues à part des documents",
    ),
    (
        "List indexed files, all, of a collection or under a prefix",
        "Liste les fichiers indexés : tous, d'une collection ou sous un préfixe",
    ),
    ("Print a document, whole or some lines of it", "Affiche un document, entier ou quelques lignes"),
    (
        "Print several documents: a glob, or names separated by commas",
        "Affiche plusieurs documents : un motif, ou des noms séparés par des virgules",
    ),
    ("Find documents by words (BM25, no model)", "Trouve des documents par les mots (BM25, sans modèle)"),
    ("Find documents by meaning (vectors)", "Trouve des documents par le sens (vecteurs)"),
    (
        "Find documents by both, expanded, fused and reranked",
        "Trouve des documents par les deux, avec expansion, fusion et reclassement",
    ),
    ("Index what changed", "Indexe ce qui a changé"),
    ("Compute the vectors that are missing", "Calcule les vecteurs manquants"),
    ("Tell the state of the index; change nothing", "Dit l'état de l'index ; ne change rien"),
    ("Look for problems; change nothing", "Cherche les problèmes ; ne change rien"),
    (
        "Remove what nothing uses any more and shorten the files",
        "Retire ce que rien n'utilise plus et raccourcit les fichiers",
    ),
    ("Measure search quality against a fixture", "Mesure la qualité de recherche sur un jeu de questions"),
    (
        "Show, set, export or import the configuration of the index",
        "Montre, règle, exporte ou importe la configuration de l'index",
    ),
    ("Approve the update hook of a collection", "Approuve le crochet de mise à jour d'une collection"),
    (
        "Serve one client by MCP on stdin and stdout, until it goes",
        "Sert un client par MCP sur l'entrée et la sortie standard, jusqu'à son départ",
    ),
    ("Serve by HTTP and MCP on this machine", "Sert par HTTP et MCP sur cette machine"),
    ("End the daemon that `serve --daemon` started", "Arrête le démon lancé par `serve --daemon`"),
    ("Print a completion script", "Affiche un script de complétion"),
    ("For which shell", "Pour quel shell"),
    // formats
    ("Comma-separated values with a header", "Valeurs séparées par des virgules, avec en-tête"),
    ("Markdown", "Markdown"),
    ("XML", "XML"),
    ("Addresses, one a line", "Adresses, une par ligne"),
    (
        "How results are written (`--json` is one of them)",
        "Comment les résultats sont écrits (`--json` en est un)",
    ),
    ("Same as `--format csv`", "Comme `--format csv`"),
    ("Same as `--format md`", "Comme `--format md`"),
    ("Same as `--format xml`", "Comme `--format xml`"),
    ("Same as `--format files`", "Comme `--format files`"),
    // collection
    (
        "Add a directory; nothing is indexed until `update`",
        "Ajoute un dossier ; rien n'est indexé avant `update`",
    ),
    ("List the collections", "Liste les collections"),
    ("Show a collection, its hook included", "Montre une collection, crochet compris"),
    ("Its name", "Son nom"),
    ("Give a collection another name", "Renomme une collection"),
    ("The new name", "Le nouveau nom"),
    ("Search a collection when none is named", "Cherche dans une collection quand aucune n'est nommée"),
    (
        "Leave a collection out when none is named; it stays indexed",
        "Laisse une collection de côté quand aucune n'est nommée ; elle reste indexée",
    ),
    (
        "Forget a collection, its documents and vectors; the files stay",
        "Oublie une collection, ses documents et vecteurs ; les fichiers restent",
    ),
    ("Do not ask", "Ne demande pas"),
    (
        "Set the shell command run before an update (with `--run-hooks`); without CMD, clear it",
        "Règle la commande lancée avant une mise à jour (avec `--run-hooks`) ; sans CMD, l'efface",
    ),
    ("The collection", "La collection"),
    ("The command", "La commande"),
    ("The directory", "Le dossier"),
    ("Files to take", "Fichiers à prendre"),
    (
        "Files to leave out, beside what gitignore files say (repeatable)",
        "Fichiers à laisser, outre ce que disent les gitignore (répétable)",
    ),
    (
        "Shell command run before an update (with `--run-hooks`)",
        "Commande lancée avant une mise à jour (avec `--run-hooks`)",
    ),
    ("Search it only when it is named", "N'y cherche que si elle est nommée"),
    (
        "Language of all documents (en, fr, …); otherwise detected",
        "Langue de tous les documents (en, fr, …) ; sinon détectée",
    ),
    ("Take hidden files", "Prend les fichiers cachés"),
    (
        "Follow symbolic links that stay inside the directory",
        "Suit les liens symboliques qui restent dans le dossier",
    ),
    // context
    (
        "Say what a scope is about: the current directory, a path, `gf://collection/path`, or `/`",
        "Dit de quoi parle une portée : le dossier courant, un chemin, `gf://collection/path` ou `/`",
    ),
    ("`[SCOPE] TEXT`", "`[PORTÉE] TEXTE`"),
    ("List the contexts", "Liste les contextes"),
    ("Show directories that no context is about", "Montre les dossiers dont aucun contexte ne parle"),
    ("Remove the context of a scope", "Retire le contexte d'une portée"),
    ("The scope", "La portée"),
    // reading
    (
        "A collection, or `collection/prefix`, or `gf://…`",
        "Une collection, ou `collection/préfixe`, ou `gf://…`",
    ),
    ("Print paths on the disk", "Affiche les chemins sur le disque"),
    ("`PATH|gf://…|#docid[:FROM[:COUNT]]`", "`CHEMIN|gf://…|#docid[:DE[:NOMBRE]]`"),
    ("First line", "Première ligne"),
    ("Number of lines", "Nombre de lignes"),
    ("Leave line numbers out", "Sans numéros de ligne"),
    ("Print the path on the disk", "Affiche le chemin sur le disque"),
    ("Read the file instead of the stored text", "Lit le fichier au lieu du texte enregistré"),
    ("A glob, or names separated by commas", "Un motif, ou des noms séparés par des virgules"),
    ("Leave out files of more lines", "Laisse les fichiers de plus de lignes"),
    ("Leave out files of more bytes", "Laisse les fichiers de plus d'octets"),
    ("Read the files instead of the stored texts", "Lit les fichiers au lieu des textes enregistrés"),
    // searching
    (
        "Words, `\"exact phrases\"`, `-excluded`; lines `lex:`, `vec:`, `hyde:`, `intent:`; `-` reads stdin",
        "Mots, `\"phrases exactes\"`, `-exclus` ; lignes `lex:`, `vec:`, `hyde:`, `intent:` ; `-` lit l'entrée standard",
    ),
    ("Search this collection only (repeatable)", "Cherche dans cette seule collection (répétable)"),
    ("Most results", "Nombre maximal de résultats"),
    ("All results", "Tous les résultats"),
    ("Least score, 0 to 1", "Score minimal, de 0 à 1"),
    ("Print whole documents", "Affiche les documents entiers"),
    ("What you are after; refines the order", "Ce que vous visez ; affine l'ordre"),
    ("Do not expand the query", "Sans expansion de la requête"),
    ("Do not rerank", "Sans reclassement"),
    ("Say why each result stands where it does", "Dit pourquoi chaque résultat est à sa place"),
    // update, embed
    ("Only this collection (repeatable)", "Seulement cette collection (répétable)"),
    (
        "Run the approved hooks of the collections first",
        "Lance d'abord les crochets approuvés des collections",
    ),
    (
        "How documents are cut; documents cut otherwise are cut again",
        "Comment découper les documents ; ceux découpés autrement le sont de nouveau",
    ),
    (
        "Make a new database in the place of a damaged or older one, then index everything",
        "Fait une base neuve à la place d'une base abîmée ou ancienne, puis indexe tout",
    ),
    (
        "Name of an Ollama model, or directory of a local one; kept in the configuration",
        "Nom d'un modèle Ollama, ou dossier d'un modèle local ; gardé dans la configuration",
    ),
    (
        "Drop the vectors there are and compute all again",
        "Abandonne les vecteurs présents et les recalcule tous",
    ),
    // bench
    ("The fixture, JSON or YAML", "Le jeu de questions, JSON ou YAML"),
    (
        "How to search (repeatable); all three when absent",
        "Comment chercher (répétable) ; les trois par défaut",
    ),
    ("By words", "Par les mots"),
    ("By meaning", "Par le sens"),
    ("By both", "Par les deux"),
    ("Write the run to this file", "Écrit la mesure dans ce fichier"),
    ("Compare with the run in this file", "Compare avec la mesure de ce fichier"),
    (
        "Run and compare even across indexes, models, configurations and stale documents",
        "Mesure et compare même d'un index, d'un modèle ou d'une configuration à l'autre, ou des documents périmés",
    ),
    // config, trust
    ("Show the models of the index", "Montre les modèles de l'index"),
    (
        "Set a value: embedder, embedder-dir, query-prefix, document-prefix, generator, reranker-dir, factory, semantic-weight, feedback-weight, allow-remote-models",
        "Règle une valeur : embedder, embedder-dir, query-prefix, document-prefix, generator, reranker-dir, factory, semantic-weight, feedback-weight, allow-remote-models",
    ),
    ("The key", "La clé"),
    ("The value", "La valeur"),
    ("Clear a value", "Efface une valeur"),
    ("Print the whole configuration as YAML", "Affiche toute la configuration en YAML"),
    (
        "Take over a configuration from YAML; hooks in it need `govfind trust`",
        "Reprend une configuration en YAML ; ses crochets veulent `govfind trust`",
    ),
    ("The file, `-` for stdin", "Le fichier, `-` pour l'entrée standard"),
    ("The collection; without it, hooks are listed", "La collection ; sans elle, liste les crochets"),
    // serve
    (
        "Serve HTTP, which is what it does anyway (`mcp` serves stdin and stdout)",
        "Sert par HTTP, ce qu'il fait de toute façon (`mcp` sert l'entrée et la sortie standard)",
    ),
    ("The port; 0 for any free one", "Le port ; 0 pour un port libre quelconque"),
    (
        "Go on in the background, with a bearer token; `govfind stop` ends it",
        "Continue en arrière-plan, avec un jeton ; `govfind stop` l'arrête",
    ),
    ("The address to listen on", "L'adresse d'écoute"),
    (
        "Accept an address that other machines reach; needs a token",
        "Accepte une adresse que d'autres machines atteignent ; veut un jeton",
    ),
    (
        "A name of this machine that requests may be for, beside localhost (repeatable)",
        "Un nom de cette machine auquel peuvent s'adresser les requêtes, outre localhost (répétable)",
    ),
    (
        "Ask for the token in this file, which its owner alone can read",
        "Exige le jeton de ce fichier, que son propriétaire seul peut lire",
    ),
    ("Started by `serve --daemon`", "Lancé par `serve --daemon`"),
];

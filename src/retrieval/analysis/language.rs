//! Languages: recognised by their function words, stemmed by Snowball.

use rust_stemmers::Algorithm;
use serde::{Deserialize, Serialize};

use super::scan::{Kind, scan};

/// A language with a stemmer, or none of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// No stemming.
    #[default]
    Other,
    /// English.
    English,
    /// French.
    French,
    /// German.
    German,
    /// Spanish.
    Spanish,
    /// Italian.
    Italian,
    /// Portuguese.
    Portuguese,
    /// Dutch.
    Dutch,
    /// Danish.
    Danish,
    /// Swedish.
    Swedish,
    /// Norwegian.
    Norwegian,
    /// Finnish.
    Finnish,
    /// Hungarian.
    Hungarian,
    /// Romanian.
    Romanian,
    /// Russian.
    Russian,
    /// Turkish.
    Turkish,
    /// Arabic.
    Arabic,
    /// Greek.
    Greek,
}

impl Language {
    const ALL: [(Language, &'static str); 18] = [
        (Language::Other, "other"),
        (Language::English, "en"),
        (Language::French, "fr"),
        (Language::German, "de"),
        (Language::Spanish, "es"),
        (Language::Italian, "it"),
        (Language::Portuguese, "pt"),
        (Language::Dutch, "nl"),
        (Language::Danish, "da"),
        (Language::Swedish, "sv"),
        (Language::Norwegian, "no"),
        (Language::Finnish, "fi"),
        (Language::Hungarian, "hu"),
        (Language::Romanian, "ro"),
        (Language::Russian, "ru"),
        (Language::Turkish, "tr"),
        (Language::Arabic, "ar"),
        (Language::Greek, "el"),
    ];

    /// `en`, `fr` …, `other`.
    pub fn tag(self) -> &'static str {
        Self::ALL.iter().find(|(l, _)| *l == self).map_or("other", |(_, tag)| tag)
    }

    /// Reads a tag.
    pub fn from_tag(tag: &str) -> Option<Language> {
        Self::ALL.iter().find(|(_, t)| *t == tag).map(|(l, _)| *l)
    }

    pub(super) fn algorithm(self) -> Option<Algorithm> {
        Some(match self {
            Language::Other => return None,
            Language::English => Algorithm::English,
            Language::French => Algorithm::French,
            Language::German => Algorithm::German,
            Language::Spanish => Algorithm::Spanish,
            Language::Italian => Algorithm::Italian,
            Language::Portuguese => Algorithm::Portuguese,
            Language::Dutch => Algorithm::Dutch,
            Language::Danish => Algorithm::Danish,
            Language::Swedish => Algorithm::Swedish,
            Language::Norwegian => Algorithm::Norwegian,
            Language::Finnish => Algorithm::Finnish,
            Language::Hungarian => Algorithm::Hungarian,
            Language::Romanian => Algorithm::Romanian,
            Language::Russian => Algorithm::Russian,
            Language::Turkish => Algorithm::Turkish,
            Language::Arabic => Algorithm::Arabic,
            Language::Greek => Algorithm::Greek,
        })
    }

    /// Folded function words.
    fn function_words(self) -> &'static str {
        match self {
            Language::English => {
                "a about after all also am an and any are as at be because been before being both but by can \
                 could did do does doing for from had has have having he her here hers him his how i if in into \
                 is it its itself just me more most my no nor not of off on once only or other our out over own \
                 same she should so some such than that the their theirs them then there these they this those \
                 through to too under until up very was we were what when where which while who whom why will \
                 with would you your yours"
            }
            Language::French => {
                "a afin ai ainsi alors apres au aucun aussi autre autres aux avaient avait avant avec avez avoir \
                 avons c car ce ceci cela celle celles celui ces cet cette ceux chaque comme comment d dans de \
                 depuis des donc dont du elle elles en encore entre es est et etaient etait etant ete etre eux \
                 fait faire faut furent fut il ils j je l la le les leur leurs lors lui m ma mais me meme memes \
                 mes moi mon n ne ni nos notre nous on ont ou par parce pas peu peut peuvent plus pour pourquoi \
                 puis qu quand que quel quelle quelles quels qui quoi s sa sans se sera ses si son sont sous sur \
                 t ta te tes toi ton tous tout toute toutes tu un une vers vos votre vous y"
            }
            Language::German => {
                "aber als am an auch auf aus bei bin bis das dass dem den der des die dies diese diesem diesen \
                 dieser dieses doch du durch ein eine einem einen einer eines er es fur hat haben ich ihm ihn \
                 ihr ihre im in ist ja kann kein keine mein mit nach nicht noch nur ob oder ohne sein seine sich \
                 sie sind so um und uns unter vom von vor war waren was weil wenn werden wie wir wird zu zum zur"
            }
            Language::Spanish => {
                "al algo ante antes como con contra cual cuando de del desde donde durante el ella ellas ellos en \
                 entre era es esa ese eso esta estaba estan este esto estos fue ha hasta hay la las le les lo los \
                 mas me mi muy nada ni no nos o otra otro para pero poco por porque que quien se sea ser si sin \
                 sobre son su sus tambien tan tanto te tiene tu un una uno unos y ya yo"
            }
            Language::Italian => {
                "ad agli ai al alla alle allo anche che chi ci come con cui da dagli dai dal dalla dalle degli dei \
                 del della delle dello di dove e ed era essere fra gli ha hanno i il in io la le lei lo loro lui \
                 ma mi nei nel nella nelle noi non o per perche piu quale quando quanto quella quelle quello questa \
                 questo se si sono su sua sue sul sulla suo tra un una uno voi"
            }
            Language::Portuguese => {
                "ao aos as ate com como da das de depois do dos e ela elas ele eles em entre era essa esse esta \
                 este eu foi ha isso isto ja mais mas me mesmo meu minha muito na nao nas nem no nos nossa nosso \
                 num numa o os ou para pela pelas pelo pelos por qual quando que quem sao se sem ser seu seus so \
                 sua suas tambem te tem um uma voce"
            }
            Language::Dutch => {
                "aan al als bij dat de deze die dit door een en er haar had heb heeft het hij hoe hun ik in is je \
                 kan maar me meer men met mij naar niet nog nu of om onder ons ook op over te tegen toch toen tot \
                 u uit van veel voor want was wat we wel werd wie wij wordt worden zal ze zich zij zijn zo zonder"
            }
            _ => "",
        }
    }

    /// Whether `word` (folded) carries grammar rather than meaning in any of `languages`.
    pub fn is_function_word(word: &str, languages: &[Language]) -> bool {
        languages.iter().any(|l| l.function_words().split(' ').any(|w| w.trim() == word))
    }
}

/// The languages recognised by their function words.
const BY_WORDS: [Language; 7] = [
    Language::English,
    Language::French,
    Language::German,
    Language::Spanish,
    Language::Italian,
    Language::Portuguese,
    Language::Dutch,
];

/// The language most of `text`'s beginning is written in.
pub fn detect(text: &str) -> Language {
    let sample = &text[..text.floor_char_boundary(2500)];
    let table = function_table();
    let mut votes = [0u32; BY_WORDS.len()];
    let mut words = 0u32;
    scan(sample, |token| {
        if token.kind == Kind::Word {
            words += 1;
            if let Some(mask) = table.get(token.text) {
                for (i, vote) in votes.iter_mut().enumerate() {
                    *vote += u32::from(mask >> i & 1);
                }
            }
        }
    });
    let best = (0..votes.len()).max_by_key(|i| (votes[*i], BY_WORDS.len() - i)).unwrap_or(0);
    if votes[best] >= 3 && votes[best] * 12 >= words {
        return BY_WORDS[best];
    }
    by_letters(&sample[..sample.floor_char_boundary(1000)])
}

/// Folded function word → bit per language of [`BY_WORDS`].
fn function_table() -> &'static rustc_hash::FxHashMap<&'static str, u8> {
    static TABLE: std::sync::OnceLock<rustc_hash::FxHashMap<&'static str, u8>> = std::sync::OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = rustc_hash::FxHashMap::default();
        for (i, language) in BY_WORDS.iter().enumerate() {
            for word in language.function_words().split_ascii_whitespace() {
                *table.entry(word).or_insert(0u8) |= 1 << i;
            }
        }
        table
    })
}

/// By script and trigrams; English where nothing is sure and all is ASCII, as in code.
fn by_letters(sample: &str) -> Language {
    use whatlang::Lang as L;
    if sample.is_ascii() {
        return Language::English;
    }
    match whatlang::detect(sample).filter(whatlang::Info::is_reliable).map(|info| info.lang()) {
        Some(L::Eng) => Language::English,
        Some(L::Fra) => Language::French,
        Some(L::Deu) => Language::German,
        Some(L::Spa) => Language::Spanish,
        Some(L::Ita) => Language::Italian,
        Some(L::Por) => Language::Portuguese,
        Some(L::Nld) => Language::Dutch,
        Some(L::Dan) => Language::Danish,
        Some(L::Swe) => Language::Swedish,
        Some(L::Nob) => Language::Norwegian,
        Some(L::Fin) => Language::Finnish,
        Some(L::Hun) => Language::Hungarian,
        Some(L::Ron) => Language::Romanian,
        Some(L::Rus) => Language::Russian,
        Some(L::Tur) => Language::Turkish,
        Some(L::Ara) => Language::Arabic,
        Some(L::Ell) => Language::Greek,
        _ => Language::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises() {
        let cases = [
            ("The key is stored in the vault and it is read by the job that signs.", Language::English),
            ("La clé est gardée dans le coffre, et elle est lue par le job qui signe.", Language::French),
            (
                "Der Schlüssel wird im Tresor gehalten und von dem Job gelesen, der signiert.",
                Language::German,
            ),
            ("Ключ хранится в сейфе, и его читает задание, которое подписывает события.", Language::Russian),
            ("fn main() { println!(); }", Language::English),
            ("日本語の文書です。検索できます。", Language::Other),
        ];
        for (text, expected) in cases {
            assert_eq!(detect(text), expected, "{text}");
        }
    }

    #[test]
    fn tags_and_function_words() {
        for (language, tag) in Language::ALL {
            assert_eq!(Language::from_tag(tag), Some(language));
            assert_eq!(language.tag(), tag);
        }
        let both = [Language::English, Language::French];
        assert!(Language::is_function_word("the", &both) && Language::is_function_word("les", &both));
        assert!(!Language::is_function_word("les", &[Language::English]));
        assert!(!Language::is_function_word("vault", &both) && !Language::is_function_word("", &both));
    }
}

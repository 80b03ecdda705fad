/* Ranks the results of the search: what to do first, the reference of the Python code last.
   Sphinx alone gives most results the same score and then sorts them by the alphabet, and finds only pages
   with all words. conf.py writes KEYWORDS above this. */
const wordsOf = (text) => text.toLowerCase().match(/\w{3,}|\br\b/g) || [];
const QUERY_WORDS = wordsOf(new URLSearchParams(window.location.search).get("q") || "");

const BONUS = [
  [/^tutorials\/|^how-to\/(?!index|analyse-)/, 6],
  [/^how-to\/analyse-/, 3],
  [/^reference\/(glossary|settings|data-)/, 2],
  [/^reference\/(python-api|rulings|otree-patches)/, -12],
  [/index$/, -6],
];

/* Whether two words are forms of each other, such as "links" and "link". */
const isSame = (form, other) => form.startsWith(other.slice(0, Math.max(4, other.length - 3)));

const countIn = (text) => {
  const words = wordsOf(text);
  return QUERY_WORDS.filter((queryWord) => words.some((word) => isSame(word, queryWord))).length;
};

var Scorer = {
  score: ([docname, title, , , score]) =>
    score + 2 * countIn(title) + 5 * countIn(KEYWORDS[docname] || "")
    + BONUS.reduce((sum, [page, bonus]) => sum + (page.test(docname) ? bonus : 0), 0),
  // the values of Sphinx
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};

/* A page need not have all words, as of a whole question, but two thirds of as many as the best page. Its scores
   for the words add up. */
const findAll = Search.performTermsSearch;
Search.performTermsSearch = (terms, excluded) => {
  const resultsByPage = new Map();
  for (const term of terms)
    for (const result of findAll(new Set([term]), excluded)) {
      const earlier = resultsByPage.get(result[0]);
      if (earlier) result[4] += earlier.result[4];
      resultsByPage.set(result[0], { result, count: earlier ? earlier.count + 1 : 1 });
    }
  const maxCount = Math.max(...[...resultsByPage.values()].map(({ count }) => count));
  return [...resultsByPage.values()].filter(({ count }) => 3 * count >= 2 * maxCount).map(({ result }) => result);
};

/* A letter, such as R, is no part of a name in Python. */
const findNames = Search.performObjectSearch;
Search.performObjectSearch = (name, names) => (name.length > 2 ? findNames(name, names) : []);

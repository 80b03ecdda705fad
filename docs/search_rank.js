/* Ranks the results of the search: what to do first, the reference of the Python code last.
   Sphinx alone gives most results the same score and then sorts them by the alphabet. */
const ASKED = (new URLSearchParams(window.location.search).get("q") || "").toLowerCase().match(/\w{3,}/g) || [];

const BONUS = [
  [/^tutorials\/|^how-to\/(?!index|analyse-)/, 6],
  [/^how-to\/analyse-/, 3],
  [/^reference\/(glossary|settings|data-)/, 2],
  [/^reference\/(python-api|rulings|otree-patches)/, -12],
  [/index$/, -6],
];

var Scorer = {
  score: ([docname, title, , , score]) => {
    const words = title.toLowerCase().match(/\w{3,}/g) || [];
    const inTitle = ASKED.filter((word) => words.some((other) => other.slice(0, 4) === word.slice(0, 4)));
    return score + 2 * inTitle.length + BONUS.reduce((sum, [page, bonus]) => sum + (page.test(docname) ? bonus : 0), 0);
  },
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

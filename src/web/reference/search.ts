/** Finds pages of the docs, in the browser. */

/** `words` are looked through, but not shown: fields, codes of errors, and the whole summary. */
export type SearchEntry = readonly [
  title: string,
  /** Of an operation; `EVENT` for an event. */
  method: string,
  path: string,
  address: string,
  group: string,
  words: string
]

/** How well an entry matches one word; 0 if it does not. */
const scoreOf = ([title, method, path, , group, words]: SearchEntry, word: string): number => {
  const starts = (text: string) => ` ${text.toLowerCase()}`.includes(` ${word}`)
  if (starts(title)) return 8
  if (title.toLowerCase().includes(word)) return 5
  if (starts(group)) return 4
  if (path.toLowerCase().includes(word) || method.toLowerCase() === word) return 3
  if (starts(words)) return 2
  return words.toLowerCase().includes(word) ? 1 : 0
}

/** The entries that match all words, the best first. */
export const search = (index: ReadonlyArray<SearchEntry>, query: string): ReadonlyArray<SearchEntry> => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return index
    .map((entry) => {
      const scores = words.map((word) => scoreOf(entry, word))
      return { entry, score: scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0) }
    })
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .map(({ entry }) => entry)
}

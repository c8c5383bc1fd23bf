/** The words of a text, for tables of values without spaces. */
export const wordsOf = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

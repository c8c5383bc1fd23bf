/** Compares names as they are typed with names in a machine-readable zone. */

/** Letters that a zone writes with several (ICAO 9303 part 3, section 6 A). Others lose their accents. */
const expanded: Readonly<Record<string, string>> = {
  Ä: "AE",
  Å: "AA",
  Æ: "AE",
  Ö: "OE",
  Ø: "OE",
  Œ: "OE",
  Ü: "UE",
  ẞ: "SS",
  Þ: "TH",
  Ð: "D",
  Đ: "D",
  Ħ: "H",
  ı: "I",
  Ĳ: "IJ",
  ĸ: "K",
  Ł: "L",
  Ŋ: "N",
  Ŧ: "T",
  Ñ: "N"
}

const spaced = (text: string): string =>
  text
    .replaceAll(/['’.]/g, "")
    .replaceAll(/[-\s,]+/g, " ")
    .trim()

const upper = (text: string): string => text.normalize("NFKC").replaceAll("ß", "ẞ").toUpperCase()

/** A name as it is compared with another one that was typed. */
export const plainName = (typed: string): string => spaced(upper(typed))

const scripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u]

/** Whether letters that look alike may hide another name. */
export const mixesScripts = (typed: string): boolean =>
  scripts.filter((script) => script.test(typed)).length > 1

const withoutAccents = (text: string): string => text.normalize("NFD").replaceAll(/\p{Mark}/gu, "")

/** How a zone may write a name; empty if it has letters of another script, whose transliteration doorlock does not know. */
const writings = (typed: string): ReadonlyArray<string> => {
  const letters = [...upper(typed)]
  const one = spaced(withoutAccents(letters.map((letter) => expanded[letter] ?? letter).join("")))
  const other = spaced(
    withoutAccents(
      letters
        .map((letter) =>
          withoutAccents(letter).length === 1 && /[A-Z]/.test(withoutAccents(letter))
            ? letter
            : (expanded[letter] ?? letter)
        )
        .join("")
    )
  )
  return [...new Set([one, other])].filter((name) => /^[A-Z ]+$/.test(name))
}

/**
 * Whether a zone may write the typed name so. Undefined: nobody can tell.
 *
 * @param cut whether the name in the zone may have been cut
 */
export const nameAgrees = (typed: string, read: string, cut: boolean): boolean | undefined => {
  const possible = writings(typed)
  if (possible.length === 0) return undefined
  const found = spaced(read)
  return possible.some((name) => name === found || (cut && name.startsWith(found)))
}

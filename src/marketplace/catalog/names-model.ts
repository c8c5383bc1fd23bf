/** Rejects deceptive names: people decide by an API's name in the marketplace whom to trust. */

/** Characters that are invisible or change how others are displayed, such as bidirectional formatting. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Legitimate ones: joiners in scripts such as Persian or Hindi, joiners and selectors in emoji. */
const needed =
  /(?<=[[\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]])[\u200c\u200d](?=\p{L})|(?<=[\p{Extended_Pictographic}\ufe0f\p{Emoji_Modifier}])\u200d(?=\p{Extended_Pictographic})|(?<=[\p{Emoji}])\ufe0f/gv

const wordsOf = /[\p{L}\p{M}\p{N}]+/gu

/** Scripts with look-alike letters, and letters not to mix with them. Latin may mix, as in `Tシャツ`. */
const alike: ReadonlyArray<readonly [has: RegExp, otherThan: RegExp]> = [
  [
    /\p{Script=Latin}/u,
    /[[\p{L}]--[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Common}]]/v
  ],
  [/\p{Script=Greek}/u, /[[\p{L}]--[\p{Script=Greek}\p{Script=Common}]]/v],
  [/\p{Script=Cyrillic}/u, /[[\p{L}]--[\p{Script=Cyrillic}\p{Script=Common}]]/v]
]

/** Whether the text has any visible character. */
export const showsSomething = (text: string): boolean =>
  [...text].some((character) => !invisible.test(character) && character.trim() !== "")

const isOfOneScript = (word: string): boolean =>
  alike.every(([has, otherThan]) => !has.test(word) || !otherThan.test(word))

/** Whether no word mixes look-alike scripts (UTS 39, section 5.2) and no character is invisible. */
export const isClearName = (name: string): boolean =>
  !invisible.test(name.replaceAll(needed, "")) && (name.match(wordsOf) ?? []).every(isOfOneScript)

/**
 * Error codes: every error answer carries one in the header `doorlock-error`, so that a program need not compare sentences. A code
 * belongs to one sentence, whose only variable part is what it names, such as the scope that is missing; and a sentence has one code.
 * `test/contract/error-codes` holds both, and that codes never change.
 *
 * A row of the contract has its code from here unless it states one: a failure from the name of its class, a 400 from its sentence.
 */

/** The header that carries the code. */
export const errorHeader = "doorlock-error"

const kebab = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .toLowerCase()

/** The code of the failures of a class: `SessionExpired` has `session-expired`. */
export const classCode = (className: string): string => kebab(className)

/** Of a 400 whose sentence its route did not declare: codes are never made of sentences while requests are answered. */
export const undeclaredCode = "request-invalid"

/** What a sentence says of the field it begins with, and how its code ends. The last line takes every other rule. */
const endings: ReadonlyArray<readonly [RegExp, string]> = [
  [/^is required$/, "required"],
  [/^is too large$/, "too-large"],
  [/^must not be empty$/, "empty"],
  [/^must be at most \d+ characters(?: long)?$/, "too-long"],
  [/^must be at least \d+ characters(?: long)?$/, "too-short"],
  [/^must be given once$/, "repeated"],
  [/^must be a day, /, "not-a-day"],
  [/^must be a UUID$/, "not-a-uuid"],
  [/^must not contain U\+0000/, "unstorable"],
  [/^must not contain control characters /, "unprintable"],
  [/^must not point to a private address$/, "private"],
  [/^must not point to a port /, "port-refused"],
  [/^must /, "invalid"]
]

/**
 * The code of a sentence: `token is required` has `token-required`. A sentence that is not about one field has its words, with
 * hyphens between them.
 */
export const sentenceCode = (sentence: string): string => {
  const [, field = "", rule = ""] = /^([a-z]\w*|[\w-]+ header) (.+)$/.exec(sentence) ?? []
  const ending = endings.find(([form]) => form.test(rule))?.[1]
  if (ending !== undefined) return `${kebab(field.replace(/ header$/, ""))}-${ending}`
  return sentence
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
}

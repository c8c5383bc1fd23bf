/**
 * The codes of error responses, for programs. Each has one message, whose only variable part is what it
 * names. Codes never change (`test/contract/error-codes`).
 */

export const errorHeader = "doorlock-error"

/** Says why, if an error has several reasons with one sentence. */
export const reasonHeader = "doorlock-reason"

/** Hyphenated, as in codes: `SessionExpired` becomes `session-expired`. */
export const kebab = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .toLowerCase()

/** The code of an undeclared 400 message: no code is derived while a request is served. */
export const undeclaredCode = "request-invalid"

/** What a message says about its field, and the end of its code. */
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
  [/^must not (?:point to|have) a private address$/, "private"],
  [/^must not (?:point to|have) a port /, "port-refused"],
  [/^must /, "invalid"]
]

/** `token is required` has `token-required`. A message that is not about one field has its words. */
export const sentenceCode = (sentence: string): string => {
  const [, field = "", rule = ""] = /^([a-z]\w*|[\w-]+ header) (.+)$/.exec(sentence) ?? []
  const ending = endings.find(([form]) => form.test(rule))?.[1]
  if (ending !== undefined) return `${kebab(field.replace(/ header$/, ""))}-${ending}`
  return sentence
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
}

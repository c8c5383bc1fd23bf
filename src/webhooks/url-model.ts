/** In UTF-16 code units. */
const maxLength = 2048

/** The canonical form of an http or https URL without credentials; undefined if the text is none. */
export const webhookUrl = (text: string): string | undefined => {
  // The parser would accept spaces, control characters and lone surrogates, and treat a backslash as a slash.
  const url =
    text.length <= maxLength && /^https?:\/\/[^\s\\#\p{Cc}\p{Cs}]+$/iu.test(text) ? URL.parse(text) : null
  const hasCredentials = url?.username !== "" || url.password !== "" || /@/.test(text.split(/[/?]/)[2] ?? "")
  return url === null || hasCredentials || url.href.length > maxLength ? undefined : url.href
}

/** How the audit trail names an endpoint. The rest of its URL may be secret. */
export const hostOf = (url: string): string => new URL(url).host

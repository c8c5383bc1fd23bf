import { anyPrefix } from "../secrets/token.ts"

const secretToken = new RegExp(`(${anyPrefix})[0-9A-Za-z]{4,}`, "g")

/** Tokens without a prefix, and other secrets in a URL. */
const longRun = /[\w-]{24,}/g

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const redactRuns = (text: string): string =>
  text.replace(longRun, (run) => (uuid.test(run) ? run : "[redacted]"))

/** Removes doorlock's tokens from a text, since logs have more readers than the database. */
export const redact = (text: string): string => text.replace(secretToken, "$1[redacted]")

/** Query parameters that never hold personal data or secrets. */
const openParameters = new Set(["limit", "offset", "status"])

/** Path and query for a log line, without parameter values that may be private. */
export const redactUrl = (url: string): string => {
  // The router ends a path at any of these.
  const at = url.search(/[?#;]/)
  if (at === -1) return redactRuns(redact(url))
  const path = redactUrl(url.slice(0, at))
  if (url[at] !== "?") return `${path}${url[at]}[redacted]`
  const query = url
    .slice(at + 1)
    .split("&")
    .map((pair) => {
      const equals = pair.indexOf("=")
      const name = equals === -1 ? pair : pair.slice(0, equals)
      return openParameters.has(name) ? pair : `${name}=[redacted]`
    })
  return `${path}?${redactRuns(redact(query.join("&")))}`
}

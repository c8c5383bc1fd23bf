const secretToken = /\b(dlk_|kyc_sess_|dls_|dk_live_|dk_test_)[0-9A-Za-z]{4,}/g

/** The text without tokens of ours, wherever they stand. Logs are read by more people than the database is. */
export const redact = (text: string): string => text.replace(secretToken, "$1[redacted]")

/** Query parameters that never say anything of a person and hold no secret. */
const openParameters = new Set(["limit", "offset", "status"])

/** Path and query for a log line: of a query only the names of its parameters and what is harmless. */
export const redactUrl = (url: string): string => {
  const at = url.indexOf("?")
  if (at === -1) return redact(url)
  const query = url
    .slice(at + 1)
    .split("&")
    .map((pair) => {
      const [name = ""] = pair.split("=", 1)
      return openParameters.has(name) ? pair : `${name}=[redacted]`
    })
  return redact(`${url.slice(0, at)}?${query.join("&")}`)
}

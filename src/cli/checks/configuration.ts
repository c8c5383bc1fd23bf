import * as Redacted from "effect/Redacted"
import type { Configuration } from "../../config.ts"
import { doubtful, type Finding, well } from "./finding.ts"

/** Bytes that HS256 asks for (RFC 7518, section 3.2). */
const shortestSecret = 32

/** What is allowed, and hardly meant. */
export const configuration = (config: Configuration): Finding => {
  const ownDatabase = config.databaseUrl !== undefined
  const { hostname, protocol } = new URL(config.baseUrl)
  const isLocal = /^(?:localhost|127\..*|\[::1\])$/.test(hostname)
  if (ownDatabase && isLocal) {
    return doubtful(
      `BASE_URL is ${config.baseUrl}, which only this machine can open.`,
      "Set BASE_URL to the address by which clients reach the service."
    )
  }
  if (!isLocal && protocol === "http:") {
    return doubtful(
      `BASE_URL is ${config.baseUrl}: without https, cookies and keys can be read on their way.`,
      "Put the service behind TLS and set BASE_URL to its https address."
    )
  }
  if (ownDatabase && config.signupOpen) {
    return doubtful("SIGNUP is open: anybody may make a company.", "Unset SIGNUP, unless that is meant.")
  }
  if (config.captcha._tag === "SharedSecret") {
    const length = Buffer.byteLength(Redacted.value(config.captcha.secret))
    if (length < shortestSecret) {
      return doubtful(
        `CAPTCHA_JWT_SECRET has ${length} bytes, fewer than the ${shortestSecret} that HS256 asks for.`,
        "Agree on a longer secret with the captcha service."
      )
    }
  }
  return well(`The service is ${config.baseUrl}.`)
}

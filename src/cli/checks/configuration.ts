import { Redacted } from "effect"
import type { Configuration } from "../../config.ts"
import { doubtful, type Finding, well } from "../check.ts"

/** Bytes of an HS256 secret (RFC 7518, section 3.2). */
const shortestSecret = 32

/** If strangers may publish APIs whose upstreams are in the operator's network. */
export const openNetwork = ({
  allowPrivateUpstreams,
  isForThisMachine,
  signupOpen
}: Configuration): Finding | undefined =>
  isForThisMachine || !signupOpen || !allowPrivateUpstreams
    ? undefined
    : doubtful(
        "SIGNUP is open and GATEWAY_ALLOW_PRIVATE_UPSTREAMS is true: whoever reaches the service can read other services of this machine and its network.",
        "Unset one of them, unless this is intended."
      )

function* doubts(config: Configuration) {
  const { baseUrl, captcha, databaseUrl, isForThisMachine, signupOpen, trustedProxies } = config
  const { hostname, protocol } = new URL(baseUrl)
  const isLocal = /^(?:localhost|127\..*|\[::1\])$/.test(hostname)
  if (databaseUrl !== undefined && isLocal) {
    yield doubtful(
      `BASE_URL is ${baseUrl}, which only this machine can open.`,
      "Set BASE_URL to the address by which clients reach the service."
    )
  }
  if (!isLocal && protocol === "http:") {
    yield doubtful(
      `BASE_URL is ${baseUrl}: without https, cookies and keys can be read in transit.`,
      "Put the service behind TLS and set BASE_URL to its https address."
    )
  }
  // doorlock itself speaks only HTTP.
  if (!isLocal && protocol === "https:" && trustedProxies.rules.length === 0) {
    yield doubtful(
      "BASE_URL is https, so a proxy is in front of the service, and TRUSTED_PROXIES names none: all clients share the limits of the proxy's address, or have none if it is on this machine.",
      "Set TRUSTED_PROXIES to the addresses from which the proxy connects (127.0.0.1,::1 on this machine), and have it set X-Forwarded-For."
    )
  }
  const open = openNetwork(config)
  if (open !== undefined) yield open
  else if (!isForThisMachine && signupOpen) {
    yield doubtful("SIGNUP is open: anybody may create a company.", "Unset SIGNUP, unless this is intended.")
  }
  const secret = captcha._tag === "SharedSecret" ? Redacted.value(captcha.secret) : undefined
  if (secret !== undefined && Buffer.byteLength(secret) < shortestSecret) {
    yield doubtful(
      `CAPTCHA_JWT_SECRET has ${Buffer.byteLength(secret)} bytes, fewer than the ${shortestSecret} that HS256 requires.`,
      "Agree on a longer secret with the captcha service."
    )
  }
}

/** Settings that are valid but probably unintended. */
export const configuration = (config: Configuration): ReadonlyArray<Finding> => {
  const found = [...doubts(config)]
  return found.length === 0 ? [well(`The service is ${config.baseUrl}.`)] : found
}

import { Effect, Redacted } from "effect"
import type { Configuration } from "../../config.ts"
import { proxyNote, proxySeen } from "../../http/runtime/unnamed-proxy.ts"
import { within } from "../../shared/ip-address.ts"
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
  const { baseUrl, captcha, databaseUrl, isForThisMachine, signupOpen } = config
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

/** A proxy on this machine that TRUSTED_PROXIES does not list, or a listed one that hides its clients' addresses. */
export const proxies = Effect.fnUntraced(function* ({
  dataDir,
  trustedProxies
}: Pick<Configuration, "dataDir" | "trustedProxies">) {
  const unnamed = yield* proxySeen(dataDir, "unnamed")
  if (unnamed !== undefined && !within(trustedProxies, unnamed.address)) {
    return doubtful(
      `A proxy on this machine has forwarded requests from ${unnamed.address} (${unnamed.at.toISOString()}), and TRUSTED_PROXIES does not name it: all its clients count as this machine, which has no limits per address.`,
      `Add 127.0.0.1,::1 to TRUSTED_PROXIES if only the proxy can reach this port. If it is gone, remove ${proxyNote(dataDir, "unnamed")}.`
    )
  }
  const muted = yield* proxySeen(dataDir, "muted")
  return muted === undefined || !within(trustedProxies, muted.address)
    ? undefined
    : doubtful(
        `A request from ${muted.address}, which TRUSTED_PROXIES names, had no X-Forwarded-For with the client's address (${muted.at.toISOString()}): all clients of that proxy count as one, and share the limits of one address.`,
        `Have the proxy set X-Forwarded-For. If it already does, remove ${proxyNote(dataDir, "muted")}.`
      )
})

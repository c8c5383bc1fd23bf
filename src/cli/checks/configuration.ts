import { Effect, Redacted } from "effect"
import type { Configuration } from "../../config.ts"
import { proxyNote, proxySeen } from "../../http/runtime/unnamed-proxy.ts"
import { within } from "../../shared/ip-address.ts"
import { doubtful, type Finding, well } from "../check.ts"

/** Bytes of an HS256 secret (RFC 7518, section 3.2). */
const shortestSecret = 32

const address = ({ baseUrl, databaseUrl }: Configuration): Finding | undefined => {
  const { hostname, protocol } = new URL(baseUrl)
  const isLocal = /^(?:localhost|127\..*|\[::1\])$/.test(hostname)
  if (databaseUrl !== undefined && isLocal) {
    return doubtful(
      `BASE_URL is ${baseUrl}, which only this machine can open.`,
      "Set BASE_URL to the address by which clients reach the service."
    )
  }
  if (!isLocal && protocol === "http:") {
    return doubtful(
      `BASE_URL is ${baseUrl}: without https, cookies and keys can be read in transit.`,
      "Put the service behind TLS and set BASE_URL to its https address."
    )
  }
  return undefined
}

const signUp = ({ databaseUrl, signupOpen }: Configuration): Finding | undefined =>
  databaseUrl !== undefined && signupOpen
    ? doubtful("SIGNUP is open: anybody may make a company.", "Unset SIGNUP, unless this is intended.")
    : undefined

const captchaSecret = ({ captcha }: Configuration): Finding | undefined => {
  if (captcha._tag !== "SharedSecret") return undefined
  const length = Buffer.byteLength(Redacted.value(captcha.secret))
  return length < shortestSecret
    ? doubtful(
        `CAPTCHA_JWT_SECRET has ${length} bytes, fewer than the ${shortestSecret} that HS256 asks for.`,
        "Agree on a longer secret with the captcha service."
      )
    : undefined
}

type Proxies = Pick<Configuration, "dataDir" | "trustedProxies">

/** A proxy on this machine that TRUSTED_PROXIES does not list. */
const unnamedProxy = ({ dataDir, trustedProxies }: Proxies): Effect.Effect<Finding | undefined> =>
  Effect.map(proxySeen(dataDir, "unnamed"), (seen) =>
    seen === undefined || within(trustedProxies, seen.address)
      ? undefined
      : doubtful(
          `A proxy on this machine has forwarded requests from ${seen.address} (${seen.at.toISOString()}), and TRUSTED_PROXIES does not name it: all its clients count as this machine, which has no limits per address.`,
          `Add 127.0.0.1,::1 to TRUSTED_PROXIES if only the proxy can reach this port. If it is gone, remove ${proxyNote(dataDir, "unnamed")}.`
        )
  )

/** A listed proxy that does not forward its clients' addresses. */
const mutedProxy = ({ dataDir, trustedProxies }: Proxies): Effect.Effect<Finding | undefined> =>
  Effect.map(proxySeen(dataDir, "muted"), (seen) =>
    seen === undefined || !within(trustedProxies, seen.address)
      ? undefined
      : doubtful(
          `A request from ${seen.address}, which TRUSTED_PROXIES names, had no X-Forwarded-For with the client's address (${seen.at.toISOString()}): all clients of that proxy count as one, and share the limits of one address.`,
          `Have the proxy set X-Forwarded-For. If it already does, remove ${proxyNote(dataDir, "muted")}.`
        )
  )

export const proxies = (config: Proxies): Effect.Effect<Finding | undefined> =>
  Effect.flatMap(unnamedProxy(config), (found) =>
    found === undefined ? mutedProxy(config) : Effect.succeed(found)
  )

/** Settings that are valid but probably unintended. */
export const configuration = (config: Configuration): ReadonlyArray<Finding> => {
  const doubts = [address(config), signUp(config), captchaSecret(config)].filter(
    (finding) => finding !== undefined
  )
  return doubts.length === 0 ? [well(`The service is ${config.baseUrl}.`)] : doubts
}

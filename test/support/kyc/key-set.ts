/** A captcha service that publishes its keys (RFC 7517), for servers with `CAPTCHA_JWKS_URL`. */
import { Effect, type Scope } from "effect"
import { exportJWK, generateKeyPair, type JWK, type JWTPayload } from "jose"
import { freePort } from "../machine/free-port.ts"
import { claims, sign } from "./captcha.ts"
import { type Company, startCompany } from "./partner.ts"

export interface IssuerKey {
  readonly jwk: JWK
  readonly publicKey: CryptoKey
  /** Signs a token with the key. The token is valid unless a claim or header says otherwise. */
  readonly token: (payload?: JWTPayload, header?: Readonly<Record<string, unknown>>) => Promise<string>
}

/** A new key pair with the given `kid`. Without one, neither the key nor its tokens have a `kid`. */
export const issuerKey = (alg: string, kid?: string): Effect.Effect<IssuerKey> =>
  Effect.promise(async () => {
    const { privateKey, publicKey } = await generateKeyPair(alg)
    const named = kid === undefined ? {} : { kid }
    return {
      jwk: { ...(await exportJWK(publicKey)), alg, use: "sig", ...named },
      publicKey,
      token: (payload = claims(), header = {}) =>
        sign(payload, { key: privateKey, alg, header: { ...named, ...header } })
    }
  })

interface KeyServer {
  readonly url: string
  /** Sets the response from now on. */
  readonly answer: (respond: () => Response | Promise<Response>) => void
  readonly publish: (...keys: ReadonlyArray<IssuerKey>) => void
  readonly stop: Effect.Effect<void>
  /** Listens again on the same port. */
  readonly restart: Effect.Effect<void>
  /** The number of requests received. */
  readonly requests: () => number
}

/** A key server on a free port, closed with the scope. */
const keyServer: Effect.Effect<KeyServer, never, Scope.Scope> = Effect.gen(function* () {
  let respond: () => Response | Promise<Response> = () => Response.json({ keys: [] })
  let requests = 0
  const listen = (port: number) =>
    Bun.serve({
      port,
      hostname: "127.0.0.1",
      idleTimeout: 0,
      fetch: () => {
        requests += 1
        return respond()
      }
    })
  const port = yield* freePort
  let server = listen(port)
  const stop = Effect.promise(() => server.stop(true))
  yield* Effect.addFinalizer(() => stop)
  return {
    url: `http://127.0.0.1:${port}/keys.json`,
    answer: (next) => {
      respond = next
    },
    publish: (...keys) => {
      respond = () => Response.json({ keys: keys.map(({ jwk }) => jwk) })
    },
    stop,
    restart: Effect.sync(() => {
      server = listen(port)
    }),
    requests: () => requests
  }
})

export interface Published {
  readonly keys: KeyServer
  readonly given: Company
}

/** A company on a server that fetches captcha keys from its own key server. */
export const startWithKeys: Effect.Effect<Published, unknown, Scope.Scope> = Effect.gen(function* () {
  const keys = yield* keyServer
  return { keys, given: yield* startCompany({ CAPTCHA_JWKS_URL: keys.url }) }
})

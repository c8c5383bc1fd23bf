/**
 * Fills a database as years of use would: every growing table is full, and one company, the host, has nine tenths of the
 * sessions and audit events. The rows are as the service would write them, except for the seals of the trails.
 */
import { Effect, type Redacted } from "effect"
import { connect } from "../../src/db/connection.ts"
import { newToken, type TokenPrefix, tokenHash } from "../../src/secrets/token.ts"
import { accounts } from "./accounts.ts"
import { audit } from "./audit.ts"
import { events } from "./events.ts"
import { kyc } from "./kyc.ts"
import { marketplace } from "./marketplace.ts"
import { functions, type Scale, type Sizes } from "./scale.ts"
import { sessionKeys } from "./session-keys.ts"
import { webhooks } from "./webhooks.ts"
import { work } from "./work.ts"

/** The maximum number of sessions, and of keys, with known tokens. */
const mostKnown = 50_000

export interface Filled {
  /** From all companies, evenly; none expires within a month. */
  readonly sessions: ReadonlyArray<{ readonly id: string; readonly token: string }>
  /** Valid keys of companies other than the host, each with a session of its company. */
  readonly keys: ReadonlyArray<{ readonly token: string; readonly sessionId: string }>
}

/** New tokens for evenly spaced places among `count` rows, at most `mostKnown`. */
const knownTokens = (prefix: TokenPrefix, count: number) => {
  const step = Math.max(1, Math.ceil(count / mostKnown))
  return Array.from({ length: Math.floor(count / step) }, (_, index) => ({
    place: index * step + 1 + (index % step),
    token: newToken(prefix)
  }))
}

/**
 * Fills a migrated database in which the host has a KYC instance, and may have published an API and subscribed to one. Needs
 * a superuser: it skips reference checks and triggers.
 *
 * @param host the company's id; the data of sessions is sealed under `testKey`
 */
export const fill = (url: Redacted.Redacted, host: string, sizes: Sizes): Effect.Effect<Filled, Error> =>
  Effect.scoped(
    Effect.gen(function* () {
      const client = yield* connect(url)
      const run = (text: string, values: ReadonlyArray<unknown> = []) =>
        Effect.tryPromise({
          try: () => client.query<Record<string, string | null>>(text, [...values]),
          catch: (cause) => new Error(`${text.slice(0, 200)} ... failed`, { cause })
        })
      const { sealed, store } = yield* sessionKeys
      const scale: Scale = { ...sizes, host, sealed }
      const known = {
        known_sessions: knownTokens("kyc_sess_", sizes.sessions),
        known_keys: knownTokens("dlk_", sizes.keys)
      }

      yield* run("set session_replication_role = replica")
      yield* run("set synchronous_commit = off")
      yield* run(functions(scale))
      for (const [table, tokens] of Object.entries(known)) {
        yield* run(`create temp table ${table} (place bigint primary key, hash bytea not null)`)
        yield* run(`insert into ${table} select * from unnest($1::bigint[], $2::bytea[])`, [
          tokens.map(({ place }) => place),
          tokens.map(({ token }) => tokenHash(token))
        ])
        yield* run(`analyze ${table}`)
      }
      for (const text of [
        ...accounts(scale),
        ...kyc(scale),
        ...marketplace(scale),
        ...audit(scale),
        ...events(scale),
        ...webhooks(scale),
        ...work(scale)
      ]) {
        yield* run(text)
      }
      yield* store(run)
      yield* run("vacuum analyze")

      const sessions = yield* run("select pg_temp.session_id(place) as id from known_sessions order by place")
      const keys = yield* run(`
        select (
          select id from kyc_sessions where company_id = pg_temp.id_of('company', 1 + known.place % ${sizes.companies}) limit 1
        ) as session_id from known_keys known order by known.place`)
      return {
        sessions: known.known_sessions.flatMap(({ token }, index) => {
          const id = sessions.rows[index]?.id
          return id ? [{ id, token }] : []
        }),
        keys: known.known_keys.flatMap(({ token }, index) => {
          const sessionId = keys.rows[index]?.session_id
          return sessionId ? [{ token, sessionId }] : []
        })
      }
    })
  )

/** Dedup checks as a browser sends them. */
import { createHash, randomBytes } from "node:crypto"
import { Effect } from "effect"
import { newToken, tokenHash } from "../../../src/secrets/token.ts"
import { newId } from "../../../src/shared/identifier.ts"
import { send, type TestSession } from "../client.ts"
import { execute } from "../postgres.ts"
import { anInstant } from "../shapes.ts"
import type { Company } from "./partner.ts"

/** A new key hash. */
export const newKeyHash = (): string => createHash("sha256").update(randomBytes(32)).digest("hex")

/** Checks the hash; `fields` replace fields of the body, and undefined omits one. */
export const check = (
  { server }: Pick<Company, "server">,
  { path, token }: Pick<TestSession, "path" | "token">,
  keyHash: unknown,
  fields: Readonly<Record<string, unknown>> = {}
) => send(server, "POST", `${path}/dedup-check`, { json: { token, keyHash, ...fields } })

/** The expected response. It is a match if more than one session was seen. */
export const seen = (
  seenCount: number,
  first: Pick<TestSession, "id">,
  last: Pick<TestSession, "id"> = first
) => ({
  status: 200,
  body: {
    ok: true,
    matchFound: seenCount > 1,
    firstSessionId: first.id,
    lastSessionId: last.id,
    seenCount,
    firstSeenAt: anInstant,
    lastSeenAt: anInstant
  }
})

/** Inserts many sessions of the company's instance directly into the database. */
export const insertSessions = ({ instance, server }: Company, count: number) =>
  Effect.gen(function* () {
    const made = Array.from({ length: count }, (): TestSession => {
      const id = newId()
      return { id, token: newToken("kyc_sess_"), path: `/api/kyc/public/sessions/${id}` }
    })
    yield* execute(
      server.databaseUrl,
      `insert into kyc_sessions (id, instance_id, company_id, version_id, mode, token_hash, expires_at)
       select given.id, i.id, i.company_id, i.version_id, 'prod', decode(given.hash, 'hex'), now() + interval '1 hour'
       from kyc_instances i, unnest($2::uuid[], $3::text[]) as given (id, hash)
       where i.id = $1`,
      [
        instance.id,
        made.map(({ id }) => id),
        made.map(({ token }) => Buffer.from(tokenHash(token)).toString("hex"))
      ]
    )
    return made
  })

import { Effect } from "effect"
import { newToken, tokenHash } from "../../../src/secrets/token.ts"
import { newId } from "../../../src/shared/identifier.ts"
import type { TestSession } from "../client.ts"
import { execute } from "../postgres.ts"
import type { Company } from "./partner.ts"

/** A session that a version from before sealing has stored. */
export const unsealedSession = (
  { instance, server }: Company,
  { metadata, progress }: { readonly metadata: object; readonly progress: object }
): Effect.Effect<TestSession> =>
  Effect.gen(function* () {
    const id = newId()
    const token = newToken("kyc_sess_")
    yield* execute(
      server.databaseUrl,
      `insert into kyc_sessions (id, instance_id, company_id, version_id, mode, metadata, progress, token_hash, expires_at)
       select $2, i.id, i.company_id, i.version_id, 'prod', $3::jsonb, $4::jsonb, $5, now() + interval '1 hour'
       from kyc_instances i where i.id = $1`,
      [instance.id, id, JSON.stringify(metadata), JSON.stringify(progress), tokenHash(token)]
    )
    return { id, token, path: `/api/kyc/public/sessions/${id}` }
  }).pipe(Effect.orDie)

/** What a version from before sealing has stored. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, type Redacted } from "effect"
import { newToken, tokenHash } from "../../../src/secrets/token.ts"
import { newId } from "../../../src/shared/identifier.ts"
import type { TestSession } from "../client.ts"
import { execute } from "../postgres.ts"
import { samples, sha256 } from "./files.ts"

interface Place {
  readonly instance: { readonly id: string }
  readonly server: { readonly databaseUrl: Redacted.Redacted<string> }
}

/** A session. Its id is of the time `at`, in milliseconds since 1970. */
export const unsealedSession = (
  { instance, server }: Place,
  { metadata, progress }: { readonly metadata: object; readonly progress: object },
  at = Date.now()
): Effect.Effect<TestSession> =>
  Effect.gen(function* () {
    const id = Bun.randomUUIDv7("hex", at)
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

/** A file of a session, with a copy, in the folder where the server stores files. */
export const unsealedFile = (
  url: Redacted.Redacted<string>,
  dataDir: string,
  session: Pick<TestSession, "id">,
  bytes: Uint8Array
) =>
  Effect.gen(function* () {
    const id = newId()
    const folder = join(dataDir, "files", id.slice(-2))
    const copy = samples.jpeg
    const stored = [join(folder, id), join(folder, `${id}-copy`)] as const
    mkdirSync(folder, { recursive: true })
    writeFileSync(stored[0], bytes)
    writeFileSync(stored[1], copy)
    yield* execute(
      url,
      `insert into kyc_files (id, session_id, content_type, size, sha256, copy_size, copy_sha256)
       values ($1, $2, 'image/jpeg', $3, decode($4, 'hex'), $5, decode($6, 'hex'))`,
      [id, session.id, bytes.length, sha256(bytes), copy.length, sha256(copy)]
    )
    return { id, stored }
  })

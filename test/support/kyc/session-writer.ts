/** Writes sessions by plain statements, without a server. */
import { Effect, type Redacted } from "effect"
import { connect } from "../../../src/db/connection.ts"
import { newId } from "../../../src/shared/identifier.ts"
import { execute } from "../postgres.ts"

const [company, instance, version] = [newId(), newId(), newId()]

/** A company with an instance. */
export const companyWithInstance = (url: Redacted.Redacted) =>
  execute(
    url,
    `begin;
     insert into companies (id, name) values ('${company}', 'Example Ltd');
     insert into kyc_instances (id, company_id, name, public_key, version_id) values ('${instance}', '${company}', 'x', 'kyc_pk_x', '${version}');
     insert into kyc_instance_versions (id, instance_id, company_id, config, workflow)
       values ('${version}', '${instance}', '${company}', '{}', '{"steps": []}');
     commit`
  )

/**
 * Sessions as years of use leave them, one a second.
 *
 * @param until the time of the last one, an SQL expression
 */
export const pastSessions = (url: Redacted.Redacted, count: number, until = "now()") =>
  execute(
    url,
    `set synchronous_commit = off;
     insert into kyc_sessions (id, instance_id, company_id, version_id, mode, status, external_reference, progress, token_hash, expires_at,
       created_at, completed_at)
     select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid,
       '${instance}', '${company}', '${version}', 'prod', 'completed', 'customer-' || n,
       jsonb_build_object('s_person', 'sealed.1.' || repeat(md5(n::text), 8)), sha256(convert_to(n::text, 'UTF8')), at + interval '1 hour', at, at
     from generate_series(1, ${count}) n, lateral (select ${until} - n * interval '1 second') as a (at)`
  )

interface Waits {
  readonly sessions: number
  /** Of one statement, in milliseconds. */
  readonly longest: number
}

/** Creates, answers, reads and lists sessions one after another until `isOver`. Fails with the first statement that fails. */
export const writingUntil = (url: Redacted.Redacted, isOver: () => boolean) =>
  Effect.gen(function* () {
    const client = yield* connect(url)
    let longest = 0
    const run = (name: string, text: string, values: ReadonlyArray<unknown>, rows: number) =>
      Effect.tryPromise({
        try: async () => {
          const began = performance.now()
          const answer = await client.query({ name, text, values: [...values] })
          longest = Math.max(longest, performance.now() - began)
          if (answer.rows.length !== rows) throw new Error(`${name} found ${answer.rows.length} rows`)
        },
        catch: (cause) => new Error(`${name}: ${String(cause)}`)
      })
    let sessions = 0
    for (; !isOver(); sessions++) {
      const id = newId()
      const hash = new Bun.CryptoHasher("sha256").update(id).digest()
      yield* run(
        "create",
        `insert into kyc_sessions (id, instance_id, company_id, version_id, mode, external_reference, token_hash, expires_at)
         values ($1, $2, $3, $4, 'prod', 'writer', $5, now() + interval '1 hour') returning created_at, expires_at`,
        [id, instance, company, version, hash],
        1
      )
      yield* run(
        "upload",
        `with session as (
           update kyc_sessions set files_begun = files_begun + 1 where id = $1 and token_hash = $2 returning id
         )
         insert into kyc_files (id, session_id, content_type, size, sha256) select $3, id, 'image/jpeg', 1, $2 from session returning id`,
        [id, hash, newId()],
        1
      )
      yield* run(
        "progress",
        `with given as materialized (
           select asked.*, locked.* from jsonb_to_recordset($1::text::jsonb) as asked (id uuid, progress jsonb)
           cross join lateral (
             select s.id as session_id from kyc_sessions s where s.id = asked.id and s.status in ('created', 'running') for no key update
           ) as locked
         )
         update kyc_sessions s set progress = s.progress || given.progress, status = 'running', updated_at = now()
         from given where s.id = given.session_id returning s.id`,
        [JSON.stringify([{ id, progress: { s_person: `sealed.1.${"A".repeat(200)}` } }])],
        1
      )
      yield* run(
        "complete",
        "update kyc_sessions set status = 'completed', completed_at = now() where id = $1 and token_hash = $2 and status = 'running' returning id, status",
        [id, hash],
        1
      )
      yield* run(
        "read",
        "select s.id, s.status, s.progress, k.sealed_key from kyc_sessions s left join kyc_session_keys k on k.session_id = s.id where s.id = $1",
        [id],
        1
      )
    }
    const waits: Waits = { sessions, longest }
    return waits
  }).pipe(Effect.scoped)

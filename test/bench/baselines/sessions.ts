/**
 * The hand-written server that doorlock is measured against: `Bun.serve` and `pg`, the same changes by one prepared statement a request, with
 * the same events, and the same answers byte for byte but for ids, times and the request's id. It checks what it has to for these, and nothing else.
 * It seals as doorlock does: each can read what the other has stored.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, randomUUID } from "node:crypto"
import { LRUCache } from "lru-cache"
import { Pool } from "pg"
import { newToken } from "../../../src/secrets/token.ts"

const pool = new Pool({
  connectionString: process.env.DATABASE_URL,
  // As doorlock does: otherwise Postgres plans a statement about a partitioned table each time.
  options: "-c plan_cache_mode=force_generic_plan",
  max: Number(process.env.DATABASE_POOL ?? 10)
})
const appUrl = process.env.APP_URL ?? ""

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Nonce, ciphertext and tag, by AES-256-GCM. */
const encrypt = (key: Uint8Array, plain: string | Uint8Array, place: string): Buffer => {
  const nonce = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", key, nonce)
  cipher.setAAD(Buffer.from(place))
  const body = typeof plain === "string" ? cipher.update(plain, "utf8") : cipher.update(plain)
  cipher.final()
  return Buffer.concat([nonce, body, cipher.getAuthTag()])
}

const decrypt = (key: Uint8Array, sealed: Uint8Array, place: string): Buffer => {
  const cipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, 12))
  cipher.setAAD(Buffer.from(place))
  cipher.setAuthTag(sealed.subarray(-16))
  const body = cipher.update(sealed.subarray(12, -16))
  cipher.final()
  return body
}

/** Seals the keys of sessions. */
const sealing = new Uint8Array(hkdfSync("sha256", process.env.SECRET_KEY ?? "", "doorlock", "data-keys", 32))
const sealedWith = sha256(Buffer.from(sealing).toString("hex")).toString("hex", 0, 8)
const ownerOf = (company: string, id: string) => `kyc session ${company} ${id}`

const seal = (key: Uint8Array, place: string, value: unknown) =>
  `sealed.1.${encrypt(key, JSON.stringify(value), place).toString("base64url")}`
const unseal = (key: Uint8Array, place: string, sealed: string | null): unknown =>
  sealed === null
    ? null
    : JSON.parse(decrypt(key, Buffer.from(sealed.slice(9), "base64url"), place).toString())

const eachValue = <A>(values: Readonly<Record<string, A>>, change: (place: string, value: A) => unknown) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(`progress ${name}`, value)]))

/** Opened keys by id and token of the session: doorlock remembers them as well. */
const sessionKeys = new LRUCache<string, Uint8Array>({ max: 10_000 })

const opened = (id: string, token: string, company: string, sealedKey: Uint8Array): Uint8Array => {
  const key = decrypt(sealing, sealedKey, ownerOf(company, id))
  sessionKeys.set(`${id} ${token}`, key)
  return key
}

const sessionKeyOf = async (id: string, token: string): Promise<Uint8Array | undefined> => {
  const known = sessionKeys.get(`${id} ${token}`)
  if (known !== undefined) return known
  const { rows } = await pool.query({
    name: "session key",
    text: `
      select s.company_id, k.sealed_key from kyc_sessions s join kyc_session_keys k on k.session_id = s.id
      where s.id = $2::uuid and s.token_hash = $1`,
    values: [sha256(token), id]
  })
  const [row] = rows
  return row === undefined ? undefined : opened(id, token, row.company_id, row.sealed_key)
}

const headers = () => ({
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "x-request-id": randomUUID()
})

const cors = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "doorlock-error, retry-after, x-request-id"
}

const refuse = (status: number, error: string) => Response.json({ error }, { status, headers: headers() })

interface Key {
  readonly id: string
  readonly company_id: string
}

/** Verified keys, by their hash: doorlock remembers them as well. */
const keys = new Map<string, Key>()

const keyOf = async (token: string): Promise<Key | undefined> => {
  const hash = sha256(token)
  const text = hash.toString("hex")
  const known = keys.get(text)
  if (known !== undefined) return known
  const { rows } = await pool.query<Key>({
    name: "key",
    text: "select id, company_id from api_keys where token_hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())",
    values: [hash]
  })
  const [key] = rows
  if (key !== undefined) keys.set(text, key)
  return key
}

const read = async (id: string, token: string): Promise<Response> => {
  const { rows } = await pool.query({
    name: "read",
    text: `
      select s.id, s.instance_id, s.company_id, s.mode, s.status, s.external_reference, s.expires_at,
        s.created_at, s.started_at, s.updated_at, s.completed_at, s.redacted_at, s.progress, s.result, s.metadata,
        v.config as instance_config, v.workflow as instance_workflow, s.expires_at <= now() as expired, k.sealed_key
      from kyc_sessions s join kyc_instance_versions v on v.id = s.version_id
        join kyc_session_keys k on k.session_id = s.id
      where s.id = $2::uuid and s.token_hash = $1`,
    values: [sha256(token), id]
  })
  const [row] = rows
  if (row === undefined) return refuse(404, "Session not found")
  const { expired, sealed_key, ...session } = row
  if (expired) return refuse(410, "Session expired")
  const key = sessionKeys.get(`${id} ${token}`) ?? opened(id, token, session.company_id, sealed_key)
  session.progress = eachValue<string>(session.progress, (place, value) => unseal(key, place, value))
  session.result = unseal(key, "result", session.result)
  session.metadata = unseal(key, "metadata", session.metadata)
  return Response.json({ session }, { headers: { ...headers(), ...cors } })
}

/** Records the event of each row of `from`, a CTE that returns changed sessions. */
const recorded = (from: string) => `
  insert into event_outbox (company_id, type, data)
  select company_id, 'kyc.session.' || case status when 'running' then 'started' else status end,
    jsonb_strip_nulls(jsonb_build_object('id', id, 'instance_id', instance_id, 'status', status, 'mode', mode,
      'external_reference', external_reference, 'url', '/api/kyc/sessions/' || id))
  from ${from}`

const create = async (request: Request): Promise<Response> => {
  const key = await keyOf(request.headers.get("x-api-key") ?? "")
  if (key === undefined) return refuse(401, "Invalid API key")
  const { instanceId, externalReference = null } = (await request.json()) as Record<string, string>
  const id = Bun.randomUUIDv7()
  const token = newToken("kyc_sess_")
  const sessionKey = randomBytes(32)
  sessionKeys.set(`${id} ${token}`, sessionKey)
  const { rows } = await pool.query({
    name: "create",
    text: `
      with instance as (
        select id, company_id, version_id from kyc_instances where id = $1 and disabled_at is null
      ), created as (
        insert into kyc_sessions (id, instance_id, company_id, version_id, mode, external_reference,
          success_redirect_url, failure_redirect_url, metadata, token_hash, expires_at)
        select $2, id, company_id, version_id, $3, $4, $5, $6, $7::jsonb, $8, now() + make_interval(secs => $9)
        from instance where company_id = $10
        returning *
      ), keyed as (
        insert into kyc_session_keys (session_id, sealed_key, sealed_with) select id, $11, $12 from created
      ), recorded as (${recorded("created")})
      select instance.id as instance_id, instance.company_id = $10 as own, created.created_at, created.expires_at
      from instance left join created on true`,
    values: [
      instanceId,
      id,
      "prod",
      externalReference,
      null,
      null,
      null,
      sha256(token),
      3600,
      key.company_id,
      encrypt(sealing, sessionKey, ownerOf(key.company_id, id)),
      sealedWith
    ]
  })
  const [row] = rows
  if (row === undefined) return refuse(404, "Instance not found")
  if (!row.own) return refuse(403, "API key is not allowed for this instance")
  return Response.json(
    {
      session: {
        id,
        instance_id: row.instance_id,
        company_id: key.company_id,
        mode: "prod",
        status: "created",
        external_reference: externalReference,
        expires_at: row.expires_at,
        created_at: row.created_at
      },
      verificationUrl: `${appUrl}/kyc/session/${id}?token=${token}`,
      sessionToken: token
    },
    { status: 201, headers: headers() }
  )
}

const open = "s.status in ('created', 'running') and s.expires_at > now()"

const progress = async (id: string, request: Request): Promise<Response> => {
  const body = (await request.json()) as { token: string; progress?: Record<string, unknown>; status: string }
  const key = await sessionKeyOf(id, body.token)
  if (key === undefined) return refuse(404, "Session not found")
  const { rows } = await pool.query({
    name: "progress",
    text: `
      with before as materialized (
        select id, started_at from kyc_sessions s where s.id = $6::uuid and s.token_hash = $5 and ${open}
        for no key update
      ), s as (
        update kyc_sessions s set
          progress = s.progress || given.progress,
          status = coalesce($1, s.status),
          started_at = case when $2 then coalesce(s.started_at, now()) else s.started_at end,
          completed_at = case when $3 then now() end,
          updated_at = now()
        from (select $4::jsonb as progress) as given, before
        where s.id = before.id and (octet_length((s.progress || given.progress)::text) <= 65536
          or kyc_progress_bytes(s.progress || given.progress) <= 65536)
        returning s.*, $1 <> 'running' or before.started_at is null as is_event
      ), changed as (
        select * from s where is_event
      ), recorded as (${recorded("changed")})
      select id, status, started_at, updated_at from s`,
    values: [
      body.status,
      body.status === "running",
      body.status === "failed" || body.status === "cancelled",
      JSON.stringify(eachValue(body.progress ?? {}, (place, value) => seal(key, place, value))),
      sha256(body.token),
      id
    ]
  })
  const [session] = rows
  if (session === undefined) return refuse(404, "Session not found")
  return Response.json({ ok: true, session }, { headers: { ...headers(), ...cors } })
}

const complete = async (id: string, request: Request): Promise<Response> => {
  const body = (await request.json()) as { token: string; result?: object }
  const key = await sessionKeyOf(id, body.token)
  if (key === undefined) return refuse(404, "Session not found")
  const { rows } = await pool.query({
    name: "complete",
    text: `
      with s as (
        update kyc_sessions s set status = $1, completed_at = now(), updated_at = now(), result = $2::jsonb
        where s.id = $4::uuid and s.token_hash = $3 and ${open}
        returning *
      ), recorded as (${recorded("s")})
      select s.id, s.status, coalesce(s.success_redirect_url, nullif(v.config #>> '{redirect,successUrl}', '')) as redirect_url
      from s join kyc_instance_versions v on v.id = s.version_id`,
    values: ["completed", JSON.stringify(seal(key, "result", body.result ?? null)), sha256(body.token), id]
  })
  const [row] = rows
  if (row === undefined) return refuse(404, "Session not found")
  return Response.json(
    {
      ok: true,
      session: { id: row.id, status: row.status },
      redirectUrl: row.redirect_url ?? `${appUrl}/kyc/session/${row.id}/done`
    },
    { headers: { ...headers(), ...cors } }
  )
}

const prefix = "/api/kyc/public/sessions"

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: (request) => {
    const url = new URL(request.url)
    const { pathname } = url
    if (pathname === prefix && request.method === "POST") return create(request)
    const [id = "", rest] = pathname.slice(prefix.length + 1).split("/")
    if (rest === undefined && request.method === "GET") return read(id, url.searchParams.get("token") ?? "")
    if (rest === "progress" && request.method === "POST") return progress(id, request)
    if (rest === "complete" && request.method === "POST") return complete(id, request)
    return refuse(404, "Not found")
  }
})

process.stdout.write(`listens on 127.0.0.1:${server.port}\n`)

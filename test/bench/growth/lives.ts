/** What whole sessions take: the service itself makes them, and end users answer them. */
import { Effect } from "effect"
import { demoInstance } from "../../../src/kyc/instances/demo.ts"
import { createInstance, createKey, createSession, send, signUp } from "../../support/client.ts"
import { execute } from "../../support/postgres.ts"
import { cpuSpent } from "../cpu.ts"
import { doorlock, postgres } from "../servers.ts"
import { numbers, type Size, sizeOf } from "./database.ts"

/** Requests at once. */
const clients = 32

/** After so many sessions the database is vacuumed, as autovacuum would do in time. */
const slice = 1_000

/** The totals so far: of the database, and of what its processes and the service's have taken. */
export interface Spent extends Size {
  readonly made: number
  readonly wal: number
  readonly transactions: number
  readonly serviceMicros: number
  readonly postgresMicros: number
}

/** What a person answers, step by step. */
const answers = [
  { s_consent: { accepted: ["privacy"], version: "2026-11" } },
  {
    s_person: {
      givenName: "Ada",
      familyName: "Lovelace",
      dateOfBirth: "1990-12-10",
      nationality: "EE",
      occupation: "employed"
    }
  },
  { s_document: { type: "passport", country: "EE", number: "KE1234567" } }
]

/** The totals after each of these numbers of sessions. Images of whole pages are off: how many there are depends on checkpoints. */
export const lived = (sizes: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const url = yield* postgres
    for (const setting of ["full_page_writes = off", "autovacuum = off"])
      yield* execute(url, `alter system set ${setting}`)
    yield* execute(url, "select pg_reload_conf()")
    const service = { ...(yield* doorlock(url)), databaseUrl: url }
    const member = yield* signUp(service)
    const key = (yield* createKey(service, member)).token
    const instance = (yield* createInstance(service, member, demoInstance)).id

    const life = (number: number) =>
      Effect.gen(function* () {
        const { path, token } = yield* createSession(service, key, instance, {
          externalReference: `customer-${number}`,
          metadata: { plan: "gold", campaign: number % 100 }
        })
        const act = (name: string, fields: object) =>
          Effect.filterOrDieMessage(
            send(service, "POST", `${path}/${name}`, { json: { token, ...fields } }),
            ({ status }) => status === 200,
            `${name} failed`
          )
        yield* Effect.filterOrDieMessage(
          send(service, "GET", `${path}?token=${token}`),
          ({ status }) => status === 200,
          "The session cannot be read"
        )
        for (const progress of answers) yield* act("progress", { status: "running", progress })
        yield* act("dedup-check", {
          keyHash: new Bun.CryptoHasher("sha256").update(crypto.randomUUID()).digest("hex")
        })
        yield* act("complete", { result: { outcome: "submitted" } })
      })

    const now = (made: number) =>
      Effect.gen(function* () {
        const size = yield* sizeOf(url)
        const read = yield* numbers(url, {
          wal: "pg_current_wal_insert_lsn() - '0/0'::pg_lsn",
          transactions: "pg_snapshot_xmax(pg_current_snapshot())::text"
        })
        const cpu = yield* cpuSpent(url, service.pids)
        const spent: Spent = {
          ...size,
          made,
          wal: read("wal"),
          transactions: read("transactions"),
          serviceMicros: cpu.service,
          postgresMicros: cpu.postgres
        }
        return spent
      })

    let made = 0
    return yield* Effect.forEach(sizes, (size) =>
      Effect.gen(function* () {
        while (made < size) {
          const next = Math.min(size, made + slice)
          yield* Effect.forEach(
            Array.from({ length: next - made }, (_, index) => made + index),
            life,
            { concurrency: clients, discard: true }
          )
          made = next
          yield* execute(url, "vacuum")
        }
        return yield* now(made)
      })
    )
  }).pipe(Effect.scoped)

import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { wireTap } from "../../support/database/wire-tap.ts"
import { freshDatabase } from "../../support/database.ts"
import { companyOn } from "../../support/kyc/partner.ts"
import { startServerOn } from "../../support/server.ts"

const rounds = 20

/** A service whose every statement is seen, on one pooled connection so that all is prepared once. */
const tapped = Effect.gen(function* () {
  const tap = yield* wireTap(yield* freshDatabase)
  const server = yield* startServerOn(tap.url, { DATABASE_POOL: "1" })
  const company = yield* companyOn(server)
  const session = yield* company.newSession()
  /** The statements that `request` has sent, over `rounds` of it and after one that is not counted. */
  const count = <A>(request: Effect.Effect<A>) =>
    Effect.gen(function* () {
      yield* request
      const before = tap.statements().length
      yield* Effect.replicateEffect(request, rounds)
      return tap.statements().slice(before)
    })
  return { company, count, session }
})

const isKeyLookUp = ({ text }: { readonly text: string }) => /from api_keys/.test(text)

it.scopedLive(
  "Read, progress, start, completion and create are one round trip each, of a prepared statement that records the event",
  () =>
    Effect.gen(function* () {
      const { company, count, session } = yield* tapped
      const notStarted = yield* Effect.replicateEffect(company.newSession(), rounds + 1)
      const open = [...notStarted]
      for (const [name, request, statement] of [
        ["read", company.read(session), /^\s*select .* from kyc_sessions s/s],
        ["progress", company.progress(session, { progress: { a: 1 } }), /update kyc_sessions s /],
        ["an answer", company.progress(session, { progress: { s_person: {} } }), /update kyc_sessions s /],
        [
          "a start, with its event",
          Effect.suspend(() => company.progress(notStarted.pop() ?? session, { status: "running" })),
          /update kyc_sessions s .* insert into event_outbox/s
        ],
        [
          "completion, with its event",
          Effect.suspend(() => company.complete(open.pop() ?? session)),
          /update kyc_sessions s .* insert into event_outbox/s
        ],
        [
          "create, with its event",
          company.create({ metadata: { a: 1 } }),
          /insert into kyc_sessions .* insert into event_outbox/s
        ],
        [
          "create with an Idempotency-Key, with its event",
          Effect.suspend(() =>
            company.create({}, { "x-api-key": company.key.token, "idempotency-key": crypto.randomUUID() })
          ),
          /insert into idempotent_answers .* insert into event_outbox/s
        ]
      ] as const) {
        const sent = yield* count(request)
        // A machine that stops for most of a second ends the trust in the remembered key; not twice in a row.
        const lookUps = sent.filter(isKeyLookUp)
        expect(lookUps.length, name).toBeLessThanOrEqual(name.startsWith("create") ? 1 : 0)
        const statements = sent.filter((one) => !isKeyLookUp(one))
        expect(statements.length, name).toBe(rounds)
        for (const { name, parsed, text } of statements) {
          expect(text).toMatch(statement)
          expect(name).toMatch(/^doorlock_[0-9a-f]{32}$/)
          expect(parsed).toBe(false)
        }
      }
    })
)

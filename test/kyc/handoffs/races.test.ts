import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Answer } from "../../support/client.ts"
import {
  claim,
  claimed,
  confirm,
  create,
  make,
  newReceipt,
  otherThan,
  standing,
  stored
} from "../../support/kyc/handoffs.ts"
import { Partner, refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { execute } from "../../support/postgres.ts"
import { suite } from "../../support/suite.ts"

const atOnce = (requests: ReadonlyArray<Effect.Effect<Answer>>) =>
  Effect.map(Effect.all(requests, { concurrency: "unbounded" }), (answers) => answers.map(statusAndBody))

const repeated = <A>(times: number, one: (index: number) => A) =>
  Array.from({ length: times }, (_, index) => one(index))

const open = Effect.gen(function* () {
  const partner = yield* Partner
  const session = yield* partner.newSession()
  return { partner, session }
})

suite(Partner.layer)("Concurrent handoffs", (it) => {
  it.effect("20 devices claim: one gets it, with the valid code", () =>
    Effect.gen(function* () {
      const { partner, session } = yield* open
      const made = yield* make(partner, session)
      const receipts = repeated(20, newReceipt)
      const answers = yield* atOnce(receipts.map((receipt) => claim(partner, made, receipt)))
      const winner = answers.findIndex(({ status }) => status === 200)
      expect(answers.filter((_, index) => index !== winner)).toStrictEqual(
        repeated(19, () => refusal(409, "Handoff is already claimed"))
      )
      const { code } = yield* standing(partner, made)
      const { status } = yield* confirm(partner, made, receipts[winner] ?? "", code)
      expect(status).toBe(200)
    })
  )

  it.effect("20 confirmations with the right code: the token is returned once", () =>
    Effect.gen(function* () {
      const { partner, session } = yield* open
      const made = yield* make(partner, session)
      const receipt = newReceipt()
      const code = yield* claimed(partner, made, receipt)
      const answers = yield* atOnce(repeated(20, () => confirm(partner, made, receipt, code)))
      expect(answers.filter(({ body }) => JSON.stringify(body).includes(session.token))).toHaveLength(1)
      expect(answers.filter(({ status }) => status !== 200)).toStrictEqual(
        repeated(19, () => refusal(409, "Handoff is already confirmed"))
      )
    })
  )

  it.effect("all 90 codes tried concurrently: one try counts", () =>
    Effect.gen(function* () {
      const { partner, session } = yield* open
      const made = yield* make(partner, session)
      const receipt = newReceipt()
      yield* claimed(partner, made, receipt)
      const answers = yield* atOnce(
        repeated(90, (index) => confirm(partner, made, receipt, String(10 + index)))
      )
      const decided = answers.filter(({ status }) => status === 200 || status === 403)
      expect(decided).toHaveLength(1)
      const late =
        decided[0]?.status === 200
          ? refusal(409, "Handoff is already confirmed")
          : refusal(410, "Handoff cancelled")
      expect(answers.filter((answer) => answer !== decided[0])).toStrictEqual(repeated(89, () => late))
    })
  )

  it.effect("30 creations: 20 succeed, and one stays open", () =>
    Effect.gen(function* () {
      const { partner, session } = yield* open
      const answers = yield* atOnce(repeated(30, () => create(partner, session)))
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(20)
      expect(answers.filter(({ status }) => status !== 201)).toStrictEqual(
        repeated(10, () => refusal(429, "Too many handoffs"))
      )
      const rows = yield* execute(
        partner.server.databaseUrl,
        "select status, count(*)::int as count from kyc_handoffs where session_id = $1 group by 1 order by 1",
        [session.id]
      )
      expect(rows).toStrictEqual([
        { status: "cancelled", count: 19 },
        { status: "waiting", count: 1 }
      ])
    })
  )

  it.effect("a concurrent claim, confirmation and creation: at most one transfer", () =>
    Effect.gen(function* () {
      const { partner, session } = yield* open
      for (let round = 0; round < 8; round++) {
        const made = yield* make(partner, session)
        const receipt = newReceipt()
        const code = yield* claimed(partner, made, receipt)
        const [confirmed, wrong] = yield* atOnce([
          confirm(partner, made, receipt, code),
          confirm(partner, made, receipt, otherThan(code)),
          create(partner, session)
        ])
        const { status } = yield* standing(partner, made)
        expect(["confirmed", "refused", "cancelled"]).toContain(status)
        expect(confirmed?.status === 200).toBe(status === "confirmed")
        expect(wrong?.status === 403).toBe(status === "refused")
        expect(yield* stored(partner, made)).toMatchObject({ sealed: false, code: null })
      }
    })
  )
})

import { createHash } from "node:crypto"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { describe } from "vitest"
import { newMatchingCode } from "../../../src/kyc/handoffs/matching-code.ts"
import { deviceOf } from "../../../src/kyc/handoffs/model.ts"
import { HandoffRepo } from "../../../src/kyc/handoffs/repo.ts"
import { databaseOn } from "../../support/database.ts"
import {
  claim,
  claimed,
  confirm,
  iphone,
  make,
  newReceipt,
  outlive,
  stored
} from "../../support/kyc/handoffs.ts"
import { startCompany } from "../../support/kyc/partner.ts"
import { everyRow, execute } from "../../support/postgres.ts"

/** Ways in which a text may stand in a dump. */
const formsOf = (text: string) => {
  const bytes = Buffer.from(text)
  return [text, bytes.toString("hex"), bytes.toString("base64").replace(/=+$/, "")]
}

it.scopedLive("the database contains no secret, no token, no receipt and none of the transferred data", () =>
  Effect.gen(function* () {
    const given = yield* startCompany()
    const session = yield* given.newSession()
    const carry = { numbers: { doc: "K0307756" } }
    const made = yield* make(given, session, { carry })
    const receipt = newReceipt()
    const hidden = [made.secret, made.secret.slice(9, 52), session.token, receipt, "K0307756"].flatMap(
      formsOf
    )
    const look = Effect.fnUntraced(function* () {
      const text = (yield* everyRow(given.server.databaseUrl)).join("\n")
      // The search works: it finds stored values.
      expect(text).toContain(createHash("sha256").update(made.secret).digest("hex"))
      for (const form of hidden) expect(text).not.toContain(form)
    })
    yield* look()
    const code = yield* claimed(given, made, receipt)
    yield* look()
    expect(yield* stored(given, made)).toStrictEqual({
      status: "claimed",
      sealed: true,
      code,
      device: "iphone"
    })
    expect((yield* confirm(given, made, receipt, code)).status).toBe(200)
    yield* look()
    expect(yield* stored(given, made)).toStrictEqual({
      status: "confirmed",
      sealed: false,
      code: null,
      device: "iphone"
    })
  })
)

it.scopedLive("someone who can write to the database gains nothing by combining two rows", () =>
  Effect.gen(function* () {
    const given = yield* startCompany()
    const victim = yield* make(given, yield* given.newSession())
    const own = yield* make(given, yield* given.newSession())
    const receipt = newReceipt()
    const code = yield* claimed(given, own, receipt)
    // Another's sealed token, put where one's own secret opens.
    yield* execute(
      given.server.databaseUrl,
      "update kyc_handoffs set sealed = (select sealed from kyc_handoffs where id = $1) where id = $2",
      [victim.id, own.id]
    )
    expect(yield* confirm(given, own, receipt, code)).toMatchObject({
      status: 500,
      body: { error: "Failed to confirm handoff" }
    })
  })
)

it.scopedLive("housekeeping wipes exactly the expired handoffs", () =>
  Effect.gen(function* () {
    const given = yield* startCompany()
    const [late, open] = [
      yield* make(given, yield* given.newSession()),
      yield* make(given, yield* given.newSession())
    ]
    for (const made of [late, open]) yield* claim(given, made, newReceipt())
    yield* outlive(given, late)
    yield* Effect.flatMap(HandoffRepo, ({ wipeExpired }) => wipeExpired).pipe(
      Effect.provide(
        Layer.provide(HandoffRepo.Default, databaseOn({ url: given.server.databaseUrl, maxConnections: 1 }))
      )
    )
    expect(yield* stored(given, late)).toMatchObject({ status: "claimed", sealed: false, code: null })
    expect(yield* stored(given, open)).toMatchObject({ status: "claimed", sealed: true })
  })
)

describe("the description of a device", () => {
  it.each([
    [iphone, "iphone"],
    ["Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) AppleWebKit/605.1.15 Version/12.1 Mobile/15E148", "ipad"],
    [
      "Mozilla/5.0 (Linux; Android 16; K) AppleWebKit/537.36 Chrome/142.0.0.0 Mobile Safari/537.36",
      "android_phone"
    ],
    [
      "Mozilla/5.0 (Linux; Android 16; K) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36",
      "android_tablet"
    ],
    ["Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/142.0.0.0", "computer"],
    ["curl/8.16.0", "unknown"],
    [undefined, "unknown"]
  ] as const)("%s is %s", (userAgent, device) => {
    expect(deviceOf(userAgent)).toBe(device)
  })

  it("and a code is one of 90 equally likely ones", () => {
    const counts = new Map<string, number>()
    for (let drawn = 0; drawn < 90_000; drawn++) {
      const code = newMatchingCode()
      counts.set(code, (counts.get(code) ?? 0) + 1)
    }
    expect([...counts.keys()].sort()).toEqual(Array.from({ length: 90 }, (_, index) => String(10 + index)))
    // 1,000 are expected of each; 6 standard deviations are 190.
    for (const count of counts.values()) {
      expect(count).toBeGreaterThan(800)
      expect(count).toBeLessThan(1_200)
    }
  })
})

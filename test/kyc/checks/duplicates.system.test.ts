/** The same picture in another session of the company. */
import { it as alone, expect } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import sharp from "sharp"
import { Checks } from "../../../src/kyc/checks/service.ts"
import { Redaction } from "../../../src/kyc/redaction/service.ts"
import { field, type TestSession, text } from "../../support/client.ts"
import { freshDatabase } from "../../support/database.ts"
import { looked } from "../../support/kyc/checks.ts"
import { upload } from "../../support/kyc/files.ts"
import { type Company, companyOf, companyOn } from "../../support/kyc/partner.ts"
import { opened, reviewerOf } from "../../support/kyc/reviews.ts"
import { levels, seeded, specimen } from "../../support/kyc/specimens.ts"
import { execute } from "../../support/postgres.ts"
import { startServer, startServerOn } from "../../support/server.ts"
import { suite } from "../../support/suite.ts"

// Selfies are not searched for zones, which takes longer.
const workflow = {
  v: 1,
  steps: [
    { id: "selfie", type: "selfie" },
    { id: "person", type: "form", fields: [{ id: "name", type: "text" }] }
  ]
}
const config = { v: 1, review: { mode: "manual" } }

class Given extends Context.Tag("Given")<
  Given,
  Company & { readonly server: Effect.Effect.Success<ReturnType<typeof startServer>> }
>() {
  static readonly layer = Layer.scoped(
    Given,
    Effect.orDie(
      Effect.flatMap(startServer({ KYC_DEV_MODE: "allow" }), (server) =>
        Effect.map(companyOn(server, { config, workflow }), (company) => ({ ...company, server }))
      )
    )
  )
}

const promised = <A>(make: () => Promise<A>) => Effect.promise(make)

const photoOf = (seed: number) =>
  Effect.map(
    promised(() => specimen(seeded(seed), "TD1", { ...levels.clean, edge: 800 })),
    ({ photo }) => photo
  )

const copyOf = (photo: Uint8Array) =>
  promised(() => sharp(photo).resize(760).jpeg({ quality: 70 }).toBuffer())

type Server = Context.Tag.Service<Given>["server"]

const hand = (server: Server, company: Company, session: TestSession, photo: Uint8Array) =>
  Effect.gen(function* () {
    const file = text((yield* upload(server, session, photo)).body, "file", "id")
    yield* company.progress(session, { progress: { s_selfie: { files: [{ id: file }] } }, status: "running" })
    yield* company.complete(session)
    return file
  })

const duplicateIn = (company: Company, { id }: { readonly id: string }) =>
  Effect.map(company.asPartner(`/api/kyc/sessions/${id}`), ({ body }) =>
    [field(body, "session", "checks")].flat().find((check) => Object(check).kind === "photo.duplicate")
  )

/** A session with this photo, and what is said of it. */
const checked = (
  server: Server,
  company: Company,
  photo: Uint8Array,
  fields: Readonly<Record<string, unknown>> = {}
) =>
  Effect.gen(function* () {
    const session = yield* company.newSession(fields)
    const file = yield* hand(server, company, session, photo)
    yield* looked(server, session)
    return { session, file, duplicate: yield* duplicateIn(company, session) }
  })

const bandsOf = ({ databaseUrl }: Server, file: string) =>
  Effect.map(
    execute(databaseUrl, "select mac::text, file_id from kyc_photo_bands where file_id = $1 order by 1", [
      file
    ]),
    (found) => found.map(({ mac }) => mac)
  )

const agrees = {
  outcome: "agrees",
  reason: "No other session has a photo that looks the same.",
  detail: { sessions: 0 }
}
const inOthers = (sessions: number) => ({
  outcome: "differs",
  reason: `${sessions === 1 ? "Another session has" : `${sessions} other sessions have`} a photo that looks the same.`,
  detail: { sessions }
})

/** Photos are looked at, on a machine that may be busy. */
const patience = 300_000

suite(Given.layer)("The same picture in another session", (it) => {
  it.effect(
    "is found as a smaller copy of another quality; not of another company or mode, and no other specimen",
    () =>
      Effect.gen(function* () {
        const company = yield* Given
        const { server } = company
        const photo = yield* photoOf(31)
        const copy = yield* copyOf(photo)
        const first = yield* checked(server, company, photo)
        expect(first.duplicate).toMatchObject({ ...agrees, file_ids: [first.file] })
        expect((yield* checked(server, company, yield* photoOf(32))).duplicate).toMatchObject(agrees)
        const second = yield* checked(server, company, copy)
        expect(second.duplicate).toMatchObject({ ...inOthers(1), file_ids: [second.file] })
        const other = yield* companyOn(server, { config, workflow })
        const foreign = yield* checked(server, other, photo)
        expect(foreign.duplicate).toMatchObject(agrees)
        const dev = yield* checked(server, company, photo, { mode: "dev" })
        expect(dev.duplicate).toMatchObject(agrees)

        // The same bands, but nobody can tell without the key.
        const stored = new Set(yield* bandsOf(server, first.file))
        expect(stored.size).toBe(32)
        for (const { file } of [foreign, dev]) {
          expect((yield* bandsOf(server, file)).filter((mac) => stored.has(mac))).toEqual([])
        }

        // A job may run twice.
        const { make } = Context.get(server.services, Checks)
        const companyId = field((yield* company.asMember("GET", "/api/auth/me")).body, "company", "id")
        yield* make(String(companyId), second.session.id)
        expect(yield* bandsOf(server, second.file)).toHaveLength(32)
        expect((yield* checked(server, company, copy)).duplicate).toMatchObject(inOthers(2))
      }),
    patience
  )

  it.effect(
    "is forgotten with the session that is redacted, and with the files whose time is over",
    () =>
      Effect.gen(function* () {
        const company = yield* Given
        const { server } = company
        const brief = yield* companyOn(server, {
          config: { ...config, retention: { filesDays: 1 } },
          workflow
        })
        const photo = yield* photoOf(33)
        const first = yield* checked(server, company, photo)
        expect((yield* company.asMember("POST", `/api/kyc/sessions/${first.session.id}/redact`)).status).toBe(
          200
        )
        expect(yield* bandsOf(server, first.file)).toEqual([])
        expect((yield* checked(server, company, photo)).duplicate).toMatchObject(agrees)

        const old = yield* checked(server, brief, photo)
        expect(yield* bandsOf(server, old.file)).toHaveLength(32)
        yield* execute(
          server.databaseUrl,
          "update kyc_sessions set completed_at = now() - interval '2 days' where id = $1",
          [old.session.id]
        )
        yield* Context.get(server.services, Redaction).retain
        expect(yield* bandsOf(server, old.file)).toEqual([])
        expect((yield* checked(server, brief, photo)).duplicate).toMatchObject(agrees)
      }),
    patience
  )

  it.effect(
    "does not count the session that it is carried over from, and the one that asked for it again",
    () =>
      Effect.gen(function* () {
        const company = yield* Given
        const { server } = company
        const photo = yield* photoOf(34)
        const first = yield* checked(server, company, photo)
        const { decide } = yield* reviewerOf(company)
        const next = opened(yield* decide(first.session, { decision: "resubmission", steps: ["selfie"] }))
        yield* hand(server, company, next, yield* copyOf(photo))
        yield* looked(server, next)
        expect(yield* duplicateIn(company, next)).toMatchObject(agrees)
        // Of others, both count.
        expect((yield* checked(server, company, photo)).duplicate).toMatchObject(inOthers(2))
      }),
    patience
  )
})

alone.scopedLive(
  "A picture from before SECRET_KEY was rotated is found while the former key is known",
  () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const photo = yield* photoOf(35)
      const before = yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* startServerOn(databaseUrl)
          const company = yield* companyOn(server, { config, workflow })
          expect((yield* checked(server, company, photo)).duplicate).toMatchObject(agrees)
          return company
        })
      )
      const after = yield* startServerOn(databaseUrl, {
        SECRET_KEY: "the secret key that comes after that one",
        SECRET_KEY_PREVIOUS: "a secret key for tests, 32 bytes at least"
      })
      const company = companyOf(after, before.member, before.key, before.instance)
      expect((yield* checked(after, company, photo)).duplicate).toMatchObject(inOthers(1))
    }),
  patience
)

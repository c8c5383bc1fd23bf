/** Who may show the hosted page in a frame (contract.md#pages), as the headers of its HTML say it. */
import { brotliDecompressSync } from "node:zlib"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, createInstance, createSession, send, type TestSession } from "../support/client.ts"
import { withoutDatabase } from "../support/database/outage.ts"
import { eventually } from "../support/eventually.ts"
import { type Company, Partner, startCompany, strayToken, unknownId } from "../support/kyc/partner.ts"
import { execute } from "../support/postgres.ts"
import { suite } from "../support/suite.ts"

const origins = ["https://shop.example", "http://localhost:5173"]

const policy = (ancestors: string) =>
  "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; connect-src 'self'; " +
  "img-src 'self' blob: data:; media-src 'self' blob:; font-src 'self'; base-uri 'none'; form-action 'none'; " +
  `object-src 'none'; frame-ancestors ${ancestors}; require-trusted-types-for 'script'; trusted-types doorlock`

/** A session of an instance whose page the origins may show. */
const embeddable = (company: Company, allowedOrigins: ReadonlyArray<string> = origins) =>
  Effect.gen(function* () {
    const instance = yield* createInstance(company.server, company.member, {
      config: { embed: { allowedOrigins } }
    })
    const session = yield* createSession(company.server, company.key.token, instance.id)
    return { ...session, instance }
  })

const open = (company: Company, id: string, query: string, method = "GET") =>
  send(company.server, method, `/kyc/session/${id}${query}`)

const ticketIn = (html: string) => /<meta name="kyc:frame-ticket" content="([\w-]{43})">/.exec(html)?.[1]

/** All that an answer says, but for what is another one's every time. */
const whole = ({ headers, status, text }: Answer) => ({
  status,
  text,
  headers: Object.fromEntries([...headers].filter(([name]) => name !== "x-request-id" && name !== "date"))
})

const may = (answer: Answer) => {
  expect(answer.status).toBe(200)
  expect(answer.headers.get("content-security-policy")).toBe(policy(origins.join(" ")))
  expect(answer.headers.has("x-frame-options")).toBe(false)
}

const mayNot = (answer: Answer) => {
  expect(answer.status).toBe(200)
  expect(answer.headers.get("content-security-policy")).toBe(policy("'none'"))
  expect(answer.headers.get("x-frame-options")).toBe("DENY")
  expect(answer.text).not.toContain("kyc:frame")
}

/** A session whose page may be in a frame, and the ticket that its HTML carries. */
const ticketed = (company: Company) =>
  Effect.gen(function* () {
    const session = yield* embeddable(company)
    const { text } = yield* open(company, session.id, `?token=${session.token}`)
    const ticket = ticketIn(text)
    if (ticket === undefined) return yield* Effect.dieMessage(`No ticket in ${text}`)
    return { session, ticket }
  })

suite(Partner.layer)("framing the KYC page", (it) => {
  const suffixes = ["", "/done"]
  for (const suffix of suffixes) {
    it.effect(`/kyc/session/:id${suffix}: the holder of the token gets exactly the config's origins`, () =>
      Effect.gen(function* () {
        const company = yield* Partner
        const { session, ticket } = yield* ticketed(company)
        const answer = yield* open(company, session.id, `${suffix}?token=${session.token}`)
        may(answer)
        expect(answer.text).toContain(`<meta name="kyc:frame-origins" content="${origins.join(" ")}">`)
        expect(answer.text).not.toContain(session.token)
        for (const [name, value] of [
          ["cache-control", "no-store"],
          ["referrer-policy", "no-referrer"],
          ["x-content-type-options", "nosniff"],
          ["x-robots-tag", "noindex"],
          ["cross-origin-opener-policy", "same-origin"],
          ["permissions-policy", "camera=(self), microphone=(), geolocation=()"]
        ] as const) {
          expect(answer.headers.get(name)).toBe(value)
        }
        const head = yield* open(company, session.id, `${suffix}?token=${session.token}`, "HEAD")
        may(head)
        expect(head.text).toBe("")
        // The ticket stands in for the token after a reload, to the same answer.
        expect(whole(yield* open(company, session.id, `${suffix}?frame=${ticket}`))).toEqual(whole(answer))
      })
    )
  }

  it.effect("is forbidden for everybody without origins, whatever the request contains", () =>
    Effect.gen(function* () {
      const company = yield* Partner
      const plain = yield* company.newSession()
      const none = yield* embeddable(company, [])
      for (const { id, token } of [plain, none]) {
        for (const query of [
          "",
          `?token=${token}`,
          "?frame=x",
          `?token=${token}&embedOrigin=${origins[0]}`
        ]) {
          mayNot(yield* open(company, id, query))
        }
      }
    })
  )

  it.effect("gives a client without token and ticket the same response as for an unknown session", () =>
    Effect.gen(function* () {
      const company = yield* Partner
      const { session, ticket } = yield* ticketed(company)
      const other = yield* ticketed(company)
      const unknown = whole(yield* open(company, unknownId, `?token=${session.token}`))
      const plain = yield* company.newSession()
      expect(whole(yield* open(company, plain.id, `?token=${plain.token}`))).toEqual(unknown)
      const queries = [
        "",
        "?token=",
        "?frame=",
        `?token=${yield* strayToken(company)}`,
        `?token=${other.session.token}`,
        "?token=kyc_sess_x",
        `?token=${session.token}&token=${session.token}`,
        `?frame=${other.ticket}`,
        `?frame=${ticket}&frame=${ticket}`,
        `?frame=${ticket.slice(0, -1)}`,
        `?frame=${ticket}A`,
        `?frame=${ticket.toLowerCase()}`,
        // A wrong token is not made good by a ticket.
        `?token=${other.session.token}&frame=${ticket}`
      ]
      for (const query of queries) {
        const answer = yield* open(company, session.id, query)
        mayNot(answer)
        expect(whole(answer), query).toEqual(unknown)
      }
      for (const id of ["nonsense", "%00", unknownId]) {
        expect(whole(yield* open(company, id, `?frame=${ticket}`)), id).toEqual(unknown)
      }
    })
  )

  it.effect("follows the config that the session was created with, even after its end", () =>
    Effect.gen(function* () {
      const company = yield* Partner
      const { instance, ...session } = yield* embeddable(company)
      const read = open(company, session.id, `?token=${session.token}`)
      yield* company.asMember("PATCH", `/api/kyc/instances/${instance.id}`, {
        config: { embed: { allowedOrigins: ["https://later.example"] } }
      })
      may(yield* read)
      yield* company.complete(session)
      may(yield* read)
      yield* company.expire(session)
      may(yield* read)
    })
  )

  it.effect("puts only origins into the policy, whatever is stored", () =>
    Effect.gen(function* () {
      const company = yield* Partner
      for (const embed of [
        { allowedOrigins: ["https://a.example; script-src *"] },
        { allowedOrigins: [...origins, 1] },
        { allowedOrigins: "https://a.example" },
        ["https://a.example"],
        "https://a.example",
        null
      ]) {
        const session = yield* embeddable(company)
        may(yield* open(company, session.id, `?token=${session.token}`))
        yield* execute(
          company.server.databaseUrl,
          `update kyc_instance_versions set config = jsonb_build_object('embed', $1::jsonb)
           where id = (select version_id from kyc_sessions where id = $2)`,
          [JSON.stringify(embed), session.id]
        )
        mayNot(yield* open(company, session.id, `?token=${session.token}`))
      }
    })
  )

  it.effect("any number of requests changes nothing", () =>
    Effect.gen(function* () {
      const company = yield* Partner
      const { session, ticket } = yield* ticketed(company)
      const row = ({ id }: TestSession) =>
        execute(company.server.databaseUrl, "select xmin, s.* from kyc_sessions s where id = $1", [id])
      const before = yield* row(session)
      for (const query of [`?token=${session.token}`, `?frame=${ticket}`, "?frame=x"]) {
        yield* open(company, session.id, query)
      }
      expect(yield* row(session)).toEqual(before)
    })
  )

  it.effect("/kyc/embed.js: a small script that any page may load", () =>
    Effect.gen(function* () {
      const { server } = yield* Partner
      const get = (headers: Record<string, string>) =>
        Effect.promise(() => fetch(`${server.url}/kyc/embed.js`, { headers, decompress: false }))
      const answer = yield* get({ "accept-encoding": "br" })
      expect(answer.status).toBe(200)
      const always = {
        "cross-origin-resource-policy": "cross-origin",
        "cache-control": "public, max-age=3600",
        vary: "Accept-Encoding"
      }
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        ...always,
        "content-type": "text/javascript; charset=utf-8",
        "x-content-type-options": "nosniff"
      })
      const packed = yield* Effect.promise(() => answer.bytes())
      expect(packed.length).toBeLessThan(2000)
      expect(brotliDecompressSync(packed).toString()).toMatch(/^\(\(\)=>\{.*\}\)\(\);?\s*$/s)
      const etag = answer.headers.get("etag") ?? ""
      expect(etag).toMatch(/^"\w+-br"$/)
      const again = yield* get({ "accept-encoding": "br", "if-none-match": etag })
      expect(again.status).toBe(304)
      expect(Object.fromEntries(again.headers)).toMatchObject({ ...always, etag })
    })
  )
})

it.scopedLive("while the database is down, the page still opens, but not in a frame", () =>
  Effect.gen(function* () {
    const company = yield* startCompany()
    const { session, ticket } = yield* ticketed(company)
    yield* withoutDatabase(
      company.server,
      Effect.gen(function* () {
        mayNot(yield* open(company, session.id, `?token=${session.token}`))
        mayNot(yield* open(company, session.id, `?frame=${ticket}`))
      })
    )
    yield* eventually(
      "the page may be in a frame again",
      Effect.map(
        open(company, session.id, `?frame=${ticket}`),
        ({ headers, status }) => status === 200 && !headers.has("x-frame-options")
      )
    )
  })
)

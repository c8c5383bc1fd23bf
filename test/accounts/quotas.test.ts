/** How many keys, instances, APIs and members a company may have. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { askAs } from "../support/audit/trail.ts"
import { type Answer, field, send, signUp, text } from "../support/client.ts"
import { refusal, statusAndBody } from "../support/kyc/partner.ts"
import { freshSlug } from "../support/marketplace/publisher.ts"
import { execute } from "../support/postgres.ts"
import { startServer } from "../support/server.ts"

const settings = { QUOTA_API_KEYS: "3", QUOTA_INSTANCES: "2", QUOTA_APIS: "2", QUOTA_MEMBERS: "3" }

it.scopedLive("409 once a company has reached its quota; each company has its own", () =>
  Effect.gen(function* () {
    const server = yield* startServer(settings)
    const owner = yield* signUp(server)
    const ask = askAs(server, owner)
    const other = askAs(server, yield* signUp(server))
    const good = (answer: Answer) => expect([answer.status, answer.text]).toEqual([201, expect.anything()])
    const refused = (answer: Answer, code: string, sentence: string) => {
      expect(statusAndBody(answer)).toStrictEqual(refusal(409, sentence))
      expect(answer.headers.get("doorlock-error")).toBe(code)
    }

    // Keys that work are counted, and revoking one makes room. All that were ever made are counted, too: the list has them.
    const newKey = ask("POST", "/api/api-keys", { name: "deploy" })
    const revokeNewest = Effect.flatMap(ask("GET", "/api/api-keys"), ({ body }) =>
      ask("POST", `/api/api-keys/${text(body, "apiKeys", 0, "id")}/revoke`)
    )
    const active = "A company has at most 3 active API keys"
    const all = "A company has at most 15 API keys, those that ended within the last 90 days included"
    for (let made = 0; made < 3; made++) good(yield* newKey)
    refused(yield* newKey, "too-many-api-keys", active)
    for (let made = 3; made < 15; made++) {
      expect((yield* revokeNewest).status).toBe(200)
      good(yield* newKey)
    }
    refused(yield* newKey, "too-many-api-keys", active)
    expect((yield* revokeNewest).status).toBe(200)
    refused(yield* newKey, "too-many-api-keys", all)
    expect(field((yield* ask("GET", "/api/api-keys")).body, "apiKeys")).toHaveLength(15)

    // Those that have not worked for 90 days do not count, unless they are young: a key may be made that never works.
    const revokedOne =
      "update api_keys set revoked_at = now() - interval '91 days', created_at = created_at - make_interval(days => $2) where id = (select id from api_keys where company_id = $1 and revoked_at is not null limit 1)"
    yield* execute(server.databaseUrl, revokedOne, [owner.companyId, 0])
    refused(yield* newKey, "too-many-api-keys", all)
    yield* execute(server.databaseUrl, revokedOne, [owner.companyId, 100])
    good(yield* newKey)
    expect(field((yield* ask("GET", "/api/api-keys")).body, "apiKeys")).toHaveLength(16)
    good(yield* other("POST", "/api/api-keys", { name: "deploy" }))

    const newInstance = ask("POST", "/api/kyc/instances", { name: "onboarding" })
    for (let made = 0; made < 2; made++) good(yield* newInstance)
    refused(yield* newInstance, "too-many-instances", "A company has at most 2 instances")
    expect(field((yield* ask("GET", "/api/kyc/instances")).body, "instances")).toHaveLength(2)
    good(yield* other("POST", "/api/kyc/instances", { name: "onboarding" }))

    const marketplace = "/api/api-marketplace"
    good(yield* ask("POST", `${marketplace}/publishers`, { slug: freshSlug(), name: "Acme" }))
    const newApi = Effect.suspend(() =>
      ask("POST", `${marketplace}/apis`, { slug: freshSlug(), name: "Weather" })
    )
    for (let made = 0; made < 2; made++) good(yield* newApi)
    refused(yield* newApi, "too-many-apis", "A publisher has at most 2 APIs")

    // The owner is one of the three. An address that is invited again takes no other place.
    const invite = (email: string) => ask("POST", "/api/invitations", { email, role: "member" })
    const first = yield* invite("a@example.com")
    good(first)
    good(yield* invite("b@example.com"))
    const members = "A company has at most 3 members and invitations"
    refused(yield* invite("c@example.com"), "too-many-members", members)
    good(yield* invite("B@example.com"))
    const token = text(first.body, "url").split("#token=")[1]
    // In another browser.
    const acceptance = { token, password: "correct horse battery staple" }
    good(yield* send(server, "POST", "/api/auth/invitation/accept", { json: acceptance }))
    refused(yield* invite("c@example.com"), "too-many-members", members)
    const invitations = field((yield* ask("GET", "/api/invitations")).body, "invitations")
    expect(invitations).toHaveLength(1)
    expect((yield* ask("POST", `/api/invitations/${text(invitations, 0, "id")}/withdraw`)).status).toBe(200)
    good(yield* invite("c@example.com"))
  })
)

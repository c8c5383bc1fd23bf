import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Api } from "../../src/api.ts"
import { describe as descriptionOf } from "../../src/http/contract/openapi.ts"
import { knownScopes, namedScopes, permits, scopeWarning } from "../../src/keys/scopes-model.ts"
import { parseIsoDate } from "../../src/shared/iso-date.ts"

describe("Unknown scopes (contract.md#key-scopes)", () => {
  it("the known scopes are those that routes require according to the OpenAPI document", () => {
    const asked = [
      ...JSON.stringify(descriptionOf(Api, "/")).matchAll(/keys (?:with|that name) the scope `([^`]+)`/g)
    ].map(([, scope]) => scope)
    expect(Object.keys(knownScopes).sort()).toEqual([...new Set(asked)].sort())
  })

  const known =
    "Known scopes: kyc:instances:read, kyc:sessions:create, kyc:sessions:read, kyc:sessions:write, kyc:sessions:export, kyc:sessions:redact, kyc:files:read, kyc:files:original, kyc:reviews:read, kyc:reviews:write, marketplace:subscriptions:read, marketplace:subscriptions:create, usage:read, events:read, webhooks:read, webhooks:write."

  it.each([
    [["*"], undefined],
    [["kyc", "kyc:*", "kyc:sessions", "kyc:files:read"], undefined],
    [[], "A key without scopes permits nothing."],
    [["kyc:session"], `“kyc:session” permits nothing: no route asks for it. ${known}`],
    [
      ["kyc", "bad scope"],
      `“bad scope” permits nothing: no route asks for it. ${known} White space does not separate scopes: give each by itself.`
    ],
    [["a", "b"], `“a” and “b” permit nothing: no route asks for them. ${known}`],
    [["a", "b", "c"], `“a”, “b”, and “c” permit nothing: no route asks for them. ${known}`]
  ])("%j gets the message: %s", (scopes, warning) => {
    expect(scopeWarning(scopes)).toBe(warning)
  })
})

describe("Scope match (contract.md#scope-match)", () => {
  const scope = "kyc:sessions:create"

  it.each([
    ["everything", ["*"]],
    ["the scope itself", [scope]],
    ["its parent", ["kyc:sessions"]],
    ["its parent with :*", ["kyc:sessions:*"]],
    ["its grandparent", ["kyc"]],
    ["its grandparent with :*", ["kyc:*"]],
    ["one that fits among others", ["billing", "kyc:sessions:read", "kyc:sessions:create"]]
  ])("permits by %s", (_, held) => {
    expect(permits(held, scope)).toBe(true)
  })

  it.each([
    ["no scope at all", []],
    ["another scope", ["kyc:sessions:read"]],
    ["a child of the scope", [`${scope}:own`]],
    ["all children of the scope", [`${scope}:*`]],
    ["the beginning of a segment", ["kyc:sess"]],
    ["another letter case", ["KYC"]],
    ["an empty last segment", ["kyc:"]],
    ["a * in the middle", ["kyc:*:create"]],
    ["a * for the first segment", ["*:sessions:create"]],
    ["spaces around it", [" kyc "]],
    ["only :*", [":*"]]
  ])("refuses by %s", (_, held) => {
    expect(permits(held, scope)).toBe(false)
  })

  it.each([...namedScopes])("%s has to be named: keys with * or an ancestor are older", (named) => {
    const segments = named.split(":")
    const ancestors = segments.slice(1).map((_, at) => segments.slice(0, at + 1).join(":"))
    expect(permits(["*", ...ancestors, ...ancestors.map((one) => `${one}:*`)], named)).toBe(false)
    expect(permits([named], named)).toBe(true)
  })
})

describe("expiresAt (contract.md#key-expiry)", () => {
  it.each([
    ["2026-11-20", "2026-11-20T00:00:00.000Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
    ["2026-11-20T10:11Z", "2026-11-20T10:11:00.000Z"],
    ["2026-11-20T10:11:12Z", "2026-11-20T10:11:12.000Z"],
    ["2026-11-20T10:11:12.3Z", "2026-11-20T10:11:12.300Z"],
    ["2026-11-20T10:11:12,345Z", "2026-11-20T10:11:12.345Z"],
    ["2026-11-20T10:11:12.345678901Z", "2026-11-20T10:11:12.345Z"],
    ["2026-11-20T10:11:12", "2026-11-20T10:11:12.000Z"],
    ["2026-11-20T10:11:12+02", "2026-11-20T08:11:12.000Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"]
  ])("reads %s", (text, instant) => {
    expect(parseIsoDate(text)?.toISOString()).toBe(instant)
  })

  it.each([
    "",
    "soon",
    "2026",
    "20261120",
    // In UTC it is of the year 10000, or of the one before 0: no four digits write it.
    "9999-12-31T23:59:59-00:01",
    "0000-01-01T00:00:00+00:01",
    "2026-1-1",
    "2026-11-20T",
    "2026-11-20T10",
    "2026-11-20T25:00Z",
    "2026-11-20T10:11:61Z",
    "2026-11-20T10:11:12+24:00",
    "2026-11-20T10:11:12+02:60",
    "2026-11-20T10:11:12 Z",
    "2026-11-20 10:11:12Z",
    "2026-11-20Z",
    "20/11/2026",
    "Fri, 20 Nov 2026 10:00:00 GMT",
    "1795168800000",
    " 2026-11-20",
    "2026-11-20\n",
    "2026-W47-5",
    "２０２６-11-20"
  ])("refuses %j", (text) => {
    expect(parseIsoDate(text)).toBeUndefined()
  })

  it("no text makes it throw or return an invalid date", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[\dTZ:.,+-]{10,30}$/)), (text) => {
        const instant = parseIsoDate(text)
        return instant === undefined || !Number.isNaN(instant.getTime())
      })
    )
  })
})

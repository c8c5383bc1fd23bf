import { expect, it } from "vitest"
import { Api } from "../../src/api.ts"
import { generate } from "../../src/client/generate.ts"
import { describe } from "../../src/http/contract/openapi.ts"

const document = describe(Api, "https://doorlock.test")

it.each(Object.entries(generate(document)))(
  "%s of the client is made from the contract; a change that is meant renews it: bun run test contract/client -u",
  async (name, text) => {
    await expect(text).toMatchFileSnapshot(`../../src/client/package/generated/${name}`)
  }
)

it("refuses to make a client that would lack something, or have two functions of one name", () => {
  const path = (operation: object) => ({ ...document, paths: { "/other": { get: operation } } })
  const answer = { "200": { description: "" } }
  const other = { operationId: "other.get", tags: [], responses: answer }
  expect(() => generate(path(other))).toThrow("which the contract lacks")
  const added = (operation: object) => ({
    ...document,
    paths: { ...Object(document.paths), "/other": { get: operation } }
  })
  const typed = (schema: object) => ({ "200": { content: { "application/json": { schema } } } })
  expect(Object.keys(generate(added(other)))).toEqual(["groups.ts", "types.ts"])
  expect(() => generate(added({ ...other, operationId: "kyc-partner-sessions.get" }))).toThrow(
    "Several routes are called sessions.get in the client"
  )
  expect(() => generate(added({ ...other, parameters: [{ in: "header", name: "if-match" }] }))).toThrow(
    "does not know the headers if-match"
  )
  expect(() => generate(added({ ...other, responses: {} }))).toThrow("has to have one success")
  expect(() => generate(added({ ...other, responses: typed({ not: {} }) }))).toThrow("does not know the type")
  expect(() =>
    generate(
      added({
        ...other,
        parameters: [{ in: "query", name: "q", schema: { type: "string" } }],
        requestBody: { content: {} }
      })
    )
  ).toThrow("takes a query or a body, not both")
})

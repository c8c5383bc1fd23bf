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

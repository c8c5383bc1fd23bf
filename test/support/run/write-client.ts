/** Writes the part of the client that is made from the contract, as `bun run test test/contract -u` does. */
import { join } from "node:path"
import { Api } from "../../../src/api.ts"
import { generate } from "../../../src/client/generate.ts"
import { describe } from "../../../src/http/contract/openapi.ts"

const folder = join(import.meta.dirname, "../../../src/client/package/generated")
for (const [name, text] of Object.entries(generate(describe(Api, "https://doorlock.test"))))
  await Bun.write(join(folder, name), text)

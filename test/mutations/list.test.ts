import { readdirSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { faultsOf } from "./check.ts"
import { mutations } from "./list.ts"
import { featureOf } from "./model.ts"

const root = join(import.meta.dirname, "../..")

const foldersOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${folder}/${name}`)

it("every mutation changes one place of the service and names tests that exist", () => {
  expect(faultsOf(root, mutations)).toEqual([])
})

it("every feature has mutations", () => {
  const features = foldersOf("src").flatMap((folder) =>
    folder === "src/kyc" || folder === "src/marketplace" ? foldersOf(folder) : [folder]
  )
  const changed = new Set(mutations.map(({ file }) => featureOf(file)))
  expect(features.filter((folder) => !changed.has(featureOf(`${folder}/file.ts`)))).toEqual([])
  expect(mutations.length).toBeGreaterThanOrEqual(60)
})

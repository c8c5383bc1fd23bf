/** Reads the weights of a network from its ONNX file, to write them in a form for browsers. */

interface Field {
  readonly number: number
  /** Of a field with a length. */
  readonly bytes: Uint8Array
  readonly value: number
}

/** The fields of a message of Protocol Buffers, in which ONNX is written. */
const fieldsOf = (message: Uint8Array): ReadonlyArray<Field> => {
  let at = 0
  const next = (): number => {
    let [value, scale] = [0, 1]
    for (;;) {
      const byte = message[at++] ?? 0
      value += (byte & 127) * scale
      if (byte < 128) return value
      scale *= 128
    }
  }
  const none = new Uint8Array()
  const fields: Array<Field> = []
  while (at < message.length) {
    const key = next()
    const [number, kind] = [Math.floor(key / 8), key % 8]
    if (kind === 0) fields.push({ number, bytes: none, value: next() })
    else {
      const length = kind === 2 ? next() : kind === 1 ? 8 : 4
      fields.push({ number, bytes: message.subarray(at, at + length), value: 0 })
      at += length
    }
  }
  return fields
}

const all = (fields: ReadonlyArray<Field>, number: number) =>
  fields.filter((field) => field.number === number)
const texts = (fields: ReadonlyArray<Field>, number: number) =>
  all(fields, number).map(({ bytes }) => new TextDecoder().decode(bytes))

interface Tensor {
  readonly dims: ReadonlyArray<number>
  readonly values: ReadonlyArray<number>
}

/** The weights of the convolutions of a network, in the order of its graph. */
export const convolutionsIn = (
  onnx: Uint8Array
): ReadonlyArray<{ readonly kernels: Tensor; readonly biases: Tensor | undefined }> => {
  const graph = fieldsOf(all(fieldsOf(onnx), 7)[0]?.bytes ?? onnx)
  const tensors = new Map(
    all(graph, 5).map(({ bytes }) => {
      const tensor = fieldsOf(bytes)
      const raw = Uint8Array.from(all(tensor, 9)[0]?.bytes ?? [])
      const dims = all(tensor, 1).map(({ value }) => value)
      return [texts(tensor, 8)[0], { dims, values: [...new Float32Array(raw.buffer)] }] as const
    })
  )
  return all(graph, 1).flatMap(({ bytes }) => {
    const node = fieldsOf(bytes)
    const [, weight, bias] = texts(node, 1)
    const kernels = tensors.get(weight)
    return kernels === undefined || texts(node, 4)[0] !== "Conv"
      ? []
      : [{ kernels, biases: tensors.get(bias) }]
  })
}

/** @param channels the weights of each outgoing channel; each gets a scale by which its weights are to be multiplied */
export const inEightBits = (channels: ReadonlyArray<ReadonlyArray<number>>) => {
  const scales = channels.map((weights) => Math.max(...weights.map(Math.abs)) / 127 || 1)
  return {
    scales,
    weights: Int8Array.from(
      channels.flatMap((weights, out) => weights.map((one) => Math.round(one / (scales[out] ?? 1))))
    )
  }
}

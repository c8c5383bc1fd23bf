/**
 * Writes the weights for browsers, weights.bin, from weights.onnx:
 *
 *     bun src/kyc/checks/zone-reader/pack.ts
 *
 * Of each layer, in their order: two numbers of 32 bits, how many channels go out and come in; by outgoing channel a scale, then its bias, as
 * 32-bit floats; by outgoing and incoming channel nine weights of 8 bits, which are to be multiplied by the scale, as a kernel of three rows.
 */

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

/** A kernel of one or two rows or columns, as one of three by three that does the same. */
const asThreeByThree = (
  kernel: ReadonlyArray<number>,
  rows: number,
  columns: number
): ReadonlyArray<number> =>
  Array.from({ length: 9 }, (_, index) => {
    // One of two rows looks at its own row and at the next; one of three begins with the row before.
    const row = Math.floor(index / 3) - (rows === 3 ? 0 : 1)
    const column = (index % 3) - (columns === 3 ? 0 : 1)
    const inside = row >= 0 && row < rows && column >= 0 && column < columns
    return inside ? (kernel[row * columns + column] ?? 0) : 0
  })

/** @param onnx of a network whose only layers with weights are convolutions */
export const packed = (onnx: Uint8Array): Uint8Array => {
  const graph = fieldsOf(all(fieldsOf(onnx), 7)[0]?.bytes ?? onnx)
  const tensors = new Map(
    all(graph, 5).map(({ bytes }) => {
      const tensor = fieldsOf(bytes)
      const raw = Uint8Array.from(all(tensor, 9)[0]?.bytes ?? [])
      const dims = all(tensor, 1).map(({ value }) => value)
      return [texts(tensor, 8)[0], { dims, values: [...new Float32Array(raw.buffer)] }] as const
    })
  )
  const layers = all(graph, 1).flatMap(({ bytes }) => {
    const [, weight, bias] = texts(fieldsOf(bytes), 1)
    const [kernels, biases] = [tensors.get(weight), tensors.get(bias)]
    if (kernels === undefined || biases === undefined) return []
    const [outgoing = 0, incoming = 0, rows = 1, columns = 1] = kernels.dims
    const channels = Array.from({ length: outgoing }, (_, out) =>
      Array.from({ length: incoming }, (_, from) => {
        const at = (out * incoming + from) * rows * columns
        return asThreeByThree(kernels.values.slice(at, at + rows * columns), rows, columns)
      }).flat()
    )
    const scales = channels.map((weights) => Math.max(...weights.map(Math.abs)) / 127 || 1)
    return [
      new Uint32Array([outgoing, incoming]),
      new Float32Array([...scales, ...biases.values]),
      Int8Array.from(
        channels.flatMap((weights, out) => weights.map((one) => Math.round(one / (scales[out] ?? 1))))
      )
    ]
  })
  return new Uint8Array(Buffer.concat(layers.map(({ buffer }) => new Uint8Array(buffer))))
}

if (import.meta.main) {
  const file = (name: string) => Bun.file(`${import.meta.dirname}/${name}`)
  await file("weights.bin").write(packed(await file("weights.onnx").bytes()))
}

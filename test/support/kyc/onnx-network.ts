/** A small network in an ONNX file, as an operator would provide one that compares faces. */

/** A field of a protocol buffer: a number, text or bytes, by its number. */
const field = (number: number, value: number | string | Uint8Array): Uint8Array => {
  const head = (wireType: number) => varint(number * 8 + wireType)
  if (typeof value === "number") return Buffer.concat([head(0), varint(value)])
  const bytes = typeof value === "string" ? Buffer.from(value) : value
  return Buffer.concat([head(2), varint(bytes.length), bytes])
}

const varint = (value: number): Uint8Array => {
  const bytes: Array<number> = []
  let rest = value
  while (rest > 127) {
    bytes.push((rest & 127) | 128)
    rest = Math.floor(rest / 128)
  }
  return Uint8Array.from([...bytes, rest])
}

const message = (...fields: ReadonlyArray<Uint8Array>): Uint8Array => Buffer.concat(fields)

/** ONNX: a list of whole numbers. */
const attribute = (name: string, values: ReadonlyArray<number>): Uint8Array =>
  field(5, message(field(1, name), ...values.map((value) => field(8, value)), field(20, 7)))

const node = (operator: string, input: string, output: string, ...attributes: ReadonlyArray<Uint8Array>) =>
  field(1, message(field(1, input), field(2, output), field(4, operator), ...attributes))

const tensor = (place: number, name: string, dims: ReadonlyArray<number>): Uint8Array => {
  const shape = message(...dims.map((dim) => field(1, message(field(1, dim)))))
  return field(
    place,
    message(field(1, name), field(2, message(field(1, message(field(1, 1), field(2, shape))))))
  )
}

/** Averages each 14 x 14 pixels of a face of 112 x 112, so that photos of one crop give nearly the same vector. */
export const averagingNetwork = (): Uint8Array => {
  const graph = message(
    node(
      "AveragePool",
      "face",
      "averages",
      attribute("kernel_shape", [14, 14]),
      attribute("strides", [14, 14])
    ),
    node("Flatten", "averages", "vector"),
    field(2, "averaging"),
    tensor(11, "face", [1, 3, 112, 112]),
    tensor(12, "vector", [1, 192])
  )
  // The version of the format, the graph, and the version of its operators.
  return message(field(1, 8), field(7, graph), field(8, message(field(1, ""), field(2, 13))))
}

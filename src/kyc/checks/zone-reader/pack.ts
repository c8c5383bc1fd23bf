/**
 * Writes the weights for browsers, weights.bin, from weights.onnx:
 *
 *     bun src/kyc/checks/zone-reader/pack.ts
 *
 * Of each layer, in their order: two numbers of 32 bits, how many channels go out and come in; by outgoing channel a scale, then its bias, as
 * 32-bit floats; by outgoing and incoming channel nine weights of 8 bits, which are to be multiplied by the scale, as a kernel of three rows.
 */
import { convolutionsIn, inEightBits } from "../onnx-file.ts"

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
  const layers = convolutionsIn(onnx).flatMap(({ biases, kernels }) => {
    if (biases === undefined) return []
    const [outgoing = 0, incoming = 0, rows = 1, columns = 1] = kernels.dims
    const channels = Array.from({ length: outgoing }, (_, out) =>
      Array.from({ length: incoming }, (_, from) => {
        const at = (out * incoming + from) * rows * columns
        return asThreeByThree(kernels.values.slice(at, at + rows * columns), rows, columns)
      }).flat()
    )
    const { scales, weights } = inEightBits(channels)
    return [new Uint32Array([outgoing, incoming]), new Float32Array([...scales, ...biases.values]), weights]
  })
  return new Uint8Array(Buffer.concat(layers.map(({ buffer }) => new Uint8Array(buffer))))
}

if (import.meta.main) {
  const file = (name: string) => Bun.file(`${import.meta.dirname}/${name}`)
  await file("weights.bin").write(packed(await file("weights.onnx").bytes()))
}

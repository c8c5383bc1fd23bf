/**
 * Writes the weights for browsers, weights.bin, from weights.onnx:
 *
 *     bun src/kyc/checks/face-finder/pack.ts
 *
 * Without those that say where in the picture a face is: the hosted page only asks whether there is one. Of each convolution, in their order:
 * four numbers of 32 bits, how many channels go out, how many come in for each of those, the width of its kernels, and 0; by outgoing channel a
 * scale, then its bias, as 32-bit floats; the weights of 8 bits, which are to be multiplied by the scale. The last two convolutions give the scores.
 */
import { convolutionsIn, inEightBits } from "../onnx-file.ts"

/** In the ONNX file, the last four convolutions are where large faces are, their scores, where small faces are, and their scores. */
const [largeBoxes, smallBoxes] = [-4, -2]

export const packed = (onnx: Uint8Array): Uint8Array => {
  const all = convolutionsIn(onnx)
  const parts = all
    .filter((_, index) => index !== all.length + largeBoxes && index !== all.length + smallBoxes)
    .flatMap(({ biases, kernels }) => {
      const [outgoing = 0, incoming = 0, size = 0] = kernels.dims
      const each = kernels.values.length / outgoing
      const { scales, weights } = inEightBits(
        Array.from({ length: outgoing }, (_, out) => kernels.values.slice(out * each, (out + 1) * each))
      )
      return [
        new Uint32Array([outgoing, incoming, size, 0]),
        new Float32Array([...scales, ...(biases?.values ?? scales.map(() => 0))]),
        weights
      ]
    })
  return new Uint8Array(Buffer.concat(parts.map(({ buffer }) => new Uint8Array(buffer))))
}

if (import.meta.main) {
  const file = (name: string) => Bun.file(`${import.meta.dirname}/${name}`)
  await file("weights.bin").write(packed(await file("weights.onnx").bytes()))
}

/** Whether a picture has a face in it: the finder of the server (`kyc/checks/face-finder`), without where the face is. It needs no library. */

interface Layer {
  readonly outgoing: number
  /** For each outgoing channel: all, or one if each channel has its own kernel. */
  readonly incoming: number
  /** The width and height of a kernel. */
  readonly size: number
  readonly biases: Float32Array
  readonly kernels: Float32Array
}

/** Square pictures of one size, one for each channel. */
interface Channels {
  readonly values: Float32Array
  readonly count: number
  readonly side: number
}

/** The finder looks at squares of so many pixels. The server looks at twice as many, because faces in photos may be small. */
export const faceSide = 128

/** @param file as `face-finder/pack.ts` writes it */
const layersIn = (file: ArrayBuffer): ReadonlyArray<Layer> => {
  const layers: Array<Layer> = []
  for (let at = 0; at < file.byteLength; ) {
    const [outgoing = 0, incoming = 0, size = 0] = new Uint32Array(file, at, 4)
    const scales = new Float32Array(file, at + 16, outgoing)
    const biases = new Float32Array(file, at + 16 + 4 * outgoing, outgoing)
    const each = incoming * size * size
    const small = new Int8Array(file, at + 16 + 8 * outgoing, outgoing * each)
    const kernels = Float32Array.from(
      small,
      (weight, index) => weight * (scales[Math.floor(index / each)] ?? 0)
    )
    layers.push({ outgoing, incoming, size, biases, kernels })
    at += 16 + 8 * outgoing + small.length
  }
  return layers
}

/** @param before how many rows and columns of zeros come before the picture */
const convolved = (
  input: Channels,
  { biases, incoming, kernels, outgoing, size }: Layer,
  stride: 1 | 2,
  before: number
): Channels => {
  const to = input.side / stride
  const values = new Float32Array(outgoing * to * to)
  for (let out = 0; out < outgoing; out++) {
    const start = out * to * to
    values.fill(biases[out] ?? 0, start, start + to * to)
    for (let from = 0; from < incoming; from++) {
      const plane = (incoming === 1 ? out : from) * input.side * input.side
      for (let y = 0; y < size; y++) {
        for (let x = 0; x < size; x++) {
          const weight = kernels[((out * incoming + from) * size + y) * size + x] as number
          const first = Math.max(0, Math.ceil((before - x) / stride))
          const last = Math.min(to - 1, Math.floor((input.side - 1 + before - x) / stride))
          for (let row = 0; row < to; row++) {
            const source = row * stride + y - before
            if (source < 0 || source >= input.side) continue
            const line = plane + source * input.side + x - before
            const target = start + row * to
            for (let column = first; column <= last; column++) {
              values[target + column] =
                (values[target + column] as number) +
                weight * (input.values[line + column * stride] as number)
            }
          }
        }
      }
    }
  }
  return { values, count: outgoing, side: to }
}

/** A convolution by kernels of one value, of four channels at a time: most of the time is spent here. */
const mixed = ({ count, side, values }: Channels, { biases, kernels, outgoing }: Layer): Channels => {
  const plane = side * side
  const sums = new Float32Array(outgoing * plane)
  for (let out = 0; out < outgoing; out++) {
    const sum = sums.subarray(out * plane, (out + 1) * plane)
    sum.fill(biases[out] ?? 0)
    for (let from = 0; from < count; from += 4) {
      const [a, b, c, d] = [0, 1, 2, 3].map((next) =>
        values.subarray((from + next) * plane, (from + next + 1) * plane)
      ) as [Float32Array, Float32Array, Float32Array, Float32Array]
      const at = out * count + from
      const [p, q, r, s] = [kernels[at], kernels[at + 1], kernels[at + 2], kernels[at + 3]] as [
        number,
        number,
        number,
        number
      ]
      for (let index = 0; index < plane; index++) {
        sum[index] =
          (sum[index] as number) +
          (p * (a[index] as number) +
            q * (b[index] as number) +
            r * (c[index] as number) +
            s * (d[index] as number))
      }
    }
  }
  return { values: sums, count: outgoing, side }
}

/** The largest of each two by two values. */
const pooled = ({ count, side: from, values }: Channels): Channels => {
  const to = from / 2
  const most = new Float32Array(count * to * to)
  for (let index = 0; index < most.length; index++) {
    const row = Math.floor(index / to)
    const at = 2 * row * from + 2 * (index % to)
    most[index] = Math.max(
      values[at] as number,
      values[at + 1] as number,
      values[at + from] as number,
      values[at + from + 1] as number
    )
  }
  return { values: most, count, side: to }
}

/** Adds what comes around a block, which may have fewer channels, and leaves nothing negative. */
const joined = (made: Channels, around: Channels | undefined): Channels => {
  for (let index = 0; index < made.values.length; index++)
    made.values[index] = Math.max(0, (made.values[index] as number) + (around?.values[index] ?? 0))
  return made
}

/** How many blocks follow each other at each size. Between two sizes, one block halves the picture. */
const blocks = [7, 7, 7, 7]

/**
 * How sure the finder is that there is a face, from 0 to 1.
 *
 * @param file the weights
 * @param side of the squares that it looks at, in pixels
 */
export const faceNetwork = (file: ArrayBuffer, side = faceSide) => {
  const layers = layersIn(file)

  /** @param rgba the pixels of a square */
  return (rgba: Uint8ClampedArray): number => {
    const values = new Float32Array(3 * side * side)
    for (let pixel = 0; pixel < side * side; pixel++) {
      for (let channel = 0; channel < 3; channel++)
        values[channel * side * side + pixel] = (rgba[4 * pixel + channel] ?? 0) / 127.5 - 1
    }
    const rest = layers.values()
    // The cast: the file has as many layers as are asked for.
    const next = () => rest.next().value as Layer
    const block = (input: Channels, stride: 1 | 2): Channels =>
      mixed(convolved(input, next(), stride, stride === 1 ? 1 : 0), next())
    let seen = joined(convolved({ values, count: 3, side }, next(), 2, 1), undefined)
    for (const [index, count] of blocks.entries()) {
      if (index > 0) seen = joined(block(seen, 2), pooled(seen))
      for (let number = 0; number < count; number++) seen = joined(block(seen, 1), seen)
    }
    const large = mixed(joined(block(seen, 2), undefined), next())
    const small = mixed(seen, next())
    const most = [...large.values, ...small.values].reduce((one, other) => Math.max(one, other))
    return 1 / (1 + Math.exp(-most))
  }
}

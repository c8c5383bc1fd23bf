/** The reader of machine-readable zones (`kyc/checks/zone-reader`), which reads strips of one line. It needs no library. */

interface Layer {
  readonly outgoing: number
  readonly incoming: number
  readonly biases: Float32Array
  /** By outgoing and incoming channel, three rows of three. */
  readonly kernels: Float32Array
}

/** Channels of one size, each with a border of zeros. */
interface Channels {
  readonly values: Float32Array
  readonly count: number
  readonly rows: number
  readonly columns: number
}

/** After each layer: how many rows it has, and how many rows and columns become one. */
const shapes = [
  [32, 2, 2],
  [16, 2, 2],
  [8, 2, 1],
  [4, 2, 1],
  [2, 1, 1],
  [1, 1, 1],
  [1, 1, 1]
] as const

/** @param file as `zone-reader/pack.ts` writes it */
const layersIn = (file: ArrayBuffer): ReadonlyArray<Layer> => {
  let at = 0
  return shapes.map(() => {
    const [outgoing = 0, incoming = 0] = new Uint32Array(file, at, 2)
    const scales = new Float32Array(file, at + 8, outgoing)
    const biases = new Float32Array(file, at + 8 + 4 * outgoing, outgoing)
    const small = new Int8Array(file, at + 8 + 8 * outgoing, 9 * outgoing * incoming)
    at += 8 + 8 * outgoing + small.length
    const kernels = Float32Array.from(
      small,
      (weight, index) => weight * (scales[Math.floor(index / (9 * incoming))] ?? 0)
    )
    return { outgoing, incoming, biases, kernels }
  })
}

const empty = (count: number, rows: number, columns: number): Channels => ({
  values: new Float32Array(count * (rows + 2) * (columns + 2)),
  count,
  rows,
  columns
})

/** Adds to `sums` what a kernel makes of a channel that begins at `start`. */
const addConvolved = (
  sums: Float32Array,
  { columns, values }: Channels,
  start: number,
  rows: number,
  kernels: Float32Array,
  kernel: number
) => {
  const width = columns + 2
  const k = (index: number) => kernels[kernel + index] ?? 0
  const [k0, k1, k2, k3, k4, k5, k6, k7, k8] = [k(0), k(1), k(2), k(3), k(4), k(5), k(6), k(7), k(8)]
  for (let row = 0; row < rows; row++) {
    const above = start + row * width
    const here = above + width
    const below = here + width
    let [a0, a1] = [values[above] as number, values[above + 1] as number]
    let [b0, b1] = [values[here] as number, values[here + 1] as number]
    let [c0, c1] = [values[below] as number, values[below + 1] as number]
    const out = row * columns
    for (let column = 0; column < columns; column++) {
      const a2 = values[above + column + 2] as number
      const b2 = values[here + column + 2] as number
      const c2 = values[below + column + 2] as number
      sums[out + column] =
        (sums[out + column] as number) +
        (k0 * a0 + k1 * a1 + k2 * a2 + k3 * b0 + k4 * b1 + k5 * b2 + k6 * c0 + k7 * c1 + k8 * c2)
      a0 = a1
      a1 = a2
      b0 = b1
      b1 = b2
      c0 = c1
      c1 = c2
    }
  }
}

/** The largest of each `down` by `across` values that is not negative; the last layer keeps its negative ones. */
const pooled = (
  sums: Float32Array,
  columns: number,
  into: Channels,
  channel: number,
  [down, across]: readonly [down: number, across: number],
  least: number
) => {
  const width = into.columns + 2
  const start = channel * (into.rows + 2) * width + width + 1
  for (let row = 0; row < into.rows; row++) {
    for (let column = 0; column < into.columns; column++) {
      let most = least
      for (let y = row * down; y < (row + 1) * down; y++) {
        for (let x = column * across; x < (column + 1) * across; x++) {
          const value = sums[y * columns + x] as number
          if (value > most) most = value
        }
      }
      into.values[start + row * width + column] = most
    }
  }
}

/** As logarithms of probabilities, by class and column. */
const logarithms = ({ columns, count, values }: Channels): Float32Array => {
  const read = new Float32Array(count * columns)
  const at = (one: number, column: number) => values[one * 3 * (columns + 2) + columns + 3 + column] ?? 0
  for (let column = 0; column < columns; column++) {
    let [most, sum] = [Number.NEGATIVE_INFINITY, 0]
    for (let one = 0; one < count; one++) most = Math.max(most, at(one, column))
    for (let one = 0; one < count; one++) sum += Math.exp(at(one, column) - most)
    for (let one = 0; one < count; one++)
      read[one * columns + column] = at(one, column) - most - Math.log(sum)
  }
  return read
}

/**
 * The network, for strips of 32 rows and any number of columns that four divides.
 *
 * @param file the weights
 */
export const zoneNetwork = (file: ArrayBuffer) => {
  const layers = layersIn(file)
  return async (strip: Float32Array, [, , rows = 0, columns = 0]: ReadonlyArray<number>) => {
    let input = empty(1, rows, columns)
    for (let row = 0; row < rows; row++) {
      input.values.set(strip.subarray(row * columns, (row + 1) * columns), (row + 1) * (columns + 2) + 1)
    }
    for (const [number, { biases, incoming, kernels, outgoing }] of layers.entries()) {
      const [height, down, across] = shapes[number] ?? [1, 1, 1]
      const plane = (input.rows + 2) * (input.columns + 2)
      const sums = new Float32Array(height * input.columns)
      const output = empty(outgoing, height / down, input.columns / across)
      const least = number === layers.length - 1 ? Number.NEGATIVE_INFINITY : 0
      for (let out = 0; out < outgoing; out++) {
        sums.fill(biases[out] ?? 0)
        for (let from = 0; from < incoming; from++) {
          addConvolved(sums, input, from * plane, height, kernels, 9 * (out * incoming + from))
        }
        pooled(sums, input.columns, output, out, [down, across], least)
      }
      input = output
    }
    return { data: logarithms(input), dims: [1, input.count, input.columns] }
  }
}

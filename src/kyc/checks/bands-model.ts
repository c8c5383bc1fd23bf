/** Splits the perceptual hash of a picture into bands, so that similar hashes can be found by equal bands. */

/** The rows, and columns, of the grid that is hashed. */
export const hashRows = 32

/** Bits of a hash: two for each value of the grid. */
export const hashBits = 2 * hashRows ** 2

/** Longer bands are equal less often, also those of copies of one picture. */
const bandBits = 48
const bands = 32

/** Two pictures with at least so many equal bands look the same. docs/checks.md#duplicates says how well this was measured. */
export const leastEqual = 6

/** From one bit of a band to the next. Odd, and near the golden section of all bits, so that each band is spread over the whole picture. */
const step = 1265

/** The bands of a hash in hex: each as bits, to be compared with the one in the same place. */
export const bandsOf = (hash: string): ReadonlyArray<string> => {
  const bytes = Buffer.from(hash, "hex")
  const bitAt = (index: number): number => ((bytes[index >> 3] ?? 0) >> (index & 7)) & 1
  return Array.from({ length: bands }, (_, band) =>
    Array.from({ length: bandBits }, (_, place) => bitAt(((band * bandBits + place) * step) % hashBits)).join(
      ""
    )
  )
}

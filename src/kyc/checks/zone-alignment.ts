/** Finds the characters in what the reader says of a strip: they stand one pitch apart. */

/** The logarithm of the probability of each class, by column; the last class is the gap between characters. */
export interface StripReading {
  readonly data: Float32Array
  readonly classes: number
  readonly columns: number
}

export interface AlignedLine {
  /** By character: the logarithm of the probability of each class but the gap. */
  readonly characters: ReadonlyArray<Float32Array>
  /** How well the strip is explained by so many characters: a logarithm of a probability, by column. */
  readonly score: number
}

/** Columns from one character to the next, at least and at most. */
const [nearest, farthest] = [3, 6]

/** Strips are cut so that it is 4.5 columns. */
const unusual = (distance: number): number => (distance === nearest || distance === farthest ? -1.5 : 0)

/** Beside the zone there may be anything, such as the edge of the card. */
const leastOutside = -3

/**
 * The best places for `count` characters, with nothing but gap before and after them. Undefined: the strip is too short.
 *
 * @param may by character, which classes it may have
 */
export const aligned = (
  { classes, columns, data }: StripReading,
  count: number,
  may: ReadonlyArray<ReadonlyArray<boolean>>
): AlignedLine | undefined => {
  const gap = (classes - 1) * columns
  const floor = -12
  const logOf = (one: number, column: number): number =>
    Math.max(floor, data[one * columns + column] ?? floor)
  const gapAt = (column: number): number => Math.max(floor, data[gap + column] ?? floor)
  const gapsBefore = new Float64Array(columns + 1)
  for (let column = 0; column < columns; column++)
    gapsBefore[column + 1] = (gapsBefore[column] ?? 0) + Math.max(leastOutside, gapAt(column))
  const gaps = (from: number, to: number): number =>
    to <= from
      ? 0
      : (gapsBefore[Math.min(columns, to)] ?? 0) - (gapsBefore[Math.max(0, Math.min(columns, from))] ?? 0)

  const emission = (place: number, column: number): number => {
    let best = floor
    const allowed = may[place]
    for (let one = 0; one < classes - 1; one++) {
      if (allowed?.[one] !== true) continue
      const value = logOf(one, column)
      if (value > best) best = value
    }
    return best
  }

  let scores = new Float64Array(columns)
  for (let column = 0; column < columns; column++) scores[column] = gaps(0, column - 2) + emission(0, column)
  const from: Array<Int16Array> = []
  for (let place = 1; place < count; place++) {
    const next = new Float64Array(columns).fill(Number.NEGATIVE_INFINITY)
    const came = new Int16Array(columns).fill(-1)
    for (let column = nearest; column < columns; column++) {
      const value = emission(place, column)
      for (let distance = nearest; distance <= farthest && distance <= column; distance++) {
        // Between two characters there is a gap, which may be narrower than a column.
        const middle = column - Math.floor(distance / 2)
        const between = Math.max(gapAt(middle), gapAt(middle - (distance % 2)))
        const total = (scores[column - distance] ?? 0) + value + 0.3 * between + unusual(distance)
        if (total > (next[column] ?? 0)) {
          next[column] = total
          came[column] = column - distance
        }
      }
    }
    from.push(came)
    scores = next
  }
  let [last, best] = [-1, Number.NEGATIVE_INFINITY]
  for (let column = 0; column < columns; column++) {
    const total = (scores[column] ?? 0) + gaps(column + 3, columns)
    if (total > best) {
      last = column
      best = total
    }
  }
  if (last === -1 || best === Number.NEGATIVE_INFINITY) return undefined
  const places = [last]
  for (let place = count - 2; place >= 0; place--) {
    const column = from[place]?.[places[0] ?? 0] ?? -1
    if (column < 0) return undefined
    places.unshift(column)
  }
  const characters = places.map((column) => {
    const read = new Float32Array(classes - 1)
    for (let one = 0; one < classes - 1; one++) {
      // The middle column counts most; its neighbours help where it falls on a stain.
      read[one] =
        0.6 * logOf(one, column) +
        0.2 * logOf(one, Math.max(0, column - 1)) +
        0.2 * logOf(one, Math.min(columns - 1, column + 1))
    }
    return read
  })
  return { characters, score: best / columns }
}

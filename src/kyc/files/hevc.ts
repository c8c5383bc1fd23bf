/** Finds the size of the pictures in HEVC data (ITU-T H.265) from its sequence parameter sets. */

const sequenceParameterSet = 33

/** The most bytes before the height, with all sub-layers: 2 + 1 + 12 + 2 + 6 * 11 + 5 numbers of 8. */
const bytesBeforeHeight = 128

/** Reads single bits; throws a `RangeError` past the end. */
const bitsOf = (bytes: Buffer) => {
  let at = 0
  const take = (count: number): number => {
    let number = 0
    for (const end = at + count; at < end; at++) {
      number = number * 2 + ((bytes.readUInt8(at >> 3) >> (7 - (at & 7))) & 1)
    }
    return number
  }
  /** An Exp-Golomb coded number (9.2). */
  const takeCoded = (): number => {
    let zeros = 0
    while (take(1) === 0) if (++zeros > 31) throw new RangeError("A number is too long")
    return 2 ** zeros - 1 + take(zeros)
  }
  const skip = (count: number): void => {
    at += count
  }
  return { take, takeCoded, skip }
}

/** The width times height in a sequence parameter set (7.3.2.2), before cropping. */
const pixelsOfSet = (unit: Buffer): number => {
  // A 3 after two zeros is padding that keeps the data from looking like a start code.
  const bytes = unit.toString("latin1", 2, 2 * bytesBeforeHeight).replaceAll("\0\0\x03", "\0\0")
  const { skip, take, takeCoded } = bitsOf(Buffer.from(bytes, "latin1"))
  skip(4)
  const subLayers = take(3)
  // The general profile and level (7.3.3), then which of the two each sub-layer has itself.
  skip(1 + 96)
  const described = Array.from({ length: subLayers === 0 ? 0 : 8 }, () => ({
    profile: take(1),
    level: take(1)
  }))
  for (const { level, profile } of described.slice(0, subLayers)) skip(88 * profile + 8 * level)
  takeCoded()
  if (takeCoded() === 3) skip(1)
  return takeCoded() * takeCoded()
}

/** Throws a `RangeError` if readers would disagree: for a unit within a unit, or a further layer. */
export const pixelsOfUnit = (unit: Buffer): number => {
  if (unit.includes("\0\0\x01", 0, "latin1")) throw new RangeError("A unit within another")
  // The type and the layer (7.3.1.2).
  const header = unit.readUInt16BE(0)
  if (((header >> 9) & 63) !== sequenceParameterSet) return 0
  if (((header >> 3) & 63) !== 0) throw new RangeError("A picture of several layers")
  return pixelsOfSet(unit)
}

export function* unitsOf(data: Buffer, lengthBytes: number): Generator<Buffer> {
  for (let at = 0; at < data.length; ) {
    const start = at + lengthBytes
    at = start + data.readUIntBE(at, lengthBytes)
    if (at > data.length) throw new RangeError("A unit goes past the end")
    yield data.subarray(start, at)
  }
}

/** What decoders receive before the data (ISO/IEC 14496-15, 8.3.3.1): the bytes per length, and units. */
export const configurationOf = (record: Buffer) => {
  const units: Array<Buffer> = []
  let at = 23
  for (let arrays = record.readUInt8(22); arrays > 0; arrays--) {
    let count = record.readUInt16BE(at + 1)
    at += 3
    for (; count > 0; count--) {
      const start = at + 2
      at = start + record.readUInt16BE(at)
      if (at > record.length) throw new RangeError("A unit goes past the end")
      units.push(record.subarray(start, at))
    }
  }
  return { lengthBytes: (record.readUInt8(21) & 3) + 1, units }
}

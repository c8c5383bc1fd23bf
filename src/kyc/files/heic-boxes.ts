/** Reads the boxes of a HEIC file (ISO/IEC 14496-12), its items, and where their bytes are. */

/** The file has parts that are not understood. */
export class Malformed extends Error {}

export const malformed = (): never => {
  throw new Malformed()
}

export interface Box {
  readonly type: string
  readonly start: number
  /** Where the content begins, after the header. */
  readonly body: number
  readonly end: number
}

export const typeAt = (file: Buffer, at: number): string => file.toString("latin1", at, at + 4)

/** An unsigned integer of 0, 2, 4 or 8 bytes. */
export const numberAt = (file: Buffer, at: number, bytes: number): number => {
  if (bytes === 0) return 0
  if (bytes === 2 || bytes === 4) return file.readUIntBE(at, bytes)
  const number = bytes === 8 ? Number(file.readBigUInt64BE(at)) : malformed()
  return Number.isSafeInteger(number) ? number : malformed()
}

/** The consecutive boxes between `from` and `to`. */
export const boxesOf = (file: Buffer, from: number, to: number): ReadonlyArray<Box> => {
  const boxes: Array<Box> = []
  for (let at = from; at < to; ) {
    const short = file.readUInt32BE(at)
    const body = at + (short === 1 ? 16 : 8)
    const size = short === 1 ? numberAt(file, at + 8, 8) : short === 0 ? to - at : short
    const end = at + size
    if (end > to || end < body) return malformed()
    boxes.push({ type: typeAt(file, at + 4), start: at, body, end })
    at = end
  }
  return boxes
}

export const only = (boxes: ReadonlyArray<Box>, type: string): Box => {
  const found = boxes.filter((box) => box.type === type)
  return found.length === 1 && found[0] !== undefined ? found[0] : malformed()
}

interface Item {
  readonly id: number
  readonly type: string
  /** Where the item's box begins. */
  readonly start: number
  /** Directly after the type; the item's name and other fields follow. */
  readonly end: number
}

export const itemsStart = (file: Buffer, { body }: Box): number => body + (file.readUInt8(body) > 0 ? 8 : 6)

/** All items. Duplicate ids are refused, because readers may pick either item. */
export const itemsOf = (file: Buffer, iinf: Box): ReadonlyArray<Item> => {
  const items = boxesOf(file, itemsStart(file, iinf), iinf.end).map((entry) => {
    const version = file.readUInt8(entry.body)
    // Older versions have no picture types.
    if (entry.type !== "infe" || (version !== 2 && version !== 3)) return malformed()
    const idBytes = version === 2 ? 2 : 4
    const type = entry.body + 6 + idBytes
    const id = numberAt(file, entry.body + 4, idBytes)
    return { id, type: typeAt(file, type), start: entry.start, end: type + 4 }
  })
  return new Set(items.map(({ id }) => id)).size === items.length ? items : malformed()
}

export interface Extent {
  readonly item: number
  /** Whether the offset is relative to the file or to the `idat` box. */
  readonly from: "file" | "idat"
  readonly offset: number
  readonly length: number
}

/** Where the bytes of all items are. */
export const extentsOf = (file: Buffer, { body, end }: Box): ReadonlyArray<Extent> => {
  const version = file.readUInt8(body)
  if (version > 2) return malformed()
  const sizes = file.readUInt16BE(body + 4)
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15]
  const indexBytes = version === 0 ? 0 : sizes & 15
  const idBytes = version === 2 ? 4 : 2
  let at = body + 6
  const take = (bytes: number): number => {
    if (at + bytes > end) return malformed()
    const number = numberAt(file, at, bytes)
    at += bytes
    return number
  }
  const extents: Array<Extent> = []
  for (let items = take(idBytes); items > 0; items--) {
    const item = take(idBytes)
    const method = version === 0 ? 0 : take(2) & 15
    if (method > 1 || take(2) !== 0) return malformed()
    const base = take(baseBytes)
    for (let count = take(2); count > 0; count--) {
      take(indexBytes)
      const offset = base + take(offsetBytes)
      extents.push({ item, from: method === 0 ? "file" : "idat", offset, length: take(lengthBytes) })
    }
  }
  return extents
}

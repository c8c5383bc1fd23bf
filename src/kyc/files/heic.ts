/**
 * Removes the metadata of a HEIC (ISO/IEC 14496-12 and 23008-12) without re-encoding: Bun has no decoder for
 * it on Linux, and libheif is under the LGPL. What makes up the picture, including its rotation, is copied;
 * everything else becomes zeros in place, so all offsets stay valid.
 */

import {
  type Box,
  boxesOf,
  type Extent,
  extentsOf,
  itemsOf,
  itemsStart,
  Malformed,
  malformed,
  numberAt,
  only,
  typeAt
} from "./heic-boxes.ts"
import { configurationOf, pixelsOfUnit, unitsOf } from "./hevc.ts"

/** The item types that make up a picture. No byte of other items, such as Exif and XMP, is copied. */
const keptItems = new Set(["hvc1", "hev1", "grid", "iovl", "iden", "tmap"])

/** Coded pictures. Further layers (`lhv1`) are not kept: their size is encoded in another way. */
const codedItems = new Set(["hvc1", "hev1"])

const keptProperties = new Set([
  ...["hvcC", "ispe", "pixi", "colr", "irot", "imir", "clap", "pasp", "auxC", "lsel", "rloc"],
  ...["clli", "mdcv", "cclv"]
])

const keptInMeta = new Set(["pitm", "iloc", "iref", "grpl"])

/** The pixels of a composed picture (ISO/IEC 23008-12, 6.6.2), according to its own data. */
const canvasPixels = (type: "grid" | "iovl", data: Buffer): number => {
  const bytes = (data.readUInt8(1) & 1) === 1 ? 4 : 2
  // The size follows a grid's rows and columns, or an overlay's background colour.
  const size = type === "grid" ? 4 : 10
  return numberAt(data, size, bytes) * numberAt(data, size + bytes, bytes)
}

/** Of the largest picture. Decoders may ignore `ispe` for parameter sets, in a property or in the data. */
const pixelsOf = (
  file: Buffer,
  properties: ReadonlyArray<Box>,
  items: Iterable<{ readonly type: string; readonly data: Buffer }>
): number => {
  const bodies = (wanted: string) =>
    properties.filter(({ type }) => type === wanted).map(({ body, end }) => file.subarray(body, end))
  let most = 0
  for (const body of bodies("ispe")) most = Math.max(most, body.readUInt32BE(4) * body.readUInt32BE(8))
  if (most === 0) return 0
  const configurations = bodies("hvcC").map(configurationOf)
  const [{ lengthBytes } = malformed(), ...others] = configurations
  // A picture may be assigned more than one configuration, so all must agree.
  if (others.some((other) => other.lengthBytes !== lengthBytes)) malformed()
  let announced = 0
  const look = (unit: Buffer) => {
    announced = Math.max(announced, pixelsOfUnit(unit))
  }
  for (const { units } of configurations) units.forEach(look)
  for (const { data, type } of items) {
    if (type === "grid" || type === "iovl") most = Math.max(most, canvasPixels(type, data))
    if (codedItems.has(type)) for (const unit of unitsOf(data, lengthBytes)) look(unit)
  }
  return announced === 0 ? malformed() : Math.max(most, announced)
}

interface Range {
  readonly start: number
  readonly end: number
}

const byStart = (left: Range, right: Range): number => left.start - right.start

/** Whether a range of one list overlaps a range of the other. */
const overlap = (left: ReadonlyArray<Range>, right: ReadonlyArray<Range>): boolean => {
  const ranges = [
    ...left.map(({ end, start }) => ({ start, end, isLeft: true })),
    ...right.map(({ end, start }) => ({ start, end, isLeft: false }))
  ].filter(({ end, start }) => start < end)
  let [leftEnd, rightEnd] = [0, 0]
  for (const { end, isLeft, start } of ranges.sort(byStart)) {
    if (start < (isLeft ? rightEnd : leftEnd)) return true
    if (isLeft) leftEnd = Math.max(leftEnd, end)
    else rightEnd = Math.max(rightEnd, end)
  }
  return false
}

const blanked = (file: Buffer): { readonly copy: Buffer; readonly pixels: number } => {
  const copy = Buffer.alloc(file.length)
  const kept: Array<Range> = []
  const keep = (from: number, to: number) => {
    if (from < 0 || to > file.length || to < from) malformed()
    file.copy(copy, from, from, to)
    kept.push({ start: from, end: to })
  }
  /** Turns the box into a box of free space. */
  const empty = ({ body, start }: Box) => {
    keep(start, body)
    copy.write("free", start + 4, "latin1")
  }

  const boxes = boxesOf(file, 0, file.length)
  const meta = only(boxes, "meta")
  const inMeta = boxesOf(file, meta.body + 4, meta.end)
  const iprp = only(inMeta, "iprp")
  const inIprp = boxesOf(file, iprp.body, iprp.end)
  const ipco = only(inIprp, "ipco")
  const properties = boxesOf(file, ipco.body, ipco.end)
  const iinf = only(inMeta, "iinf")
  const items = itemsOf(file, iinf)
  const types = new Map(items.map(({ id, type }) => [id, type]))
  const pitm = only(inMeta, "pitm")
  const primary = numberAt(file, pitm.body + 4, file.readUInt8(pitm.body) === 0 ? 2 : 4)
  const isKept = ({ item }: Extent): boolean => keptItems.has(types.get(item) ?? "")
  const all = extentsOf(file, only(inMeta, "iloc"))
  const extents = all.filter(isKept)
  const startOf = ({ from, offset }: Extent): number =>
    from === "file" ? offset : offset + only(inMeta, "idat").body
  if (!extents.some(({ item, length }) => item === primary && length > 0)) malformed()

  for (const box of boxes) {
    if (box.type === "ftyp") keep(box.start, box.end)
    else if (box.type === "meta") keep(box.start, box.body + 4)
    else if (box.type === "mdat") keep(box.start, box.body)
    else empty(box)
  }
  for (const box of inMeta) {
    if (keptInMeta.has(box.type)) keep(box.start, box.end)
    else if (box.type === "iprp" || box.type === "idat") keep(box.start, box.body)
    else if (box.type === "iinf") keep(box.start, itemsStart(file, box))
    else if (box.type === "hdlr") {
      keep(box.start, box.body)
      // The handler type. It follows a version and zeros; zeros and a name follow it.
      keep(box.body + 8, box.body + 12)
    } else empty(box)
  }
  for (const { end, start } of items) keep(start, end)
  for (const box of inIprp) {
    if (box.type === "ipma") keep(box.start, box.end)
    else if (box.type === "ipco") keep(box.start, box.body)
    else empty(box)
  }
  for (const box of properties) {
    // Colours are given by numbers or by a profile. A profile has names, dates and arbitrary bytes.
    const isProfile = box.type === "colr" && typeAt(file, box.body) !== "nclx"
    if (keptProperties.has(box.type) && !isProfile) keep(box.start, box.end)
    else empty(box)
  }
  const parts = new Map<number, Array<Buffer>>()
  for (const extent of extents) {
    const { from, item, length } = extent
    const places = from === "file" ? boxes.filter(({ type }) => type === "mdat") : [only(inMeta, "idat")]
    const start = startOf(extent)
    if (!places.some(({ body, end }) => start >= body && start + length <= end)) malformed()
    keep(start, start + length)
    const data = parts.get(item) ?? []
    parts.set(item, data)
    data.push(file.subarray(start, start + length))
  }
  const dropped = all
    .filter((extent) => !isKept(extent))
    .map((extent) => ({ start: startOf(extent), end: startOf(extent) + extent.length }))
  if (overlap(kept, dropped)) malformed()
  function* dataOf() {
    for (const [item, data] of parts) yield { type: types.get(item) ?? "", data: Buffer.concat(data) }
  }
  return { copy, pixels: pixelsOf(file, properties, dataOf()) }
}

/** The picture without its metadata, and its number of pixels; undefined if the file is not understood. */
export const withoutMetadata = (
  file: Buffer
): { readonly copy: Buffer; readonly pixels: number } | undefined => {
  try {
    const { copy, pixels } = blanked(file)
    return pixels > 0 ? { copy, pixels } : undefined
  } catch (cause) {
    // A number points past the end of the file.
    if (cause instanceof Malformed || cause instanceof RangeError) return undefined
    throw cause
  }
}

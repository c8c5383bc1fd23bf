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
  if (most === 0) malformed()
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

type Range = readonly [start: number, end: number]

/** Whether a range of one list overlaps a range of the other. Sorted first, so that many ranges cost little. */
const overlap = (left: ReadonlyArray<Range>, right: ReadonlyArray<Range>): boolean => {
  const ranges = [
    ...left.map(([start, end]) => ({ start, end, side: 0 as const })),
    ...right.map(([start, end]) => ({ start, end, side: 1 as const }))
  ].filter(({ end, start }) => start < end)
  const ends: [left: number, right: number] = [0, 0]
  return ranges
    .sort((one, other) => one.start - other.start)
    .some(({ end, side, start }) => {
      ends[side] = Math.max(ends[side], end)
      return start < ends[side === 0 ? 1 : 0]
    })
}

const blanked = (file: Buffer): { readonly copy: Buffer; readonly pixels: number } => {
  const copy = Buffer.alloc(file.length)
  const kept: Array<Range> = []
  const keep = (from: number, to: number) => {
    if (from < 0 || to > file.length || to < from) malformed()
    file.copy(copy, from, from, to)
    kept.push([from, to])
  }
  const keepWhole = ({ end, start }: Box) => keep(start, end)
  const keepHeader = ({ body, start }: Box) => keep(start, body)
  /** Turns the box into a box of free space. */
  const empty = (box: Box) => {
    keepHeader(box)
    copy.write("free", box.start + 4, "latin1")
  }
  /** Keeps of each box what the rule for its type says. A box of another type becomes empty. */
  const sift = (boxes: ReadonlyArray<Box>, rules: Readonly<Record<string, (box: Box) => void>>) => {
    const byType = new Map(Object.entries(rules))
    for (const box of boxes) (byType.get(box.type) ?? empty)(box)
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
  const rangeOf = ({ from, length, offset }: Extent): Range => {
    const start = from === "file" ? offset : offset + only(inMeta, "idat").body
    return [start, start + length]
  }
  if (!extents.some(({ item, length }) => item === primary && length > 0)) malformed()

  sift(boxes, { ftyp: keepWhole, meta: ({ body, start }) => keep(start, body + 4), mdat: keepHeader })
  sift(inMeta, {
    pitm: keepWhole,
    iloc: keepWhole,
    iref: keepWhole,
    grpl: keepWhole,
    iprp: keepHeader,
    idat: keepHeader,
    iinf: (box) => keep(box.start, itemsStart(file, box)),
    hdlr: (box) => {
      keepHeader(box)
      // The handler type. It follows a version and zeros; zeros and a name follow it.
      keep(box.body + 8, box.body + 12)
    }
  })
  for (const { end, start } of items) keep(start, end)
  sift(inIprp, { ipma: keepWhole, ipco: keepHeader })
  for (const box of properties) {
    // Colours are given by numbers or by a profile. A profile has names, dates and arbitrary bytes.
    const isProfile = box.type === "colr" && typeAt(file, box.body) !== "nclx"
    if (keptProperties.has(box.type) && !isProfile) keepWhole(box)
    else empty(box)
  }
  for (const extent of extents) {
    const places =
      extent.from === "file" ? boxes.filter(({ type }) => type === "mdat") : [only(inMeta, "idat")]
    const [start, end] = rangeOf(extent)
    if (!places.some((place) => start >= place.body && end <= place.end)) malformed()
    keep(start, end)
  }
  const dropped = all.filter((extent) => !isKept(extent)).map(rangeOf)
  if (overlap(kept, dropped)) malformed()
  function* dataOf() {
    for (const [item, own] of Map.groupBy(extents, (extent) => extent.item)) {
      const data = own.map((extent) => file.subarray(...rangeOf(extent)))
      yield { type: types.get(item) ?? "", data: Buffer.concat(data) }
    }
  }
  return { copy, pixels: pixelsOf(file, properties, dataOf()) }
}

/** The picture without its metadata, and its number of pixels; undefined if the file is not understood. */
export const withoutMetadata = (
  file: Buffer
): { readonly copy: Buffer; readonly pixels: number } | undefined => {
  try {
    return blanked(file)
  } catch (cause) {
    // A number points past the end of the file.
    if (cause instanceof Malformed || cause instanceof RangeError) return undefined
    throw cause
  }
}

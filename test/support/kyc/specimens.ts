/** Renders photos of specimens: documents of Utopia, a state that does not exist. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import sharp from "sharp"
import { prepareZXingModule, writeBarcode } from "zxing-wasm/writer"
import type { ZoneFormat } from "../../../src/kyc/checks/zone-layouts-model.ts"
import { checkDigitOf } from "../../../src/kyc/checks/zone-model.ts"

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
export const seeded = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const between = (random: () => number, least: number, most: number): number =>
  least + (most - least) * random()
const oneOf = <A>(random: () => number, all: readonly [A, ...ReadonlyArray<A>]): A =>
  all[Math.floor(random() * all.length)] ?? all[0]
const digits = (random: () => number, count: number): string =>
  Array.from({ length: count }, () => Math.floor(10 * random())).join("")

/** What a document says. Dates are `YYMMDD`. */
export interface Holder {
  readonly surname: string
  readonly given: string
  readonly number: string
  readonly birth: string
  readonly sex: "F" | "M" | "<"
  readonly expiry: string
}

/** The holder of the specimens of ICAO 9303. */
export const eriksson: Holder = {
  surname: "ERIKSSON",
  given: "ANNA<MARIA",
  number: "L898902C3",
  birth: "740812",
  sex: "F",
  expiry: "120415"
}

const surnames = [
  ...["ABERCROMBIE", "BJORKLUND", "CZARNECKI", "DVORAK", "FITZGERALD", "GUTIERREZ", "HALVORSEN", "IWANOWSKI"],
  ...["KJELDSEN", "LUNDQVIST", "MBEKI", "NAKAMURA", "OYELARAN", "PFEIFFER", "QURESHI", "RASMUSSEN", "SZABO"],
  ...["TAKAHASHI", "UGWU", "VUJOVIC", "WEISSMULLER", "XAVIER", "YILDIRIM", "ZHUKOVSKY"]
] as const
const givenNames = [
  ...[
    "ADELAIDE",
    "BOGDAN",
    "CHIDI<EMEKA",
    "DOROTHEA",
    "FELIX<JOHANNES",
    "GWENDOLYN",
    "HUGO",
    "INGRID",
    "JADWIGA"
  ],
  ...["KWAME", "LJUBICA", "MOHAMMED<ALI", "OXANA", "PENELOPE", "QUENTIN", "SVETLANA", "VALENTIN", "ZDENEK"]
] as const

const someHolder = (random: () => number): Holder => {
  const letters = Array.from({ length: Math.floor(3 * random()) }, () =>
    String.fromCharCode(65 + Math.floor(26 * random()))
  ).join("")
  const day = (from: number, to: number) =>
    [between(random, from, to), between(random, 1, 13), between(random, 1, 29)]
      .map((value) => String(Math.floor(value) % 100).padStart(2, "0"))
      .join("")
  return {
    surname: oneOf(random, [surnames[0], ...surnames.slice(1)]),
    given: oneOf(random, [givenNames[0], ...givenNames.slice(1)]),
    number: letters + digits(random, 9 - letters.length),
    birth: day(1950, 2006),
    sex: oneOf(random, ["F", "M", "<"]),
    expiry: day(2027, 2036)
  }
}

const padded = (text: string, length: number): string => text.padEnd(length, "<").slice(0, length)
const withDigit = (text: string): string => `${text}${checkDigitOf(text)}`

/** The lines of a zone (ICAO 9303, parts 4 to 6). */
export const zoneLines = (
  format: ZoneFormat,
  { birth, expiry, given, number, sex, surname }: Holder
): ReadonlyArray<string> => {
  const names = `${surname}<<${given}`
  const [first, second, third] = [withDigit(padded(number, 9)), withDigit(birth), withDigit(expiry)]
  if (format === "TD1") {
    const optional = "<".repeat(15)
    const digit = checkDigitOf(`${first}${optional}${second}${third}${"<".repeat(11)}`)
    return [
      `I<UTO${first}${optional}`,
      `${second}${sex}${third}UTO${"<".repeat(11)}${digit}`,
      padded(names, 30)
    ]
  }
  const rest = format === "TD3" ? withDigit(padded("ZE184226B", 14)) : "<".repeat(7)
  const line = `${first}UTO${second}${sex}${third}${rest}`
  const digit = checkDigitOf(`${first}${second}${third}${rest}`)
  return format === "TD3"
    ? [padded(`P<UTO${names}`, 44), `${line}${digit}`]
    : [padded(`I<UTO${names}`, 36), `${line}${digit}`]
}

/** How a photo is taken. Angles are in degrees, lengths in pixels. */
export interface Level {
  readonly turned: number
  readonly perspective: number
  readonly blur: number
  readonly noise: number
  readonly quality: number
  readonly glare: number
  /** The photo's width. */
  readonly edge: number
  /** The photo's height; by default three quarters of its width. */
  readonly height?: number
  /** Of the photo's width or height that the document takes. */
  readonly share: number
  /** By a quarter, a half or three quarters. */
  readonly quarters?: boolean
  /** Whether the table has a strong pattern of its own: a chequered cloth. */
  readonly pattern?: boolean
}

export const levels = {
  clean: { turned: 0, perspective: 0, blur: 0, noise: 1, quality: 92, glare: 0, edge: 1600, share: 0.94 },
  mild: { turned: 3, perspective: 0.02, blur: 0.6, noise: 4, quality: 85, glare: 0, edge: 1600, share: 0.85 },
  medium: {
    turned: 8,
    perspective: 0.05,
    blur: 1,
    noise: 8,
    quality: 75,
    glare: 0.35,
    edge: 1600,
    share: 0.75
  },
  small: { turned: 3, perspective: 0.03, blur: 0.5, noise: 5, quality: 80, glare: 0, edge: 1000, share: 0.8 },
  hard: {
    turned: 18,
    perspective: 0.1,
    blur: 1.4,
    noise: 14,
    quality: 60,
    glare: 0.6,
    edge: 1600,
    share: 0.66
  },
  turned: {
    ...{ turned: 4, perspective: 0.03, blur: 0.7, noise: 5, quality: 80, glare: 0.2, edge: 1600, share: 0.8 },
    quarters: true
  },
  patterned: {
    ...{ turned: 8, perspective: 0.05, blur: 0.8, noise: 6, quality: 80, glare: 0.2, edge: 1600, share: 0.7 },
    pattern: true
  }
} as const satisfies Readonly<Record<string, Level>>

/** Millimetres (ISO/IEC 7810). */
const sizes: Readonly<Record<ZoneFormat, readonly [number, number]>> = {
  TD1: [85.6, 54],
  TD2: [105, 74],
  TD3: [125, 88]
}
/** Pixels a millimetre. */
const scale = 14
const pitch = 2.54

const font = `${import.meta.dirname}/fonts/OCRBS.otf`

/** A line of a zone: dark letters on nothing. */
const lineOfZone = async (line: string): Promise<{ readonly input: Buffer; readonly height: number }> => {
  const text = await sharp({
    text: {
      text: `<span foreground="#141418">${line.replaceAll("<", "&lt;")}</span>`,
      font: "OCRB",
      fontfile: font,
      dpi: 300,
      rgba: true
    }
  })
    .png()
    .toBuffer()
  const { height = 1, width = 1 } = await sharp(text).metadata()
  // The bitmap ends where the ink does: nearly one character less than so many pitches.
  const wanted = Math.round((line.length - 0.22) * pitch * scale)
  const resized = Math.round((height * wanted) / width)
  return {
    input: await sharp(text).resize(wanted, resized, { fit: "fill" }).png().toBuffer(),
    height: resized
  }
}

interface Pixels {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
}

const document = async (
  random: () => number,
  format: ZoneFormat,
  holder: Holder,
  lines: ReadonlyArray<string>
): Promise<Pixels> => {
  const [width, height] = sizes[format].map((side) => Math.round(side * scale)) as [number, number]
  const tint = Array.from({ length: 3 }, () => Math.floor(between(random, 205, 240)))
  const waves = Array.from({ length: 40 }, (_, index) => {
    const [y, depth] = [(index * height) / 40, between(random, 8, 40)]
    const grey = Math.floor(between(random, 170, 215))
    const curve = Array.from(
      { length: 9 },
      (_, part) => `T ${(part * width) / 8} ${y + (part % 2 === 0 ? depth : -depth)}`
    )
    return `<path d="M 0 ${y} Q ${width / 16} ${y - depth} ${width / 16} ${y} ${curve.join(" ")}" fill="none" stroke="rgb(${grey},${grey},${grey + 20})" stroke-width="2"/>`
  })
  const top = height - Math.round((3.5 + 4.233 * lines.length) * scale)
  const words = [
    ["Surname", holder.surname],
    ["Given names", holder.given.replace("<", " ")],
    ["Document No", holder.number]
  ].map(
    ([label, value], index) =>
      `<text x="${width * 0.36}" y="${(9 + 6 * index) * scale}" font-size="${1.7 * scale}" fill="#5a5a78">${label}</text>
      <text x="${width * 0.36}" y="${(11.6 + 6 * index) * scale}" font-size="${2.6 * scale}" fill="#101018">${value}</text>`
  )
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="DejaVu Sans">
    <rect width="100%" height="100%" fill="rgb(${tint.join()})"/>${waves.join("")}
    <rect x="${4 * scale}" y="${8 * scale}" width="${width * 0.25}" height="${height * 0.4}" fill="#aab0b4"/>
    <rect y="${top - 2.5 * scale}" width="100%" height="100%" fill="rgb(${tint.map((value) => value + 8).join()})"/>
    <text x="${4 * scale}" y="${4.5 * scale}" font-size="${2.8 * scale}" fill="#1e285a">UTOPIA</text>${words.join("")}</svg>`
  const zone = await Promise.all(lines.map(lineOfZone))
  const left = Math.round((width - pitch * scale * (lines[0]?.length ?? 0)) / 2)
  const { data, info } = await sharp(Buffer.from(svg))
    .composite(
      // Each line of ink is as high as its highest character, so they stand on one base line.
      zone.map(({ height: inked, input }, row) => ({
        input,
        left,
        top: Math.round(top + (row * 4.233 + 2.8) * scale) - inked
      }))
    )
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

type Point = readonly [number, number]

/** By how much each pixel of a table is brighter: hardly, or by the squares of a cloth that lies at any angle. */
const tableOf = (random: () => number, isPatterned: boolean): ((x: number, y: number) => number) => {
  if (!isPatterned) return (x, y) => 8 * Math.sin(x / 23 + y / 7)
  const [angle, side, contrast] = [
    between(random, 0, Math.PI),
    between(random, 12, 60),
    between(random, 25, 70)
  ]
  const [cos, sin] = [Math.cos(angle) / side, Math.sin(angle) / side]
  return (x, y) =>
    (Math.floor(x * cos + y * sin) + Math.floor(y * cos - x * sin)) % 2 === 0 ? contrast : -contrast
}

/** The matrix that maps the corners of a unit square, clockwise from the left above, to four points. */
const squareTo = ([a, b, c, d]: readonly [Point, Point, Point, Point]): ReadonlyArray<number> => {
  const [sumX, sumY] = [a[0] - b[0] + c[0] - d[0], a[1] - b[1] + c[1] - d[1]]
  const [x1, x2, y1, y2] = [b[0] - c[0], d[0] - c[0], b[1] - c[1], d[1] - c[1]]
  const divisor = x1 * y2 - x2 * y1
  const [g, h] = [(sumX * y2 - x2 * sumY) / divisor, (x1 * sumY - sumX * y1) / divisor]
  return [
    b[0] - a[0] + g * b[0],
    d[0] - a[0] + h * d[0],
    a[0],
    b[1] - a[1] + g * b[1],
    d[1] - a[1] + h * d[1],
    a[1],
    g,
    h,
    1
  ]
}

const inverse = ([a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0]: ReadonlyArray<number>) => [
  e * i - f * h,
  c * h - b * i,
  b * f - c * e,
  f * g - d * i,
  a * i - c * g,
  c * d - a * f,
  d * h - e * g,
  b * g - a * h,
  a * e - b * d
]

/** A photo of a flat thing, lying on a table. */
const photoOf = async (random: () => number, flat: Pixels, level: Level): Promise<Buffer> => {
  const width = level.edge
  const height = level.height ?? Math.round(width * 0.75)
  const size = Math.min((width * level.share) / flat.width, (height * level.share) / flat.height)
  // A picture that is made much smaller loses its finest detail first.
  const reduced = await sharp(flat.data, { raw: { width: flat.width, height: flat.height, channels: 3 } })
    .resize(Math.round(flat.width * Math.min(1, 1.5 * size)))
    .raw()
    .toBuffer({ resolveWithObject: true })
  const source = { data: reduced.data, width: reduced.info.width, height: reduced.info.height }
  const [wide, high] = [flat.width * size, flat.height * size]
  const angle = (between(random, -level.turned, level.turned) * Math.PI) / 180
  const corner = (x: number, y: number): Point => {
    const [dx, dy] = [
      x * wide + between(random, -level.perspective, level.perspective) * wide,
      y * high + between(random, -level.perspective, level.perspective) * high
    ]
    return [
      width / 2 + dx * Math.cos(angle) - dy * Math.sin(angle),
      height / 2 + dx * Math.sin(angle) + dy * Math.cos(angle)
    ]
  }
  const back = inverse(squareTo([corner(-0.5, -0.5), corner(0.5, -0.5), corner(0.5, 0.5), corner(-0.5, 0.5)]))
  const table = Array.from({ length: 3 }, () => between(random, 40, 150))
  const brighter = tableOf(random, level.pattern === true)
  const slope = [between(random, -0.2, 0.2), between(random, -0.2, 0.2)]
  const spot = [between(random, 0.2, 0.8) * width, between(random, 0.25, 0.85) * height]
  const spread = [between(random, 0.05, 0.16) * width, between(random, 0.03, 0.1) * width]
  const light = new Uint8ClampedArray(3 * width * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const divisor = (back[6] ?? 0) * x + (back[7] ?? 0) * y + (back[8] ?? 0)
      const u = ((back[0] ?? 0) * x + (back[1] ?? 0) * y + (back[2] ?? 0)) / divisor
      const v = ((back[3] ?? 0) * x + (back[4] ?? 0) * y + (back[5] ?? 0)) / divisor
      const isInside = u > 0 && v > 0 && u < 1 && v < 1
      const lit = 1 + (slope[0] ?? 0) * (x / width - 0.5) + (slope[1] ?? 0) * (y / height - 0.5)
      const glare =
        level.glare === 0
          ? 0
          : level.glare *
            190 *
            Math.exp(
              -(((x - (spot[0] ?? 0)) / (spread[0] ?? 1)) ** 2) -
                ((y - (spot[1] ?? 0)) / (spread[1] ?? 1)) ** 2
            )
      const at = 3 * (y * width + x)
      if (!isInside) {
        const wave = brighter(x, y)
        for (let channel = 0; channel < 3; channel++)
          light[at + channel] = ((table[channel] ?? 0) + wave) * lit + glare
        continue
      }
      const [sx, sy] = [u * (source.width - 1), v * (source.height - 1)]
      const [left, above] = [Math.floor(sx), Math.floor(sy)]
      const [right, below] = [sx - left, sy - above]
      const [row, nextRow] = [above * source.width, Math.min(source.height - 1, above + 1) * source.width]
      const nextLeft = Math.min(source.width - 1, left + 1)
      const [first, second] = [3 * (row + left), 3 * (row + nextLeft)]
      const [third, fourth] = [3 * (nextRow + left), 3 * (nextRow + nextLeft)]
      for (let channel = 0; channel < 3; channel++) {
        const value =
          ((source.data[first + channel] ?? 0) * (1 - right) + (source.data[second + channel] ?? 0) * right) *
            (1 - below) +
          ((source.data[third + channel] ?? 0) * (1 - right) + (source.data[fourth + channel] ?? 0) * right) *
            below
        light[at + channel] = value * lit + glare
      }
    }
  }
  const camera = sharp(light, { raw: { width, height, channels: 3 } })
  const seen = await (level.blur >= 0.3 ? camera.blur(level.blur) : camera).raw().toBuffer()
  const noisy = new Uint8ClampedArray(seen.length)
  for (let index = 0; index < seen.length; index++) {
    // Nearly normal: the sum of three even ones.
    noisy[index] = (seen[index] ?? 0) + 2 * level.noise * (random() + random() + random() - 1.5)
  }
  const quarter = level.quarters === true ? 90 * oneOf(random, [1, 2, 3]) : 0
  return sharp(Buffer.from(noisy.buffer), { raw: { width, height, channels: 3 } })
    .rotate(quarter)
    .jpeg({ quality: level.quality })
    .toBuffer()
}

/** A photo of a document with a zone, and the lines of the zone. */
export const specimen = async (
  random: () => number,
  format: ZoneFormat,
  level: Level,
  holder: Holder = someHolder(random),
  lines: ReadonlyArray<string> = zoneLines(format, holder)
): Promise<{ readonly photo: Buffer; readonly lines: ReadonlyArray<string>; readonly holder: Holder }> => ({
  photo: await photoOf(random, await document(random, format, holder, lines), level),
  lines,
  holder
})

/** The text in the barcode of a driving licence (AAMVA DL/ID Card Design Standard, 2020, annex D). */
export const licenceText = (random: () => number) => {
  const holder = someHolder(random)
  const day = (text: string, century: string) => `${text.slice(2)}${century}${text.slice(0, 2)}`
  const elements = {
    DAQ: holder.number,
    DCS: holder.surname,
    DAC: holder.given.split("<")[0] ?? "",
    DBB: day(holder.birth, holder.birth > "260000" ? "19" : "20"),
    DBA: day(holder.expiry, "20"),
    DBD: "01022024",
    DBC: "2",
    DAG: "1 SPECIMEN STREET",
    DAI: "UTOPIA",
    DAJ: "VA",
    DAK: "230000000  ",
    DCG: "USA"
  }
  const body = `DL${Object.entries(elements)
    .map(([name, value]) => `${name}${value}\n`)
    .join("")}\r`
  const head = "@\n\u001e\rANSI 636000100002"
  return {
    holder,
    text: `${head}DL${String(41).padStart(4, "0")}${String(body.length).padStart(4, "0")}${body}`
  }
}

/** By default, the library would fetch its binary from a server. */
const loadWriter = () => {
  const path = createRequire(import.meta.url).resolve("zxing-wasm/writer/zxing_writer.wasm")
  prepareZXingModule({ overrides: { wasmBinary: Uint8Array.from(readFileSync(path)).buffer } })
}

/** A photo of a card with a barcode, tilted by so many degrees. A PDF417 takes four fifths of the card's width; the others, a quarter. */
export const barcodePhoto = async (
  random: () => number,
  text: string,
  degrees: number,
  level: Level,
  format: "DataMatrix" | "PDF417" | "QRCode" = "PDF417"
) => {
  loadWriter()
  const { image } = await writeBarcode(text, { format, scale: 4 })
  if (image === null) throw new Error("there is no barcode")
  const width = 1200
  const code = await sharp(await image.arrayBuffer())
    .resize(Math.round((format === "PDF417" ? 0.8 : 0.25) * width), undefined, { kernel: "nearest" })
    .png()
    .toBuffer()
  const { data, info } = await sharp({
    create: { width, height: 757, channels: 3, background: "#e8ecf0" }
  })
    .composite([{ input: code, left: Math.round(0.1 * width), top: 60 }])
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const photo = await photoOf(
    random,
    { data, width: info.width, height: info.height },
    { ...level, turned: 0 }
  )
  return degrees === 0
    ? photo
    : sharp(photo).rotate(degrees, { background: "#606060" }).jpeg({ quality: level.quality }).toBuffer()
}

const [wide, high] = [1600, 1100]

/** Things without a zone and without a barcode, as SVG. */
const drawn = {
  card: (random: () => number) => {
    const words = Array.from({ length: 6 }, (_, row) =>
      [oneOf(random, [surnames[0], ...surnames.slice(1)]), digits(random, 8)].map(
        (word, column) =>
          `<text x="${620 + 480 * column}" y="${330 + 120 * row}" font-size="52">${word}</text>`
      )
    )
    return `<rect width="100%" height="100%" fill="#dfe6ea"/><text x="80" y="140" font-size="90">UTOPIA</text>
      <rect x="80" y="250" width="440" height="600" fill="#b0a8a0"/>${words.flat().join("")}`
  },
  letter: (random: () => number) => {
    const rows = Array.from({ length: 34 }, (_, row) => {
      const words = Array.from({ length: 9 }, () =>
        oneOf(random, [givenNames[0], ...givenNames.slice(1)]).toLowerCase()
      )
      return `<text x="90" y="${70 + 30 * row}" font-size="24">${words.join(" ").replaceAll("<", " ")}</text>`
    })
    return `<rect width="100%" height="100%" fill="#fafaf7"/>${rows.join("")}`
  },
  shirt: (random: () => number) => {
    const apart = between(random, 8, 16)
    const stripes = Array.from(
      { length: 90 },
      (_, index) => `<rect x="${350 + index * apart}" y="800" width="${apart / 2}" height="300" fill="#234"/>`
    )
    return `<rect width="100%" height="100%" fill="#8fa3b0"/><rect x="350" y="800" width="900" height="300" fill="#dde"/>
      ${stripes.join("")}<ellipse cx="800" cy="480" rx="260" ry="340" fill="#c99b7d"/>
      <ellipse cx="700" cy="420" rx="36" ry="20"/><ellipse cx="900" cy="420" rx="36" ry="20"/>
      <path d="M 700 640 Q 800 700 900 640" fill="none" stroke="#733" stroke-width="16"/>`
  },
  cloth: (random: () => number) => {
    const apart = between(random, 14, 40)
    const lines = Array.from({ length: 120 }, (_, index) => {
      const grey = Math.floor(between(random, 30, 160))
      return `<path d="M 0 ${index * apart} H ${wide} M ${index * apart} 0 V ${high}" stroke="rgb(${grey},${grey},60)" stroke-width="${apart / 3}"/>`
    })
    return `<rect width="100%" height="100%" fill="#ccc"/>${lines.join("")}`
  }
}

export type OtherThing = keyof typeof drawn

/** A photo in which there is nothing to read: the front of a card, a letter, a person in a striped shirt, or a checked cloth. */
export const otherPhoto = async (random: () => number, thing: OtherThing, level: Level): Promise<Buffer> => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${high}" font-family="DejaVu Sans">${drawn[thing](random)}</svg>`
  const { data, info } = await sharp(Buffer.from(svg))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return photoOf(random, { data, width: info.width, height: info.height }, level)
}

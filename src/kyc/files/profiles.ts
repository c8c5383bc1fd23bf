/** A drawn picture without what is kept beside its pixels: a colour profile has names, dates and any bytes of its maker. */

/** JPEG (ITU T.81, Annex B): all segments of applications and comments go, up to the first scan. */
const bareJpeg = (file: Buffer): Buffer => {
  const kept = [file.subarray(0, 2)]
  let at = 2
  while (at + 4 <= file.length && file.readUInt8(at + 1) !== 0xda) {
    const marker = file.readUInt8(at + 1)
    const end = at + 2 + file.readUInt16BE(at + 2)
    // JFIF's own, and Adobe's, which says how colours are written.
    if (marker === 0xe0 || marker === 0xee || (marker < 0xe0 && marker !== 0xfe)) {
      kept.push(file.subarray(at, end))
    }
    at = end
  }
  return Buffer.concat([...kept, file.subarray(at)])
}

const pngChunks = new Set(["IHDR", "PLTE", "tRNS", "IDAT", "IEND"])

/** PNG (W3C), section 5.3. */
const barePng = (file: Buffer): Buffer => {
  const kept = [file.subarray(0, 8)]
  for (let at = 8; at + 12 <= file.length; ) {
    const end = at + 12 + file.readUInt32BE(at)
    if (pngChunks.has(file.toString("latin1", at + 4, at + 8))) kept.push(file.subarray(at, end))
    at = end
  }
  return Buffer.concat(kept)
}

/** WebP (RFC 9649, section 2.7): the flags of the header say which chunks there are. */
const bareWebp = (file: Buffer): Buffer => {
  const kept = [Buffer.from(file.subarray(0, 12))]
  for (let at = 12; at + 8 <= file.length; ) {
    const length = file.readUInt32LE(at + 4)
    const end = at + 8 + length + (length % 2)
    const type = file.toString("latin1", at, at + 4)
    const chunk = Buffer.from(file.subarray(at, end))
    // Transparency alone is left: profile, Exif data and XMP are gone.
    if (type === "VP8X") chunk.writeUInt8(chunk.readUInt8(8) & 0x10, 8)
    if (["VP8X", "VP8 ", "VP8L", "ALPH"].includes(type)) kept.push(chunk)
    at = end
  }
  const copy = Buffer.concat(kept)
  copy.writeUInt32LE(copy.length - 8, 4)
  return copy
}

/** The picture and nothing else. Its colours are then taken for sRGB. */
export const withoutProfile = (file: Buffer, type: "image/jpeg" | "image/png" | "image/webp"): Buffer => {
  switch (type) {
    case "image/jpeg":
      return bareJpeg(file)
    case "image/png":
      return barePng(file)
    case "image/webp":
      return bareWebp(file)
  }
}

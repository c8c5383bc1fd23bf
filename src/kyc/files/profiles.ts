/**
 * Removes everything but the pixels from a re-encoded picture. A colour profile can have names, dates and
 * arbitrary bytes of its author.
 */

/** JPEG (ITU T.81, Annex B): removes application and comment segments before the first scan. */
const bareJpeg = (file: Buffer): Buffer => {
  const kept = [file.subarray(0, 2)]
  let at = 2
  while (at + 4 <= file.length && file.readUInt8(at + 1) !== 0xda) {
    const marker = file.readUInt8(at + 1)
    const end = at + 2 + file.readUInt16BE(at + 2)
    // Keep JFIF's segment, and Adobe's, which says how colours are encoded.
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

/** WebP (RFC 9649, section 2.7): the header's flags say which chunks exist. */
const bareWebp = (file: Buffer): Buffer => {
  const kept = [Buffer.from(file.subarray(0, 12))]
  for (let at = 12; at + 8 <= file.length; ) {
    const length = file.readUInt32LE(at + 4)
    const end = at + 8 + length + (length % 2)
    const type = file.toString("latin1", at, at + 4)
    const chunk = Buffer.from(file.subarray(at, end))
    // Only the transparency flag stays; the profile, Exif data and XMP are removed.
    if (type === "VP8X") chunk.writeUInt8(chunk.readUInt8(8) & 0x10, 8)
    if (["VP8X", "VP8 ", "VP8L", "ALPH"].includes(type)) kept.push(chunk)
    at = end
  }
  const copy = Buffer.concat(kept)
  copy.writeUInt32LE(copy.length - 8, 4)
  return copy
}

/** The picture alone. Without a profile, readers assume sRGB. */
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

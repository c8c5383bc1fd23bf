/** The chunks of a PNG (W3C, section 5.3) or a WebP (RFC 9649, section 2.3); the last may be truncated. */
export function* chunksOf(file: Buffer, type: "image/png" | "image/webp") {
  const isPng = type === "image/png"
  for (let at = isPng ? 8 : 12; at + 8 <= file.length; ) {
    const [length, typeAt] = isPng ? [file.readUInt32BE(at), at + 4] : [file.readUInt32LE(at + 4), at]
    // A checksum follows each PNG chunk; WebP chunks are padded to an even length.
    const end = at + 8 + length + (isPng ? 4 : length % 2)
    yield {
      type: file.toString("latin1", typeAt, typeAt + 4),
      data: file.subarray(at + 8, at + 8 + length),
      // With its header, and its checksum or padding.
      whole: file.subarray(at, end)
    }
    at = end
  }
}

/** The number of scans in a JPEG (ITU T.81, Annex B). A progressive JPEG may have any number. */
export const scansOf = (file: Buffer): number => {
  let scans = 0
  for (let at = file.indexOf(0xff, 2); at !== -1 && at + 1 < file.length; at = file.indexOf(0xff, at)) {
    at++
    const marker = file.readUInt8(at)
    // Skip fill bytes, escaped picture bytes and markers without a segment.
    if (marker === 0xff) continue
    at++
    if (marker <= 1 || (marker >= 0xd0 && marker <= 0xd8)) continue
    if (marker === 0xd9) break
    if (marker === 0xda) scans++
    if (at + 2 > file.length) break
    at += Math.max(2, file.readUInt16BE(at))
  }
  return scans
}

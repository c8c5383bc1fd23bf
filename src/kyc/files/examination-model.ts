/** What the process that examines a file ends with. */
export const exits = {
  /** The file is fit to be kept; of an image there is a copy. */
  fit: 0,
  /** It is not what its first bytes say, or breaks off. */
  unreadable: 10,
  tooManyPixels: 11,
  /** A PDF that can act, or cannot be looked into. */
  unsafe: 12,
  outOfTime: 13
} as const

/** Width times height at most: 67 megapixels, more than phones take at once. */
export const mostPixels = 67_108_864

/**
 * Bytes of memory that the process which examines a file may have, 896 MiB. The largest picture takes 810 (a progressive JPEG of four
 * colours), as `docs/operations.md` says.
 */
export const mostBytes = 939_524_096

/** Bytes of a file, and of the copy of an image, at most: 20 MiB, whatever an instance's config says. What reads any file reads any copy. */
export const hardMaxBytes = 20_971_520

/** Pixels of a copy that would have too many bytes with more: at 4 bytes each, they are no more than a copy may have. */
export const fewPixels = 5_000_000

/** Pixels of the copy of a WebP at most: to code 67 megapixels of noise takes half a minute and more than a gigabyte. */
export const mostWebpPixels = 16_777_216

/** Milliseconds of a processor's time that the examination of one file may take. The largest picture takes 8 seconds at worst. */
export const mostMillis = 12_000

/** Milliseconds that it may last, on a machine that is busy with other things. */
export const longestMillis = 120_000

/** How often a JPEG may go over its picture, which costs as much each time. Cameras and editors do so a dozen times at most. */
export const mostScans = 100

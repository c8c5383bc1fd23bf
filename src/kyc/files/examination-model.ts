/** The exit codes of the process that examines a file. */
export const exits = {
  /** The file can be stored; if it is an image, its copy has been written. */
  fit: 0,
  /** The content does not match the type of its first bytes, or it is truncated. */
  unreadable: 10,
  tooManyPixels: 11,
  /** A PDF that could act, or that cannot be inspected. */
  unsafe: 12,
  outOfTime: 13
} as const

/** The largest width times height: 67 megapixels, more than a phone camera takes at once. */
export const mostPixels = 67_108_864

/** Memory, 896 MiB: a progressive JPEG with four colour components takes 810 MiB (`docs/operations.md`). */
export const mostBytes = 939_524_096

/** 20 MiB for a file and for a copy, so a client that can read any file can read any copy. */
export const hardMaxBytes = 20_971_520

/** Pixels of a copy whose first version exceeded the byte limit: at 4 bytes each, they stay within it. */
export const fewPixels = 5_000_000

/** The most pixels of a WebP copy. Encoding 67 megapixels of noise takes half a minute and over a gigabyte. */
export const mostWebpPixels = 16_777_216

/** CPU time per file, in milliseconds. The slowest accepted picture takes 8 seconds. */
export const mostMillis = 12_000

/** The longest that an examination may take on a busy machine, in milliseconds of wall-clock time. */
export const longestMillis = 120_000

/** The most scans in a JPEG; each scan costs the same. Cameras and editors write a dozen at most. */
export const mostScans = 100

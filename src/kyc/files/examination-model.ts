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

/**
 * The most memory, in bytes, that the examining process may use: 896 MiB. The most demanding picture, a
 * progressive JPEG with four colour components, takes 810 MiB (see `docs/operations.md`).
 */
export const mostBytes = 939_524_096

/**
 * The largest file, and the largest copy of an image, in bytes: 20 MiB, whatever an instance's config allows.
 * A client that can read any file can read any copy.
 */
export const hardMaxBytes = 20_971_520

/**
 * The most pixels of a copy whose first version exceeded the byte limit. At 4 bytes per pixel, such a copy
 * stays within the limit.
 */
export const fewPixels = 5_000_000

/**
 * The most pixels in the copy of a WebP: encoding 67 megapixels of noise takes half a minute and more than a
 * gigabyte.
 */
export const mostWebpPixels = 16_777_216

/**
 * The most CPU time, in milliseconds, for examining one file. The slowest accepted picture takes 8 seconds.
 */
export const mostMillis = 12_000

/** The longest that an examination may take on a busy machine, in milliseconds of wall-clock time. */
export const longestMillis = 120_000

/** The most scans in a JPEG; each scan costs the same. Cameras and editors write a dozen at most. */
export const mostScans = 100

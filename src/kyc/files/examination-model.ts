/** The exit codes of the process that examines an image. */
export const exits = {
  /** The image can be stored; its copy has been written. */
  fit: 0,
  /** The content does not match the type of its first bytes, or it is truncated. */
  unreadable: 10,
  tooManyPixels: 11,
  outOfTime: 12
} as const

/** Width times height of an image: 67 megapixels, more than a phone camera takes. */
export const maxPixels = 67_108_864

/** 896 MiB: a progressive JPEG with four colour components takes 810 MiB (`docs/operations.md`). */
export const maxMemoryBytes = 939_524_096

/** 20 MiB for a file and for a copy, so a client that can read any file can read any copy. */
export const maxFileBytes = 20_971_520

/** For a copy that exceeded `maxFileBytes` in full size: at 4 bytes per pixel, it stays within the limit. */
export const reducedPixels = 5_000_000

/** The most pixels of a WebP copy. Encoding 67 megapixels of noise takes half a minute and over a gigabyte. */
export const maxWebpPixels = 16_777_216

/** CPU time per file. The slowest accepted image takes 8 seconds. */
export const maxCpuMillis = 12_000

/** Scans in a JPEG, which all cost the same. Cameras and editors write at most a dozen. */
export const maxScans = 100

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

/** Width times height at most: 67 megapixels, more than phones take at once. In memory each is four bytes, twice while it is turned: 512 MiB. */
export const mostPixels = 67_108_864

/** Milliseconds of a processor's time that the examination of one file may take. */
export const mostMillis = 8000

/** Milliseconds that it may last, on a machine that is busy with other things. */
export const longestMillis = 120_000

/** How often a JPEG may go over its picture, which costs as much each time. Cameras and editors do so a dozen times at most. */
export const mostScans = 100

/** Each is as likely as any other, and two digits are read and typed without a mistake. */
const least = 10
const count = 90

/** The largest multiple of `count` in a byte; what lies above would favour the first codes. */
const evenly = 180

/** A number of two digits that nobody can foresee: a guess is right once in 90 times, and there is one guess. */
export const newMatchingCode = (): string => {
  for (;;) {
    const [byte = evenly] = crypto.getRandomValues(new Uint8Array(1))
    if (byte < evenly) return String(least + (byte % count))
  }
}

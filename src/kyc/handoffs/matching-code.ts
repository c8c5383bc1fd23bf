/** All codes are equally likely, and two digits are easy to read and type correctly. */
const least = 10
const count = 90

/** The largest multiple of `count` in a byte; larger values would favour the first codes. */
const evenly = 180

/** An unpredictable two-digit number: a guess is right once in 90 times, and there is only one guess. */
export const newMatchingCode = (): string => {
  for (;;) {
    const [byte = evenly] = crypto.getRandomValues(new Uint8Array(1))
    if (byte < evenly) return String(least + (byte % count))
  }
}

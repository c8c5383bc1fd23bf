/** What several readings of a document agree on: one alone may be wrong. */
import type { Answer, Fields } from "./messages.ts"

/** So many readings say the same. */
const needed = 2

const names: ReadonlyArray<keyof Fields> = [
  "number",
  "country",
  "expiry",
  "familyName",
  "givenName",
  "dateOfBirth",
  "nationality",
  "zone"
]

export const votes = () => {
  const seen: Array<Answer> = []

  const agreed = (): Fields =>
    Object.fromEntries(
      names.flatMap((name) => {
        // The latest first, in case that another document is shown now.
        const value = seen
          .toReversed()
          .map(({ fields }) => fields[name])
          .find(
            (one) => seen.filter(({ fields }) => one !== undefined && fields[name] === one).length >= needed
          )
        return value === undefined ? [] : [[name, value]]
      })
    )

  return {
    add: (answer: Answer) => void seen.push(answer),
    agreed,
    /** Whether two readings that are right as a whole are the same: then more would say nothing new. */
    isDecided: () => {
      const whole = seen.filter((answer) => answer.whole).map(({ fields }) => JSON.stringify(fields))
      return new Set(whole).size < whole.length
    },
    /** What can be said if no other reading follows: the last one counts alone if it is right as a whole. */
    finally: (): Fields => {
      const last = seen.at(-1)
      return { ...(last?.whole === true ? last.fields : undefined), ...agreed() }
    }
  }
}

/**
 * A random number in the browser, by which the server counts sessions of one instance from the same browser (docs/privacy.md). Each instance
 * has another one. Only for instances that ask for it, and never in a frame of another page, where browsers keep separate storage for each site.
 */
import { number, object, parse, text } from "../../json.ts"
import { framed } from "../screens/surroundings.ts"
import { hex } from "../sha256.ts"

const prefix = "kyc:browser:"

/** In milliseconds. The server deletes its hash after as many days. */
const life = 30 * 24 * 3_600_000

/** None if its time is over, if it was stored while the clock was wrong, or if the server would refuse it. */
const read = (name: string) => {
  const { mark: stored, until } = object(parse(localStorage.getItem(name) ?? ""))
  const [mark, left] = [text(stored), (number(until) ?? 0) - Date.now()]
  return mark !== undefined && /^[0-9a-f]{32}$/.test(mark) && left > 0 && left <= life ? mark : undefined
}

/** Marks of all instances whose time is over. */
const removeOld = () => {
  for (const name of Object.keys(localStorage)) {
    if (name.startsWith(prefix) && read(name) === undefined) localStorage.removeItem(name)
  }
}

/**
 * The mark for this instance, made if there is none.
 * @param isWanted whether the instance asks for it; if not, a mark from before is removed
 */
export const browserMark = (instance: string, isWanted: boolean): string | undefined => {
  try {
    removeOld()
    const name = prefix + instance
    if (!isWanted || framed()) {
      if (!isWanted) localStorage.removeItem(name)
      return undefined
    }
    const known = read(name)
    if (known !== undefined) return known
    const mark = hex(crypto.getRandomValues(new Uint8Array(16)))
    localStorage.setItem(name, JSON.stringify({ mark, until: Date.now() + life }))
    return mark
  } catch {
    // Storage is blocked: nothing is kept.
    return undefined
  }
}

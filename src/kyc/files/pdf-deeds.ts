/** What the objects of a PDF do, and which of that happens by itself. */
import { isDictionary, isList, unsafe, type Value, valuesOf } from "./pdf-values.ts"

/** No honest file comes near this. */
const mostObjects = 250_000

/** What happens when an object is used as an action, or as a list or a dictionary of actions. */
interface Deed {
  opensAddress: boolean
  /** Whether it can be an action, or lead to one: a dictionary that does not say what it does is a page. */
  mayAct: boolean
  /** The numbers of the objects that come next. */
  readonly next: Array<number>
  /** The numbers of objects that are pages to go to, unless they can act. */
  readonly pages: Array<number>
}

/** Adds to the deed what the object does as an action. */
export const follow = (value: Value, deed: Deed): void => {
  if ("reference" in value) deed.next.push(value.reference)
  if (!isList(value)) return
  const kinds = isDictionary(value) ? valuesOf(value, "S") : []
  if (kinds.some((kind) => !("name" in kind) || kind.name === "URI")) deed.opensAddress = true
  const [first, second] = value.items
  // A place to go to is a page and then a name. As a list of actions it begins with what is no page.
  const isPlace = !isDictionary(value) && second !== undefined && "name" in second
  if (isPlace && first !== undefined && "reference" in first) deed.pages.push(first.reference)
  for (const item of kinds.length > 0 ? valuesOf(value, "Next") : value.items.slice(isPlace ? 1 : 0)) {
    follow(item, deed)
  }
}

/** All that the file does, and what it does by itself. */
export interface Deeds {
  readonly byItself: Deed
  readonly byNumber: Map<number, Deed>
}

export const noDeed = (): Deed => ({ opensAddress: false, mayAct: false, next: [], pages: [] })

export const remember = ({ byNumber }: Deeds, number: number | undefined, value: Value): void => {
  const deed = (number === undefined ? undefined : byNumber.get(number)) ?? noDeed()
  follow(value, deed)
  if (!isDictionary(value) || valuesOf(value, "S").length > 0) deed.mayAct = true
  if (number !== undefined) byNumber.set(number, deed)
  // Of which object it is one cannot be told: it may be one that is used by itself.
  else if (deed.opensAddress && isDictionary(value) && valuesOf(value, "S").length > 0) unsafe()
  if (byNumber.size > mostObjects) unsafe()
}

export const refuseAddresses = ({ byItself, byNumber }: Deeds): void => {
  if (byItself.opensAddress) unsafe()
  const reached = new Set<number>()
  const reach = ({ next, pages }: Deed) => {
    for (const number of next) reached.add(number)
    for (const number of pages) if (byNumber.get(number)?.mayAct) reached.add(number)
  }
  reach(byItself)
  // A set is gone through to what was added on the way.
  for (const number of reached) {
    const deed = byNumber.get(number)
    if (deed?.opensAddress) unsafe()
    if (deed !== undefined) reach(deed)
  }
}

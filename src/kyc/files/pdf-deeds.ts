/** Records which actions the objects of a PDF perform, and which run by themselves. */
import { isDictionary, isList, unsafe, type Value, valuesOf } from "./pdf-values.ts"

/** More objects than any honest file has. */
const mostObjects = 250_000

/** What happens if a reader uses an object as an action, or as a list or dictionary of actions. */
interface Deed {
  opensAddress: boolean
  /** Can be an action or lead to one. A dictionary without an action type (`S`) counts as a page. */
  mayAct: boolean
  /** The numbers of the objects used next. */
  readonly next: Array<number>
  /** The numbers of objects that are destination pages, unless they may act. */
  readonly pages: Array<number>
}

export const follow = (value: Value, deed: Deed): void => {
  if ("reference" in value) deed.next.push(value.reference)
  if (!isList(value)) return
  const kinds = isDictionary(value) ? valuesOf(value, "S") : []
  if (kinds.some((kind) => !("name" in kind) || kind.name === "URI")) deed.opensAddress = true
  const [first, second] = value.items
  // A destination is a page followed by a name. A list of actions does not begin with a page.
  const isPlace = !isDictionary(value) && second !== undefined && "name" in second
  if (isPlace && first !== undefined && "reference" in first) deed.pages.push(first.reference)
  for (const item of kinds.length > 0 ? valuesOf(value, "Next") : value.items.slice(isPlace ? 1 : 0)) {
    follow(item, deed)
  }
}

/** What every numbered object does, and what runs by itself. */
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
  // The object's number is unknown, so it may be one that runs by itself.
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
  // Iterating a set includes the entries that are added on the way.
  for (const number of reached) {
    const deed = byNumber.get(number)
    if (deed?.opensAddress) unsafe()
    if (deed !== undefined) reach(deed)
  }
}

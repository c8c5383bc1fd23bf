/** What the objects of a PDF do, and which of that happens by itself. */
import { isDictionary, isList, unsafe, type Value, valuesOf } from "./pdf-values.ts"

/** No honest file comes near this. */
const mostObjects = 250_000

/** What happens when an object is used as an action, or as a list or a dictionary of actions. */
interface Deed {
  opensAddress: boolean
  /** The numbers of the objects that come next. */
  readonly next: Array<number>
}

/** Adds to the deed what the object does as an action. */
export const follow = (value: Value, deed: Deed): void => {
  if ("reference" in value) deed.next.push(value.reference)
  else if (isDictionary(value)) {
    const kinds = valuesOf(value, "S")
    if (kinds.some((kind) => !("name" in kind) || kind.name === "URI")) deed.opensAddress = true
    for (const item of kinds.length > 0 ? valuesOf(value, "Next") : value.items) follow(item, deed)
  } else if (
    // A place to go to has a page and then a name.
    isList(value) &&
    value.items.every((item) => "reference" in item || isDictionary(item))
  )
    for (const item of value.items) follow(item, deed)
}

/** All that the file does, and what it does by itself. */
export interface Deeds {
  readonly byItself: Deed
  readonly byNumber: Map<number, Deed>
}

export const noDeed = (): Deed => ({ opensAddress: false, next: [] })

export const remember = ({ byNumber }: Deeds, number: number | undefined, value: Value): void => {
  const deed = (number === undefined ? undefined : byNumber.get(number)) ?? noDeed()
  follow(value, deed)
  if (number !== undefined) byNumber.set(number, deed)
  // Of which object it is one cannot be told: it may be one that is used by itself.
  else if (deed.opensAddress && isDictionary(value) && valuesOf(value, "S").length > 0) unsafe()
  if (byNumber.size > mostObjects) unsafe()
}

export const refuseAddresses = ({ byItself, byNumber }: Deeds): void => {
  if (byItself.opensAddress) unsafe()
  const reached = new Set(byItself.next)
  // A set is gone through to what was added on the way.
  for (const number of reached) {
    const deed = byNumber.get(number)
    if (deed?.opensAddress) unsafe()
    for (const next of deed?.next ?? []) reached.add(next)
  }
}

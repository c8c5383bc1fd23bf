/** What the user last opened by the search, in this tab. */

/** Nothing of an end user: a session is stored by its id alone. */
export interface Recent {
  readonly title: string
  readonly detail: string
  readonly address: string
}

const prefix = "palette-"

const storageKey = (userId: string): string => prefix + userId

const most = 6

const isRecent = (entry: unknown): entry is Recent =>
  typeof entry === "object" &&
  entry !== null &&
  ["title", "detail", "address"].every((name) => typeof Reflect.get(entry, name) === "string")

/** The newest first; none if the tab's storage is blocked, or was written by another version. */
export const recentOf = (userId: string): ReadonlyArray<Recent> => {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(storageKey(userId)) ?? "[]")
    return Array.isArray(stored) ? stored.filter(isRecent) : []
  } catch {
    return []
  }
}

export const remember = (userId: string, { address, detail, title }: Recent): void => {
  const others = recentOf(userId).filter((known) => known.address !== address)
  try {
    sessionStorage.setItem(
      storageKey(userId),
      JSON.stringify([{ title, detail, address }, ...others].slice(0, most))
    )
  } catch {
    // Then the search begins without them.
  }
}

/** Of all users: whoever signs in to this tab next must not read the names. */
export const forgetRecent = (): void => {
  try {
    for (const name of Object.keys(sessionStorage)) {
      if (name.startsWith(prefix)) sessionStorage.removeItem(name)
    }
  } catch {
    // Then there are none.
  }
}

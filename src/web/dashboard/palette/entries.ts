/** What the search finds. The server decides who may read what; this leaves out the pages that a role does not see. */
import { type SearchEntry, search } from "../../reference/search.ts"
import { useMayWrite } from "../common/account.ts"
import { doorlock, failureOf } from "../common/call.ts"
import type { NavigationEntry } from "../common/page.ts"
import { reviewPath } from "../kyc/reviews/review-state.tsx"
import { sessionPath } from "../kyc/sessions/session-state.tsx"
import type { Recent } from "./recent.ts"

export interface Entry extends Recent {
  readonly group: string
  /** Also looked through, but not shown. */
  readonly words?: string
  /** What to remember of an end user's session in place of its reference. */
  readonly remembered?: Recent
}

/** The address of the action that is no page. */
export const signOutAddress = "#sign-out"

const entry = (group: string, title: string, detail: string, address: string, words = ""): Entry => ({
  group,
  title,
  detail,
  address,
  words
})

const segment = encodeURIComponent

const actions = [
  entry("Actions", "Create an API key", "", "/dashboard/keys/new", "new token"),
  entry("Actions", "Create an instance", "", "/dashboard/instances/new", "new kyc verification"),
  entry("Actions", "Add a webhook endpoint", "", "/dashboard/webhooks/new", "new")
]

const signOut = entry("Actions", "Sign out", "", signOutAddress, "log out logout leave")

/** A list whose entries are loaded when the search opens. */
export type Source = (signal: AbortSignal) => Promise<ReadonlyArray<Entry>>

const keys: Source = async (signal) => {
  const { apiKeys } = await doorlock.apiKeys.list({}, { signal })
  return apiKeys.map(({ id, name, token_prefix }) =>
    entry("API keys", name, `${token_prefix}…`, `/dashboard/keys?key=${segment(id)}`, id)
  )
}

const instances: Source = async (signal) => {
  const { instances } = await doorlock.instances.list({ signal })
  return instances.map(({ id, name, public_key }) =>
    entry("Instances", name, public_key, `/dashboard/instances/${segment(id)}`, id)
  )
}

const ownApis: Source = async (signal) => {
  try {
    const { apis } = await doorlock.publishing.listApis({ signal })
    return apis.map(({ id, name, publisher_slug, slug }) =>
      entry("Your APIs", name, `${publisher_slug}/${slug}`, `/dashboard/publishing/${segment(id)}`, id)
    )
  } catch (cause) {
    // The company is no publisher.
    if (failureOf(cause).status === 404) return []
    throw cause
  }
}

const catalog: Source = async (signal) => {
  const { apis } = await doorlock.catalog.list({ limit: 100 }, { signal })
  return apis.map(({ description, id, name, publisher_slug, slug }) =>
    entry(
      "Marketplace",
      name,
      `${publisher_slug}/${slug}`,
      `/dashboard/marketplace/${segment(id)}`,
      `${id} ${description}`
    )
  )
}

const docs: Source = async (signal) => {
  const response = await fetch("/docs/assets/search.json", { signal })
  if (!response.ok) throw new Error("The index of the docs was not found")
  // The same server wrote it.
  const index: ReadonlyArray<SearchEntry> = await response.json()
  return index.map(([title, method, path, address, group, words]) =>
    entry("Docs", title, path === "" ? group : `${method} ${path}`, address, `${group} ${words}`)
  )
}

/** What the user may open at once, and the lists that are still to be loaded. `seen` are the entries of the user's navigation. */
export const useEntries = (
  seen: ReadonlyArray<NavigationEntry>
): {
  readonly actions: ReadonlyArray<Entry>
  readonly pages: ReadonlyArray<Entry>
  readonly sources: ReadonlyArray<Source>
} => {
  const mayWrite = useMayWrite()
  const sees = (address: string) => seen.some(({ pages }) => pages.some((page) => page.address === address))
  const loaded: ReadonlyArray<readonly [address: string, source: Source]> = [
    ["/dashboard/keys", keys],
    ["/dashboard/instances", instances],
    ["/dashboard/publishing", ownApis],
    ["/dashboard/marketplace", catalog]
  ]
  return {
    actions: [...(mayWrite ? actions.filter(({ address }) => sees(address)) : []), signOut],
    pages: seen.map(({ group, label, pages }) => entry("Pages", label, group, pages[0].address)),
    sources: [...loaded.filter(([address]) => sees(address)).map(([, source]) => source), docs]
  }
}

const looksLikeId = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const hasSecret = /\b(dlk|dls|dli|dk_live|dk_test|kyc_sess|whsec)_|token=/

const sessionEntries = (id: string, reference: string | null, isReviewed: boolean): ReadonlyArray<Entry> => {
  const found = (group: string, title: string, address: string) => ({
    ...entry(group, reference ?? title, id, address),
    remembered: { title, detail: id, address }
  })
  return [
    ...(isReviewed ? [found("Reviews", "Review", reviewPath(id))] : []),
    found("Sessions", "Session", sessionPath(id))
  ]
}

/** Sessions with exactly this id or external reference, and their reviews that wait. */
export const findSessions = async (query: string, signal: AbortSignal): Promise<ReadonlyArray<Entry>> => {
  // A pasted key, token or link must not get into a log of addresses.
  if (query === "" || Array.from(query).length > 255 || hasSecret.test(query)) return []
  if (looksLikeId.test(query)) {
    try {
      const { review } = await doorlock.reviews.get(query, { signal })
      const waits = review?.status === "pending" || review?.status === "proposed"
      return sessionEntries(query, review?.external_reference ?? null, waits)
    } catch (cause) {
      if (failureOf(cause).status !== 404) throw cause
    }
  }
  const { sessions } = await doorlock.sessions.list({ externalReference: query, limit: 5 }, { signal })
  return sessions.flatMap(({ external_reference, id, review }) =>
    sessionEntries(id, external_reference, review?.status === "pending" || review?.status === "proposed")
  )
}

/** How many of a group are shown. */
const mostOfGroup = 6

/** The entries that match, the best first, and those of a group together. A pasted key is found by the part of it that is known. */
export const matching = (entries: ReadonlyArray<Entry>, query: string): ReadonlyArray<Entry> => {
  const byAddress = new Map(entries.map((known) => [known.address, known]))
  const found = hasSecret.test(query)
    ? entries.filter(({ detail }) => {
        const known = detail.slice(0, -1)
        return detail.endsWith("…") && (query.startsWith(known) || known.startsWith(query))
      })
    : search(
        entries.map(({ address, detail, group, title, words = "" }) => [
          title,
          "",
          detail,
          address,
          group,
          words
        ]),
        query
      ).flatMap(([, , , address]) => byAddress.get(address) ?? [])
  return [...Map.groupBy(found, ({ group }) => group).values()].flatMap((group) =>
    group.slice(0, mostOfGroup)
  )
}

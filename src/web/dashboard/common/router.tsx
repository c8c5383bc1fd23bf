/**
 * Routing by the address bar. `preact-iso` and `wouter-preact` are twice as large, and neither asks before the
 * browser's "back" discards unsaved input, which is most of this file.
 */
import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import { createStore, useStore } from "../../ui/store.ts"
import { isolated } from "./isolated.tsx"
import { enterPlace, leavePlace, returnToPlace, wasAt } from "./places.ts"

interface Location {
  readonly path: string
  readonly query: URLSearchParams
}

const here = (): Location => ({
  // A trailing slash makes no difference.
  path: location.pathname.replace(/(?<=.)\/+$/, ""),
  query: new URLSearchParams(location.search)
})

const current = createStore<Location>(here())

export const useLocation = (): Location => useStore(current)

/** Asks whether to leave a page with unsaved input; true if the user agrees. */
type Guard = () => Promise<boolean>

const guards = new Set<Guard>()

/** The position of this page in the tab's history, to return to it if the user stays. */
let position = Number(history.state?.position ?? 0)

enterPlace(position, here().path)

/** Whether the page has no unsaved input, or the user agrees to lose it. */
export const mayLeave = async (): Promise<boolean> => {
  for (const guard of guards) if (!(await guard())) return false
  return true
}

const arrive = (): void => {
  current.set(here())
}

/** What a page at a path needs before it is shown. */
interface Preparation {
  /** Resolves when the page can be shown, or shows itself why it cannot. */
  readonly prepare: (path: string) => Promise<unknown>
  readonly prefetch: (path: string) => void
}

let preparation: Preparation = { prepare: async () => undefined, prefetch: () => undefined }

/** Called once, by the list of pages. */
export const preparePages = (given: Preparation): void => {
  preparation = given
}

/** Of several pages that the user asked for, the last one is shown. */
let asked = 0

const preparing = createStore({ isUnderWay: false })

/** Whether the page that the user asked for cannot be shown yet. */
export const useIsPreparing = (): boolean => useStore(preparing).isUnderWay

/** Until the page at the path can be shown, the one before it stays. False: the user went elsewhere meanwhile. */
const prepared = async (path: string): Promise<boolean> => {
  asked += 1
  const own = asked
  preparing.set({ isUnderWay: true })
  await preparation.prepare(path)
  if (own !== asked) return false
  preparing.set({ isUnderWay: false })
  return true
}

/** Goes to an address of the dashboard. Asks before unsaved input is lost, unless the user has already `agreed`. */
export const navigate = async (to: string, { agreed = false, replace = false } = {}): Promise<void> => {
  if (!agreed && !(await mayLeave())) return
  if (!(await prepared(new URL(to, location.href).pathname))) return
  leavePlace(to)
  if (replace) history.replaceState({ position }, "", to)
  else {
    position += 1
    history.pushState({ position }, "", to)
  }
  enterPlace(position, here().path)
  arrive()
}

/** Goes to the page above this one: back, if the user came from there, so that it is as they left it. */
const goUp = (to: string): void => {
  if (wasAt(position - 1, new URL(to, location.href).pathname)) history.back()
  else void navigate(to)
}

/** Changes the page's query, so that filters and tabs can be linked to. Adds no history entry. */
export const setQuery = (change: Readonly<Record<string, string | undefined>>): void => {
  const url = new URL(location.href)
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined || value === "") url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  history.replaceState(history.state, "", url)
  arrive()
}

/** Whether the page itself is moving in the history. */
let returning = false

addEventListener("popstate", async () => {
  if (returning) {
    returning = false
    return
  }
  const target = Number(history.state?.position ?? 0)
  const steps = target - position
  if (guards.size === 0 || steps === 0) {
    position = target
    if (!(await prepared(location.pathname))) return
    leavePlace()
    returnToPlace(position, here().path)
    arrive()
    return
  }
  // The browser has already left: go back to the page with the input first, then ask.
  returning = true
  history.go(-steps)
  if (!(await mayLeave())) return
  guards.clear()
  history.go(steps)
})

/** Asks before the user leaves a `dirty` page; before the tab is closed or reloaded, the browser asks. */
export const useGuard = (dirty: boolean, guard: Guard): void => {
  useEffect(() => {
    if (!dirty) return undefined
    const beforeUnload = (event: BeforeUnloadEvent) => event.preventDefault()
    guards.add(guard)
    addEventListener("beforeunload", beforeUnload)
    return () => {
      guards.delete(guard)
      removeEventListener("beforeunload", beforeUnload)
    }
  }, [dirty])
}

interface LinkProps {
  readonly to: string
  readonly class?: string
  readonly current?: boolean
  /** Whether it leads to the page above this one. */
  readonly up?: boolean
  readonly children: ComponentChildren
}

/** A link within the dashboard. The browser handles clicks with a modifier key. */
export const Link = ({ children, class: look, current = false, to, up = false }: LinkProps) => (
  <a
    href={to}
    class={look}
    aria-current={current ? "page" : undefined}
    onPointerEnter={() => preparation.prefetch(new URL(to, location.href).pathname)}
    onFocus={() => preparation.prefetch(new URL(to, location.href).pathname)}
    onClick={(event) => {
      if (event.defaultPrevented || event.button !== 0) return
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
      event.preventDefault()
      if (up) goUp(to)
      else void navigate(to)
    }}
  >
    {isolated(children)}
  </a>
)

/** The path parameters for a pattern such as `/dashboard/keys/:id`, or undefined if the path does not match. */
export const matched = (pattern: string, path: string): Readonly<Record<string, string>> | undefined => {
  const found = new RegExp(`^${pattern.replace(/:(\w+)/g, "(?<$1>[^/]*)")}$`).exec(path)
  return found === null ? undefined : (found.groups ?? {})
}

/**
 * Where the reader is, by the address bar. A router from npm is twice as large (`preact-iso`, `wouter-preact`), and neither asks
 * before the browser's "back" leaves entries that are not saved, which is most of this file.
 */
import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import { createStore, useStore } from "../../ui/store.ts"

interface Location {
  /** Path below the origin, without query and fragment. */
  readonly path: string
  readonly query: URLSearchParams
}

const here = (): Location => ({
  // With a slash at its end it is the same place.
  path: location.pathname.replace(/(?<=.)\/+$/, ""),
  query: new URLSearchParams(location.search)
})

const current = createStore<Location>(here())

/** Where the page is now. */
export const useLocation = (): Location => useStore(current)

/** Asked before a page with entries that are not saved is left; true when it may be. */
type Guard = () => Promise<boolean>

const guards = new Set<Guard>()

/** How far this page's entries have got in the tab's history, so that one that is not to be left can be gone back to. */
let position = Number(history.state?.position ?? 0)

/** Whether the reader would lose nothing by leaving this page, or leaves it all the same. */
export const mayLeave = async (): Promise<boolean> => {
  for (const guard of guards) if (!(await guard())) return false
  return true
}

const arrive = (): void => {
  current.set(here())
}

/**
 * Goes to an address of the dashboard, unless the reader would lose something and wants to stay; `asked` says that they have
 * been asked.
 */
export const navigate = async (to: string, { asked = false, replace = false } = {}): Promise<void> => {
  if (!asked && !(await mayLeave())) return
  if (replace) history.replaceState({ position }, "", to)
  else {
    position += 1
    history.pushState({ position }, "", to)
  }
  arrive()
}

/** Changes the query of this page: filters and tabs can be linked to. Not a step of its own in the history. */
export const setQuery = (change: Readonly<Record<string, string | undefined>>): void => {
  const url = new URL(location.href)
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined || value === "") url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  history.replaceState(history.state, "", url)
  arrive()
}

/** Set while the page itself moves in the history. */
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
    arrive()
    return
  }
  // The browser has gone already: back to where the entries are, and only then the question.
  returning = true
  history.go(-steps)
  if (!(await mayLeave())) return
  guards.clear()
  history.go(steps)
})

/** Asks before this page is left, as long as `dirty`; the browser asks itself when the whole page is. */
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
  /** Whether this is where the reader is. */
  readonly current?: boolean
  readonly children: ComponentChildren
}

/** A link within the dashboard; with a modifier key it is the browser's. */
export const Link = ({ children, class: look, current = false, to }: LinkProps) => (
  <a
    href={to}
    {...(look === undefined ? {} : { class: look })}
    {...(current ? { "aria-current": "page" as const } : {})}
    onClick={(event) => {
      if (event.defaultPrevented || event.button !== 0) return
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
      event.preventDefault()
      void navigate(to)
    }}
  >
    {children}
  </a>
)

/**
 * The parameters of a path by a pattern such as `/dashboard/keys/:id`, or undefined when it is another path.
 */
export const matched = (pattern: string, path: string): Readonly<Record<string, string>> | undefined => {
  const wanted = pattern.split("/")
  const given = path.split("/")
  if (wanted.length !== given.length) return undefined
  const parameters: Record<string, string> = {}
  for (const [index, segment] of wanted.entries()) {
    const value = given[index] ?? ""
    if (segment.startsWith(":")) parameters[segment.slice(1)] = value
    else if (segment !== value) return undefined
  }
  return parameters
}

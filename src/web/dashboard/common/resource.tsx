/** Loads data for a page. `@tanstack/query-core` (8.7 kB instead of 1) has a cache and retries that no page uses. */
import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { Alert, Button } from "../../ui/parts.tsx"
import { useAction } from "./action.tsx"
import { type ApiFailure, failureOf } from "./call.ts"
import { useKeptList } from "./places.ts"

/** Empty while the data is loading. */
interface State<T> {
  readonly value?: T
  readonly failure?: ApiFailure
  /** Whether the value is what was loaded for the `deps` before. */
  readonly isOutdated?: boolean
}

export interface Resource<T> extends State<T> {
  /** Loads the data again; the page shows the old data until then. */
  readonly reload: () => Promise<void>
  /**
   * Like `reload`, for data that changes while the user looks: the old data stays if the server does not answer. Resolves to why it did
   * not. `merge` combines the shown data with the new; by default the new replace them.
   */
  readonly refresh: (merge?: (known: T, fresh: T) => T) => Promise<ApiFailure | undefined>
  /** Updates the data without a request, for example from the response to a change. */
  readonly set: (change: (value: T) => T) => void
}

interface ResourceOptions<T> {
  /** Shown until the first response. */
  readonly known?: T | undefined
  /** Whether the data stays, dimmed, while it is loaded for other `deps`, so that the page does not jump. */
  readonly keeps?: boolean
}

/**
 * Data from the API, loaded again when one of `deps` changes. The signal aborts when the response is no longer needed;
 * a response that arrives anyway is ignored. `load` must not resolve to undefined, which means "not loaded yet".
 */
export const useResource = <T,>(
  load: (signal: AbortSignal) => Promise<T>,
  deps: ReadonlyArray<unknown>,
  { keeps = false, known }: ResourceOptions<T> = {}
): Resource<T> => {
  const [state, setState] = useState<State<T>>(known === undefined ? {} : { value: known })
  const isFirst = useRef(true)
  const latest = useRef<AbortController>(undefined)

  const ask = async (
    onFailure: (known: State<T>, failure: ApiFailure) => State<T>,
    merge: (known: T, fresh: T) => T = (_, fresh) => fresh
  ): Promise<ApiFailure | undefined> => {
    latest.current?.abort()
    const asked = new AbortController()
    latest.current = asked
    try {
      const fresh = await load(asked.signal)
      if (latest.current === asked) {
        setState((known) => ({ value: known.value === undefined ? fresh : merge(known.value, fresh) }))
      }
      return undefined
    } catch (cause) {
      if (latest.current !== asked) return undefined
      const failure = failureOf(cause)
      setState((known) => onFailure(known, failure))
      return failure
    }
  }

  const reload = async () => {
    await ask((_, failure) => ({ failure }))
  }

  useEffect(() => {
    if (!isFirst.current) {
      setState(({ value }) => (keeps && value !== undefined ? { value, isOutdated: true } : {}))
    }
    isFirst.current = false
    void reload()
    return () => {
      latest.current?.abort()
      latest.current = undefined
    }
  }, deps)

  return {
    ...(keeps ? { isOutdated: false } : {}),
    ...state,
    reload,
    refresh: (merge) =>
      ask(
        (known, failure) => (known.value === undefined || failure.status === 404 ? { failure } : known),
        merge
      ),
    set: (change) => setState((known) => (known.value === undefined ? known : { value: change(known.value) }))
  }
}

/** CSS delays it, because most responses arrive before anyone could read it. */
export const Loading = () => (
  <p class="waiting" role="status">
    <span class="spinner" aria-hidden="true" /> Loading…
  </p>
)

interface FailedProps {
  readonly failure: ApiFailure
  readonly onRetry: () => Promise<unknown>
}

/** Titles of failures that trying again does not mend. */
const final: Readonly<Record<number, string>> = { 403: "Not allowed", 404: "Not found" }

/** Says that an attempt is under way. If it succeeds, the heading takes the focus, because the button is gone. */
export const Failed = ({ failure: { message, status }, onRetry }: FailedProps) => {
  const { busy, run } = useAction()
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(
    () => () => {
      if (box.current?.contains(document.activeElement))
        document.querySelector<HTMLElement>("main h1")?.focus()
    },
    []
  )
  return (
    <Alert title={final[status] ?? "Loading failed"} boxRef={box}>
      <p>{message}</p>
      {status in final ? null : (
        <Button busy={busy} onClick={() => void run(onRetry)}>
          Try again
        </Button>
      )}
    </Alert>
  )
}

interface LoadedProps<T> {
  readonly of: Resource<T>
  readonly children: (value: T) => ComponentChildren
}

/** Shows the loaded data, or why there is none. */
export const Loaded = <T,>({
  children,
  of: { failure, isOutdated, reload, value }
}: LoadedProps<T>): ComponentChildren => {
  if (failure !== undefined) return <Failed failure={failure} onRetry={reload} />
  if (value === undefined) return <Loading />
  if (isOutdated === undefined) return children(value)
  return (
    <div class="kept" aria-busy={isOutdated}>
      {children(value)}
    </div>
  )
}

export interface Page<Item> {
  readonly items: ReadonlyArray<Item>
  readonly next: string | null
}

interface Identified {
  readonly id: string
}

/** How many rows a list has at most while new ones are added to it. */
const mostRows = 5_000

/**
 * A list of which the newest page was loaded again. The older rows stay, once the user has loaded any. The list begins anew if rows
 * in between would be missing, or if it has become too long.
 */
const withNewest = <Item extends Identified, P extends Page<Item>>(known: P, newest: P): P => {
  if (newest.next === null || known.items.length <= newest.items.length) return newest
  const ids = new Set(newest.items.map(({ id }) => id))
  const last = known.items.findLastIndex(({ id }) => ids.has(id))
  const items = [...newest.items, ...known.items.slice(last + 1)]
  return last === -1 || items.length > mostRows ? newest : { ...known, items }
}

/**
 * A list that is loaded page by page. Fields other than `items` and `next` stay those of the first page. Render `more`,
 * the button that loads the next page and appends it. `refresh` looks for new rows. If the user returns to the list, it begins with the
 * rows that they left, which are then loaded again.
 */
export const usePages = <Item extends Identified, P extends Page<Item> = Page<Item>>(
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<P>,
  deps: ReadonlyArray<unknown>
) => {
  const of = JSON.stringify(deps)
  const { keep, known } = useKeptList<P>(of)
  /** How many rows are to be loaded again, until they are, and for what. */
  const again = useRef({ of, rows: known?.items.length ?? 0 })
  const isLoadingAgain = useRef(false)
  /** What the rows are of: after `deps` have changed, those of before are there a moment longer. */
  const rowsOf = useRef(of)
  const first = useResource(
    async (signal) => {
      const wanted = () => (again.current.of === of ? again.current.rows : 0)
      isLoadingAgain.current = wanted() > 0
      try {
        let page = await load(undefined, signal)
        while (page.next !== null && page.items.length < wanted()) {
          const { items, next } = await load(page.next, signal)
          page = { ...page, items: [...page.items, ...items], next }
        }
        again.current.rows = 0
        rowsOf.current = of
        return page
      } finally {
        isLoadingAgain.current = false
      }
    },
    deps,
    { known }
  )
  useEffect(() => {
    if (first.value !== undefined && rowsOf.current === of) keep(first.value)
  })
  const { busy, problem, run } = useAction()
  const cursor = first.value?.next ?? null
  const appending = useRef(false)
  const append = async (after: string) => {
    appending.current = true
    try {
      const page = await load(after, new AbortController().signal)
      if (isLoadingAgain.current) again.current.rows += page.items.length
      // The list may have been replaced during the request.
      first.set((known) =>
        known.next === after ? { ...known, items: [...known.items, ...page.items], next: page.next } : known
      )
    } finally {
      appending.current = false
    }
  }
  const more =
    cursor === null ? null : (
      <div class="more">
        {problem}
        <Button busy={busy} onClick={() => void run(() => append(cursor))}>
          Load more
        </Button>
      </div>
    )
  // The next page follows the rows that are shown when it is asked for, so until it is there, they stay.
  const refresh = async () =>
    isLoadingAgain.current
      ? undefined
      : first.refresh((known, newest) => (appending.current ? known : withNewest<Item, P>(known, newest)))
  return { ...first, refresh, more }
}

/** Loads data for a page. `@tanstack/query-core` (8.7 kB instead of 1) has a cache and retries that no page uses. */
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { Alert, Button } from "../../ui/parts.tsx"
import { useAction } from "./action.tsx"
import { type ApiFailure, call, failureOf } from "./call.ts"
import type { Answer, Arguments, Call, RouteName } from "./contract.ts"

/** Empty while the data is loading. */
interface State<T> {
  readonly value?: T
  readonly failure?: ApiFailure
}

export interface Resource<T> extends State<T> {
  /** Loads the data again; the page shows the old data until then. */
  readonly reload: () => Promise<void>
  /** Updates the data without a request, for example from the response to a change. */
  readonly set: (change: (value: T) => T) => void
}

/**
 * Data from the API, loaded again when one of `deps` changes. The signal aborts when the response is no longer needed;
 * a response that arrives anyway is ignored. `load` must not resolve to undefined, which means "not loaded yet".
 */
export const useResource = <T,>(
  load: (signal: AbortSignal) => Promise<T>,
  deps: ReadonlyArray<unknown>
): Resource<T> => {
  const [state, setState] = useState<State<T>>({})
  const latest = useRef<AbortController>(undefined)

  const ask = async () => {
    latest.current?.abort()
    const asked = new AbortController()
    latest.current = asked
    try {
      const value = await load(asked.signal)
      if (latest.current === asked) setState({ value })
    } catch (cause) {
      if (latest.current === asked) setState({ failure: failureOf(cause) })
    }
  }

  useEffect(() => {
    setState({})
    void ask()
    return () => {
      latest.current?.abort()
      latest.current = undefined
    }
  }, deps)

  return {
    ...state,
    reload: ask,
    set: (change) => setState((known) => (known.value === undefined ? known : { value: change(known.value) }))
  }
}

/** The response of one route, loaded again when the arguments change. */
export const useCall = <N extends RouteName>(name: N, ...given: Arguments<Call<N>>): Resource<Answer<N>> =>
  useResource(
    (signal) => call(name, ...([{ ...given[0], signal }] as Arguments<Call<N>>)),
    [JSON.stringify(given)]
  )

/** CSS delays it, because most responses arrive before anyone could read it. */
export const Loading = () => (
  <p class="waiting" role="status">
    <span class="spinner" aria-hidden="true" /> Loading…
  </p>
)

interface FailedProps {
  readonly failure: ApiFailure
  readonly onRetry: () => void
}

export const Failed = ({ failure, onRetry }: FailedProps) => (
  <Alert title={failure.status === 404 ? "This does not exist" : "This could not be loaded"}>
    <p>{failure.message}</p>
    {failure.status === 404 ? null : <Button onClick={onRetry}>Try again</Button>}
  </Alert>
)

interface LoadedProps<T> {
  readonly of: Resource<T>
  readonly children: (value: T) => ComponentChildren
}

/** Shows the loaded data, or why there is none. */
export const Loaded = <T,>({
  children,
  of: { failure, reload, value }
}: LoadedProps<T>): ComponentChildren => {
  if (failure !== undefined) return <Failed failure={failure} onRetry={() => void reload()} />
  return value === undefined ? <Loading /> : children(value)
}

export interface Page<Item> {
  readonly items: ReadonlyArray<Item>
  readonly next: string | null
}

/**
 * A list that is loaded page by page. Fields other than `items` and `next` stay those of the first page. Render `more`,
 * the button that loads the next page and appends it.
 */
export const usePages = <Item, P extends Page<Item> = Page<Item>>(
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<P>,
  deps: ReadonlyArray<unknown>
) => {
  const first = useResource((signal) => load(undefined, signal), deps)
  const { busy, problem, run } = useAction()
  const cursor = first.value?.next ?? null
  const append = async (after: string) => {
    const page = await load(after, new AbortController().signal)
    // The list may have been replaced during the request.
    first.set((known) =>
      known.next === after ? { ...known, items: [...known.items, ...page.items], next: page.next } : known
    )
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
  return { ...first, more }
}

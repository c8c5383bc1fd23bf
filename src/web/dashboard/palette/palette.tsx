/** The search over pages, actions, keys, instances, sessions, APIs and the docs, for the keyboard. */
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks"
import { after, dashboardTimes } from "../../timing.ts"
import { Button } from "../../ui/parts.tsx"
import { useAccount } from "../common/account.ts"
import { Dialog } from "../common/dialog.tsx"
import type { NavigationEntry } from "../common/page.ts"
import { navigate } from "../common/router.tsx"
import { type Entry, findSessions, matching, signOutAddress, useEntries } from "./entries.ts"
import { recentOf, remember } from "./recent.ts"

export interface PaletteProps {
  /** What the user sees of it. Given, so that the list stays in the first script. */
  readonly navigation: ReadonlyArray<NavigationEntry>
  readonly onClose: () => void
  readonly onSignOut: () => void
}

/** The lists that have arrived, and whether that is all. */
const useLoaded = (sources: ReturnType<typeof useEntries>["sources"]) => {
  const [loaded, setLoaded] = useState<ReadonlyArray<Entry>>([])
  const [open, setOpen] = useState(sources.length)
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    const asked = new AbortController()
    const arrived: Array<ReadonlyArray<Entry>> = sources.map(() => [])
    sources.forEach((source, index) => {
      source(asked.signal)
        .then((entries) => {
          arrived[index] = entries
          if (!asked.signal.aborted) setLoaded(arrived.flat())
        })
        .catch(() => setFailed(true))
        .finally(() => setOpen((left) => left - 1))
    })
    return () => asked.abort()
  }, [])
  return { loaded, hasFailed, isLoading: open > 0 }
}

/** The sessions for a query. Those for an older query are never shown. */
const useSessions = (query: string) => {
  const [found, setFound] = useState<{
    readonly query: string
    readonly entries?: ReadonlyArray<Entry>
  }>({ query: "", entries: [] })
  useEffect(() => {
    const asked = new AbortController()
    const timer = after(dashboardTimes.search, async () => {
      try {
        const entries = await findSessions(query, asked.signal)
        if (!asked.signal.aborted) setFound({ query, entries })
      } catch {
        if (!asked.signal.aborted) setFound({ query })
      }
    })
    return () => {
      timer.cancel()
      asked.abort()
    }
  }, [query])
  const isCurrent = found.query === query
  return {
    sessions: (isCurrent ? found.entries : undefined) ?? [],
    isLooking: !isCurrent,
    hasFailed: isCurrent && found.entries === undefined
  }
}

export const Palette = ({ navigation, onClose, onSignOut }: PaletteProps) => {
  const { id: userId } = useAccount().user
  const { actions, pages, sources } = useEntries(navigation)
  const [text, setText] = useState("")
  const query = text.trim()
  const { hasFailed, isLoading, loaded } = useLoaded(sources)
  const { sessions, ...looking } = useSessions(query)
  const recent = useMemo(
    () => recentOf(userId).map((known): Entry => ({ ...known, group: "Recently opened" })),
    []
  )
  const shown = useMemo(
    () =>
      query === ""
        ? [...recent, ...actions, ...pages]
        : [...sessions, ...matching([...actions, ...pages, ...loaded], query)],
    [query, loaded, sessions]
  )
  const [chosen, setChosen] = useState(0)
  const active = Math.min(chosen, shown.length - 1)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const optionId = (index: number): string => `${id}-${index}`

  useEffect(() => {
    list.current?.querySelector("[aria-selected='true']")?.scrollIntoView({ block: "nearest" })
  }, [active, shown])

  const go = (entry: Entry) => {
    onClose()
    if (entry.address === signOutAddress) {
      onSignOut()
      return
    }
    remember(userId, entry.remembered ?? entry)
    if (entry.address.startsWith("/docs")) location.assign(entry.address)
    else void navigate(entry.address)
  }

  const press = (event: KeyboardEvent) => {
    if (event.isComposing) return
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined && shown.length > 0) {
      event.preventDefault()
      setChosen((active + step + shown.length) % shown.length)
    }
    const entry = shown[active]
    if (event.key === "Enter" && entry !== undefined) {
      event.preventDefault()
      go(entry)
    }
  }

  const isSearching = query !== "" && (isLoading || looking.isLooking)
  const groups = Map.groupBy(
    shown.map((entry, index) => ({ entry, index })),
    ({ entry }) => entry.group
  )
  return (
    <Dialog title="Search" look="palette" onClose={onClose}>
      <div class="palette-head">
        <input
          type="text"
          role="combobox"
          aria-label="Search pages, keys, sessions, APIs and docs"
          aria-expanded={shown.length > 0}
          aria-controls={shown.length > 0 ? id : undefined}
          aria-autocomplete="list"
          aria-activedescendant={shown.length > 0 ? optionId(active) : undefined}
          autocomplete="off"
          spellcheck={false}
          placeholder="A page, key, API, or a session’s id or reference"
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value)
            setChosen(0)
          }}
          onKeyDown={press}
        />
        <Button look="quiet" onClick={onClose}>
          Close
        </Button>
      </div>
      <p role="status" class={query !== "" && shown.length === 0 ? "palette-status" : "visually-hidden"}>
        {query === ""
          ? ""
          : isSearching
            ? "Searching…"
            : shown.length === 0
              ? "Nothing found."
              : `${shown.length} found`}
      </p>
      {query !== "" && (hasFailed || looking.hasFailed) ? (
        <p role="alert" class="palette-status">
          Some results could not be loaded. Close the search and open it again.
        </p>
      ) : null}
      {shown.length === 0 ? null : (
        <div ref={list} id={id} class="palette-list" role="listbox" aria-label="Results" tabIndex={-1}>
          {[...groups].map(([group, options], index) => (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be part of a listbox.
            <div key={group} role="group" aria-labelledby={`${id}-group-${index}`}>
              <p id={`${id}-group-${index}`} role="presentation">
                {group}
              </p>
              {options.map(({ entry, index: at }) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys.
                // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus.
                <div
                  key={entry.address}
                  id={optionId(at)}
                  class="palette-option"
                  role="option"
                  aria-selected={at === active}
                  onPointerMove={() => setChosen(at)}
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => go(entry)}
                >
                  <bdi>{entry.title}</bdi>
                  {entry.detail === "" ? null : <bdi class="faint">{entry.detail}</bdi>}
                </div>
              ))}
            </div>
          ))}
        </div>
      )}
    </Dialog>
  )
}

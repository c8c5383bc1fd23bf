/** The search of the docs. `/` goes there, the arrow keys go through what it found. A link may contain what to search for: `/docs?q=keys`. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { type SearchEntry, search } from "../reference/search.ts"

const mostShown = 40

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches("input, textarea, select")

const asked = (): string => new URLSearchParams(location.search).get("q") ?? ""

export const Search = ({ index }: { readonly index: ReadonlyArray<SearchEntry> }) => {
  const [query, setQuery] = useState(asked)
  const found = useMemo(() => search(index, query), [query])
  const input = useRef<HTMLInputElement>(null)
  const results = useRef<HTMLUListElement>(null)
  const isSearching = query.trim() !== ""

  useEffect(() => {
    const come = () => {
      const contents = document.getElementById("contents")
      // On a phone, the search is in the popover.
      if (contents !== null && !contents.checkVisibility()) contents.showPopover()
      input.current?.focus()
    }
    const listen = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return
      event.preventDefault()
      come()
    }
    if (isSearching) come()
    addEventListener("keydown", listen)
    return () => removeEventListener("keydown", listen)
  }, [])
  useEffect(() => {
    const pages = document.getElementById("pages")
    if (pages !== null) pages.hidden = isSearching
  }, [isSearching])

  const go = (event: KeyboardEvent) => {
    const links: ReadonlyArray<HTMLElement> = [...(results.current?.querySelectorAll("a") ?? [])]
    const { activeElement } = document
    const at = activeElement instanceof HTMLElement ? links.indexOf(activeElement) : -1
    if (event.key === "Escape" && isSearching) {
      event.preventDefault()
      setQuery("")
      input.current?.focus()
      return
    }
    if (event.key === "Enter" && at < 0) {
      links[0]?.click()
      return
    }
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const next = at + step
    if (next < 0) input.current?.focus()
    else links[next]?.focus()
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys only move the focus between links.
    <div class="search" onKeyDown={go}>
      <input
        ref={input}
        type="search"
        aria-label="Search the docs"
        aria-keyshortcuts="/"
        placeholder="Search  /"
        value={query}
        onInput={(event) => setQuery(event.currentTarget.value)}
      />
      <p role="status" class={isSearching ? "faint" : "visually-hidden"}>
        {isSearching ? (found.length === 0 ? "Nothing found." : `${found.length} found`) : ""}
      </p>
      {found.length === 0 ? null : (
        <ul ref={results} class="results">
          {found.slice(0, mostShown).map(([title, method, path, address, group]) => (
            <li key={address}>
              <a href={address}>
                <span>
                  {title} <span class={`method ${method.toLowerCase()}`}>{method}</span>
                </span>
                <span class="faint">{path === "" ? group : path}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

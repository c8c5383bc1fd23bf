/**
 * How pages looked when the user left them, for each entry of the tab's history, so that going back shows them again. Only in memory, and
 * without the browser's own restoring, which scrolls before a page has its data.
 */
import { useLayoutEffect, useState } from "preact/hooks"

interface Place {
  readonly path: string
  /** How far down the user was, in pixels. */
  top: number
  /** The address to which the user left, whose link gets the focus back; undefined if they left by the navigation. */
  link: string | undefined
  /** The list on the page, and what it was loaded for. */
  list: { readonly of: string; readonly value: unknown } | undefined
}

const placeAt = (path: string): Place => ({ path, top: 0, link: undefined, list: undefined })

history.scrollRestoration = "manual"

/** How far back in the history pages are known. */
const mostPlaces = 20

const places = new Map<number, Place>()
let here = placeAt(location.pathname)

const linkTo = (address: string, within = "main"): HTMLElement | null =>
  document.querySelector(`${within} a[href="${CSS.escape(address)}"]`)

export const wasAt = (position: number, path: string): boolean => places.get(position)?.path === path

/** Call it before a page is left, by a link or in the history. */
export const leavePlace = (link?: string): void => {
  here.top = scrollY
  if (link === undefined) return
  // A link of the navigation is on every page. A row that the user has just made may come only later.
  const isBeside = linkTo(link) === null && linkTo(link, "body") !== null
  here.link = isBeside ? undefined : link
}

/** The user has come to a new entry of the history, after which there are no others. */
export const enterPlace = (position: number, path: string): void => {
  for (const known of places.keys()) if (known >= position) places.delete(known)
  // A tab may be used for weeks.
  places.delete(position - mostPlaces)
  here = placeAt(path)
  places.set(position, here)
}

/** The user has come to an entry by moving in the history. */
export const returnToPlace = (position: number, path: string): void => {
  if (!wasAt(position, path)) places.set(position, placeAt(path))
  here = places.get(position) ?? here
}

/** Call it when the user signs out: the lists are of the company. That of this page, too: it stays until the next one has arrived. */
export const forgetPlaces = (): void => {
  places.clear()
  here = placeAt(here.path)
}

/** What a page's list was when the user left it, and a way to keep what it is. */
export const useKeptList = <T>(of: string) => {
  const [path] = useState(here.path)
  // Only the same list of the same page has kept it.
  const [known] = useState(() => (here.list?.of === of ? (here.list.value as T) : undefined))
  return {
    known,
    keep: (value: T) => {
      if (here.path === path) here.list = { of, value }
    }
  }
}

/** Whatever the user does first ends the attempts to scroll. */
const acts = ["wheel", "touchmove", "pointerdown", "keydown"] as const

/** Scrolls a new page to its start. One to which the user returns is scrolled to where it was, and the link gets the focus back, once there are so many rows. */
export const useReturn = (): void =>
  useLayoutEffect(() => {
    const { link, top } = here
    const look = () => {
      scrollTo(0, top)
      const target = link === undefined ? null : linkTo(link)
      if (scrollY < top - 1 || (link !== undefined && top === 0 && target === null)) return
      end()
      // After a click, or after Tab, the user has left the heading.
      if (document.activeElement?.matches("body, h1")) target?.focus({ preventScroll: true })
    }
    const growing = new ResizeObserver(look)
    const end = () => {
      growing.disconnect()
      for (const act of acts) removeEventListener(act, end)
    }
    growing.observe(document.body)
    for (const act of acts) addEventListener(act, end, { passive: true })
    look()
    return end
  }, [])

/** Keyboard shortcuts of a page: single keys, which users can turn off, because speech input and some assistive tools send such keys. */
import { useLayoutEffect, useRef } from "preact/hooks"
import { createStore, useStore } from "../../ui/store.ts"

/** What a key does, by `KeyboardEvent.key` in lower case: `a`, `enter`, `arrowdown`. */
export type Shortcuts = Readonly<Record<string, (() => void) | undefined>>

const storageKey = "shortcuts"

const stored = (): boolean => {
  try {
    return localStorage.getItem(storageKey) !== "off"
  } catch {
    return true
  }
}

const choice = createStore({ on: stored() })

/** Whether shortcuts work in this browser. */
export const useShortcutsAreOn = (): boolean => useStore(choice).on

export const turnShortcuts = (on: boolean): void => {
  try {
    localStorage.setItem(storageKey, on ? "on" : "off")
  } catch {
    // The choice then applies to this page only.
  }
  choice.set({ on })
}

const typesText = "textarea, select, input:not([type='checkbox'], [type='radio'])"

/** Keys that an element uses itself keep their meaning. */
const isTaken = (key: string, target: EventTarget | null): boolean =>
  target instanceof Element &&
  (target.closest(typesText) !== null || (key === "enter" && target.closest("a, button, summary") !== null))

/** Runs an action per key, except while the user types, or a dialog is open. */
export const useShortcuts = (shortcuts: Shortcuts): void => {
  const latest = useRef(shortcuts)
  latest.current = shortcuts
  // A layout effect, because the next key may come before the next paint.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!choice.get().on || event.defaultPrevented || event.repeat) return
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
      const key = event.key.toLowerCase()
      const act = latest.current[key]
      if (act === undefined || isTaken(key, event.target)) return
      if (document.querySelector("dialog[open]") !== null) return
      event.preventDefault()
      act()
    }
    addEventListener("keydown", press)
    return () => removeEventListener("keydown", press)
  }, [])
}

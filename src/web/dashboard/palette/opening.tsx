/** Opens the search over everything in the dashboard. Its script is loaded when it is first opened. */
import type { ComponentType } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { useAction } from "../common/action.tsx"
import type { PaletteProps } from "./palette.tsx"

const isApple = /Mac|iPhone|iPad/.test(navigator.platform)

/** Ctrl-K, on Apple's keyboards ⌘K: there, Ctrl-K deletes the rest of a line of text. */
const isShortcut = (event: KeyboardEvent): boolean =>
  event.key.toLowerCase() === "k" &&
  (isApple ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey) &&
  !event.altKey &&
  !event.shiftKey &&
  !event.isComposing

/** A button, and a shortcut that works everywhere except in another dialog. */
export const PaletteButton = ({
  navigation,
  onSignOut
}: Pick<PaletteProps, "navigation"> & { readonly onSignOut: () => Promise<void> }) => {
  const [isOpen, setOpen] = useState(false)
  const [Palette, setPalette] = useState<ComponentType<PaletteProps>>()
  const { busy, problem, run } = useAction()
  const close = () => setOpen(false)

  const open = () =>
    void run(async () => {
      const loaded = await import("./palette.tsx")
      // While the script was loading, another dialog may have opened.
      if (document.querySelector("dialog[open]") !== null) return
      setPalette(() => loaded.Palette)
      setOpen(true)
    })

  const press = useRef((_: KeyboardEvent) => {})
  press.current = (event) => {
    if (!isShortcut(event) || event.defaultPrevented) return
    if (!isOpen && document.querySelector("dialog[open]") !== null) return
    // Also of a key that is held down: the browser would go to its own search.
    event.preventDefault()
    if (event.repeat || busy) return
    if (isOpen) close()
    else open()
  }
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => press.current(event)
    addEventListener("keydown", listen)
    return () => removeEventListener("keydown", listen)
  }, [])

  return (
    <div class="palette-opening">
      <button
        type="button"
        class="button secondary"
        aria-haspopup="dialog"
        aria-keyshortcuts={isApple ? "Meta+K" : "Control+K"}
        aria-disabled={busy}
        onClick={busy ? undefined : open}
      >
        Search <kbd>{isApple ? "⌘K" : "Ctrl K"}</kbd>
      </button>
      {problem}
      {isOpen && Palette !== undefined ? (
        <Palette navigation={navigation} onClose={close} onSignOut={() => void run(onSignOut)} />
      ) : null}
    </div>
  )
}

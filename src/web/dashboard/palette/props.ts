import type { NavigationEntry } from "../common/page.ts"

export interface PaletteProps {
  /** What the user sees of it. Given, so that the list stays in the first script. */
  readonly navigation: ReadonlyArray<NavigationEntry>
  readonly onClose: () => void
  readonly onSignOut: () => void
}

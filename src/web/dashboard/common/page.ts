/** A feature's contribution to the dashboard: navigation entries with their pages. */
import type { ComponentType } from "preact"
import type { IconName } from "../../brand/icons.ts"

export interface PageProps {
  /** The values of the `:names` in the page's address. */
  readonly parameters: Readonly<Record<string, string>>
}

export type ShownPage = ComponentType<PageProps>

export interface DashboardPage {
  /** A path with `:names` for parameters. */
  readonly address: string
  /** Imports the page. The bundler makes a script of its own of what only this page needs. */
  readonly load: () => Promise<ShownPage>
}

/** In the order of the navigation. The first has no title. */
export const navigationGroups = ["", "Verification", "Marketplace", "Developers", "Company"] as const

/** The entry links to the first page. */
export interface NavigationEntry {
  readonly group: (typeof navigationGroups)[number]
  readonly label: string
  readonly icon: IconName
  readonly onlyOwners?: true
  /** Whether reviewers see it, too. */
  readonly forReviewers?: true
  readonly pages: readonly [DashboardPage, ...ReadonlyArray<DashboardPage>]
}

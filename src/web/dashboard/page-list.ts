/** Which page is at an address, and who sees it. */
import { after, dashboardTimes } from "../timing.ts"
import type { Role } from "./common/account.ts"
import { loadPage, prefetchPage } from "./common/arriving.ts"
import type { DashboardPage, NavigationEntry } from "./common/page.ts"
import { matched, preparePages } from "./common/router.tsx"
import { navigation } from "./navigation.ts"

/** Reviewers have no overview: they begin with what waits for them. */
export const withHome = (path: string, role: Role): string =>
  path === "/dashboard" && role === "reviewer" ? "/dashboard/reviews" : path

export const seenBy = (role: Role): ReadonlyArray<NavigationEntry> =>
  navigation.filter(({ forReviewers, onlyOwners }) =>
    role === "reviewer" ? forReviewers === true : onlyOwners !== true || role === "owner"
  )

const findPage = (entries: ReadonlyArray<Pick<NavigationEntry, "pages">>, path: string) => {
  for (const { pages } of entries) {
    for (const page of pages) {
      const parameters = matched(page.address, path)
      if (parameters !== undefined) return { page, parameters }
    }
  }
  return undefined
}

/** Undefined if there is none. Members who follow a link to a page that they may not see are told so by the page. */
export const pageAt = (path: string, role: Role) =>
  findPage(role === "reviewer" ? seenBy(role) : navigation, path)

export const isAt = ({ pages }: NavigationEntry, path: string): boolean =>
  findPage([{ pages }], path) !== undefined

/** Loads the other pages of its feature in advance, once the page itself has asked for its data. */
export const prefetchBeside = (page: DashboardPage): void => {
  const entry = navigation.find(({ pages }) => pages.includes(page))
  after(dashboardTimes.prefetch, () => entry?.pages.forEach(prefetchPage))
}

/** A script that does not arrive is dealt with by the page at its address, when it is shown. */
preparePages({
  prepare: async (path) => {
    const found = findPage(navigation, path)
    if (found !== undefined) await loadPage(found.page).catch(() => undefined)
  },
  prefetch: (path) => prefetchPage(findPage(navigation, path)?.page)
})

/** Begins to load the page of the address bar, before it is known who is signed in. */
export const prefetchFirst = (path: string): void => prefetchPage(findPage(navigation, path)?.page)

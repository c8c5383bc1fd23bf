/** Loads the scripts of pages: each page is a script of its own, which arrives before the page is shown. */
import { useEffect, useState } from "preact/hooks"
import type { DashboardPage, ShownPage } from "./page.ts"

const arrived = new Map<DashboardPage, ShownPage>()
const underWay = new Map<DashboardPage, Promise<unknown>>()

/** Resolves when the page can be shown. Rejects if its script does not arrive. */
export const loadPage = (page: DashboardPage): Promise<unknown> => {
  const asked = underWay.get(page)
  if (asked !== undefined) return asked
  const loading = page.load().then((shown) => {
    arrived.set(page, shown)
    sessionStorage.removeItem(reloaded)
  })
  underWay.set(page, loading)
  return loading
}

/** Loads the page in advance. If it fails, that shows when the page is opened. */
export const prefetchPage = (page: DashboardPage | undefined): void => {
  if (page !== undefined) loadPage(page).catch(() => undefined)
}

/** Set in the tab's storage after a reload, until a script arrives. */
const reloaded = "dashboard-reloaded"

/**
 * After an update of doorlock, the scripts of an open page are gone, so the page is loaded again: once, because during an update of several
 * servers, the next one may be an older one again. Browsers may remember that a script failed, so the script alone is not asked for again.
 */
const reloadOnce = async (): Promise<boolean> => {
  if (sessionStorage.getItem(reloaded) !== null) return false
  try {
    await fetch(location.href, { method: "HEAD" })
  } catch {
    return false
  }
  sessionStorage.setItem(reloaded, "yes")
  location.reload()
  return true
}

/** Undefined while the page's script is loading. Rejects while rendering if the script does not arrive, so that the boundary says so. */
export const useArrived = (page: DashboardPage | undefined): ShownPage | undefined => {
  const [, setArrived] = useState<DashboardPage>()
  const [failed, setFailed] = useState<DashboardPage>()
  const shown = page && arrived.get(page)
  useEffect(() => {
    if (page === undefined || shown !== undefined) return
    loadPage(page).then(
      () => setArrived(page),
      async () => {
        if (!(await reloadOnce())) setFailed(page)
      }
    )
  }, [page])
  if (failed !== undefined && failed === page) throw new Error("The script of the page did not arrive")
  return shown
}

/** The frame around every page for signed-in users, with the navigation. */
import type { JSX } from "preact"
import { useEffect, useErrorBoundary, useState } from "preact/hooks"
import { Icon, Mark } from "../brand/drawn.tsx"
import { Button } from "../ui/parts.tsx"
import { chooseScheme, chosenScheme } from "../ui/scheme.ts"
import { useAccount } from "./common/account.ts"
import { useAction } from "./common/action.tsx"
import { useArrived } from "./common/arriving.ts"
import { Select } from "./common/fields.tsx"
import { useIsLost } from "./common/live.ts"
import { navigationGroups } from "./common/page.ts"
import { Page } from "./common/parts.tsx"
import { Loading } from "./common/resource.tsx"
import { Link, useIsPreparing, useLocation } from "./common/router.tsx"
import { DecisionsMade } from "./kyc/reviews/decisions-made.tsx"
import { isAt, pageAt, prefetchBeside, seenBy, withHome } from "./page-list.ts"
import { PaletteButton } from "./palette/opening.tsx"

/** Catches, for example, an open page older than the server that gets a response it does not know, or a script that did not arrive. */
const Boundary = ({ children }: { readonly children: JSX.Element }) => {
  const [error] = useErrorBoundary()
  if (error === undefined) return children
  return (
    <Page
      title="Something went wrong on this page"
      intro="The connection may have failed, or doorlock was updated after you opened the page. If reloading does not help, this is a bug in doorlock."
    >
      <Button look="primary" onClick={() => location.reload()}>
        Reload
      </Button>
    </Page>
  )
}

const NotFound = () => (
  <Page title="Page not found">
    <p>
      There is no page at this address. <Link to="/dashboard">Go to the overview</Link>
    </p>
  </Page>
)

const PageAt = ({ path }: { readonly path: string }) => {
  const { user } = useAccount()
  const found = pageAt(withHome(path, user.role), user.role)
  const Shown = useArrived(found?.page)
  useEffect(() => {
    if (found !== undefined && Shown !== undefined) prefetchBeside(found.page)
  }, [Shown])
  if (found === undefined) return <NotFound />
  return Shown === undefined ? <Loading /> : <Shown parameters={found.parameters} />
}

const Navigation = () => {
  const { path } = useLocation()
  const { user } = useAccount()
  const shown = withHome(path, user.role)
  const entriesOf = Map.groupBy(seenBy(user.role), ({ group }) => group)
  // Everybody may read the documentation, also those who see no other page for developers.
  const groups = navigationGroups.filter((group) => group === "Developers" || entriesOf.has(group))
  return (
    <nav aria-label="Main">
      {groups.map((group) => (
        <div key={group} class="nav-group">
          {group === "" ? null : <p>{group}</p>}
          <ul>
            {entriesOf.get(group)?.map((entry) => (
              <li key={entry.label}>
                <Link to={entry.pages[0].address} current={isAt(entry, shown)}>
                  <Icon name={entry.icon} /> {entry.label}
                </Link>
              </li>
            ))}
            {group === "Developers" ? (
              <li>
                <a href="/docs">
                  <Icon name="docs" /> API documentation
                </a>
              </li>
            ) : null}
          </ul>
        </div>
      ))}
    </nav>
  )
}

const SchemeChoice = () => {
  const [scheme, setScheme] = useState(chosenScheme)
  return (
    <label class="scheme">
      <span class="visually-hidden">Appearance</span>
      <Select
        value={scheme}
        choices={[
          ["system", "Auto"],
          ["light", "Light"],
          ["dark", "Dark"]
        ]}
        onChange={(chosen) => {
          chooseScheme(chosen)
          setScheme(chosen)
        }}
      />
    </label>
  )
}

/** Says so while a page that should be live is not, or while the next page is on its way. */
const Connection = () => {
  const isLost = useIsLost()
  const isPreparing = useIsPreparing()
  return (
    <div class="connection" role="status">
      {isLost ? (
        <p>doorlock is not responding. This page keeps trying, and may be out of date until then.</p>
      ) : isPreparing ? (
        <p class="preparing">Loading…</p>
      ) : null}
    </div>
  )
}

export const Shell = ({ onSignOut }: { readonly onSignOut: () => Promise<void> }) => {
  const { company, user } = useAccount()
  const { path } = useLocation()
  const [menu, setMenu] = useState(false)
  const { busy, problem, run } = useAction()
  useEffect(() => setMenu(false), [path])
  return (
    <div class="shell">
      {/* A link's fragment would add a history entry, and count as leaving unsaved input. */}
      <button type="button" class="button skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to content
      </button>
      <header class="side" data-open={menu}>
        <div class="side-head">
          <Link to="/dashboard" class="brand">
            <Mark /> doorlock
          </Link>
          <PaletteButton navigation={seenBy(user.role)} onSignOut={onSignOut} />
          <button
            type="button"
            class="button menu-button"
            aria-expanded={menu}
            aria-controls="menu"
            onClick={() => setMenu(!menu)}
          >
            <Icon name="menu" /> Menu
          </button>
        </div>
        <div id="menu" class="menu">
          <p class="company">{company.name}</p>
          <Navigation />
          <div class="side-foot">
            <Link to="/dashboard/account" class="who" current={path === "/dashboard/account"}>
              {user.email}
            </Link>
            <div class="row">
              <SchemeChoice />
              <Button look="quiet" busy={busy} onClick={() => void run(onSignOut)}>
                Sign out
              </Button>
            </div>
            {problem}
          </div>
        </div>
      </header>
      <DecisionsMade />
      <main id="main" tabIndex={-1}>
        {/* The key: each path is a page with its own input. */}
        <Boundary key={path}>
          <PageAt path={path} />
        </Boundary>
      </main>
      <Connection />
    </div>
  )
}

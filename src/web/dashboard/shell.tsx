/** What surrounds every page for who is signed in: the ways to the others. */
import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Button } from "../ui/parts.tsx"
import { chooseScheme, chosenScheme, schemes } from "../ui/scheme.ts"
import { useAccount } from "./common/account.ts"
import { failureOf } from "./common/call.ts"
import { Boundary } from "./common/error-boundary.tsx"
import { Page } from "./common/parts.tsx"
import { Link, matched, usePlace } from "./common/router.tsx"
import { type Place, places } from "./pages.tsx"

const NotFound = () => (
  <Page title="Nothing is here">
    <p>
      This address leads nowhere. <Link to="/dashboard">Go to the overview</Link>
    </p>
  </Page>
)

/** The page at a path. */
const pageAt = (path: string): JSX.Element => {
  for (const { pages } of places) {
    for (const { page: Shown, pattern } of pages) {
      const parameters = matched(pattern, path)
      // The key: another instance or API is another page, with entries of its own.
      if (parameters !== undefined) return <Shown key={path} parameters={parameters} />
    }
  }
  return <NotFound />
}

const isAt = ({ pages }: Place, path: string): boolean =>
  pages.some(({ pattern }) => matched(pattern, path) !== undefined)

const groups = [...new Set(places.map(({ group }) => group))]

interface NavigationProps {
  readonly path: string
}

const Navigation = ({ path }: NavigationProps) => {
  const { user } = useAccount()
  const seen = places.filter(({ onlyOwners }) => onlyOwners !== true || user.role === "owner")
  return (
    <nav aria-label="Main">
      {groups.map((group) => (
        <div key={group} class="nav-group">
          {group === "" ? null : <p>{group}</p>}
          <ul>
            {seen
              .filter((place) => place.group === group)
              .map((place) => (
                <li key={place.label}>
                  <Link to={place.pages[0].pattern} current={isAt(place, path)}>
                    {place.label}
                  </Link>
                </li>
              ))}
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
      <select
        value={scheme}
        onChange={(event) => {
          const chosen = schemes.find((known) => known === event.currentTarget.value) ?? "system"
          chooseScheme(chosen)
          setScheme(chosen)
        }}
      >
        <option value="system">Auto</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  )
}

interface ShellProps {
  readonly onSignOut: () => Promise<void>
}

export const Shell = ({ onSignOut }: ShellProps) => {
  const { company, user } = useAccount()
  const { path } = usePlace()
  const [menu, setMenu] = useState(false)
  const [problem, setProblem] = useState<string>()
  useEffect(() => setMenu(false), [path])
  const signOut = () => {
    onSignOut().catch((cause: unknown) => setProblem(failureOf(cause).message))
  }
  return (
    <div class="shell">
      {/* No link: its fragment would be a step in the history, and count as leaving what is not saved. */}
      <button type="button" class="button skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the page
      </button>
      <header class="side" data-open={menu}>
        <div class="side-head">
          <Link to="/dashboard" class="brand">
            <span class="mark" aria-hidden="true" /> doorlock
          </Link>
          <button
            type="button"
            class="button menu-button"
            aria-expanded={menu}
            aria-controls="menu"
            onClick={() => setMenu(!menu)}
          >
            Menu
          </button>
        </div>
        <div id="menu" class="menu">
          <p class="company">{company.name}</p>
          <Navigation path={path} />
          <div class="side-foot">
            <a href="/docs" class="who">
              API documentation
            </a>
            <Link to="/dashboard/account" class="who" current={path === "/dashboard/account"}>
              {user.email}
            </Link>
            <div class="row">
              <SchemeChoice />
              <Button look="quiet" onClick={signOut}>
                Sign out
              </Button>
            </div>
            {problem === undefined ? null : <p class="error">{problem}</p>}
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <Boundary key={path}>{pageAt(path)}</Boundary>
      </main>
    </div>
  )
}

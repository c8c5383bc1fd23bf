/** The entry point of the dashboard's script. */
import { render } from "preact"
import { applyScheme } from "../ui/scheme.ts"
import { takeInvitation } from "./accounts/invitation.tsx"
import { App } from "./app.tsx"
import { prefetchFirst } from "./page-list.ts"

applyScheme()

// As early as possible, because the token is in the address bar.
const invitation = takeInvitation()

prefetchFirst(location.pathname)

const root = document.getElementById("page")
if (root !== null) {
  root.replaceChildren()
  render(<App invitation={invitation} />, root)
}

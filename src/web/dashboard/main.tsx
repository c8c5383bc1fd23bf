/** Where the dashboard's script begins. */
import { render } from "preact"
import { applyScheme } from "../ui/scheme.ts"
import { takeInvitation } from "./accounts/invitation.tsx"
import { App } from "./app.tsx"

applyScheme()

// Before anything else: until this has run, an invitation's token is in the address bar.
const invitation = takeInvitation()

const root = document.getElementById("page")
if (root !== null) {
  root.replaceChildren()
  render(<App invitation={invitation} />, root)
}

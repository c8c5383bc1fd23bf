/** Where the dashboard's script begins. */
import { render } from "preact"
import { applyScheme } from "../ui/scheme.client.ts"
import { App } from "./app.client.tsx"
import { takeInvitation } from "./invitation.client.tsx"

applyScheme()

// Before anything else: until this has run, an invitation's token is in the address bar.
const invitation = takeInvitation()

const root = document.getElementById("page")
if (root !== null) {
  root.replaceChildren()
  render(<App invitation={invitation} />, root)
}

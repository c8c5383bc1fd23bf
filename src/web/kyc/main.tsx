/** The entry point of the page's script. */
import { render } from "preact"
import { sessionApi } from "./api.ts"
import { App } from "./app.tsx"
import { embedderOf, tellHeight } from "./embedding/embedder.ts"
import { takeToken } from "./sessions/token.ts"

// First of all: until this has run, the token is in the address bar.
const opened = takeToken()

const embedder = embedderOf(opened)
embedder.tell({ type: "ready" })

// Opening another link of the same session in this tab changes only the fragment, and loads nothing by itself.
addEventListener("hashchange", () => {
  if (/[#&](handoff|token)=/.test(location.hash)) location.reload()
})

const root = document.getElementById("page")
if (root !== null) {
  root.replaceChildren()
  render(<App opened={opened} embedder={embedder} connect={sessionApi} />, root)
}
if (embedder.framed) {
  document.documentElement.dataset.framed = ""
  tellHeight(embedder)
}

/** Where the page's script begins. */
import { render } from "preact"
import { sessionApi } from "./api.ts"
import { App } from "./app.tsx"
import { embedderOf, tellHeight } from "./embedding/embedder.ts"
import { takeToken } from "./sessions/token.ts"

// Before anything else: until this has run, the token is in the address bar.
const opened = takeToken()

const embedder = embedderOf(opened)
embedder.tell({ type: "ready" })

// A link opened in the tab of another one of its session changes the fragment only, and loads nothing by itself.
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

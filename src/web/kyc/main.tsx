/** The entry point of the page's script. */
import { render } from "preact"
import { sessionApi } from "./api.ts"
import { App } from "./app.tsx"
import { embedderOf, tellHeight } from "./embedding/embedder.ts"
import { takeToken } from "./sessions/token.ts"

// First, because it removes the token from the address bar.
const opened = takeToken()

const embedder = embedderOf(opened)
embedder.tell({ type: "ready" })

// Another link of the same session changes only the fragment, which loads nothing.
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

/** Where the preview's script begins. */
import { render } from "preact"
import { framed } from "../screens/surroundings.ts"
import { Preview } from "./preview.tsx"

// What is typed into a preview may be lost. Registered first, so that the page never gets to ask.
addEventListener("beforeunload", (event) => event.stopImmediatePropagation())

const root = document.getElementById("page")
if (root !== null && framed()) {
  root.replaceChildren()
  render(<Preview />, root)
}

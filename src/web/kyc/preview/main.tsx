/** The entry point of the preview's script. */
import { render } from "preact"
import { framed } from "../screens/surroundings.ts"
import { Preview } from "./preview.tsx"

// Input in a preview may be lost. This listener comes first, so that the page never asks.
addEventListener("beforeunload", (event) => event.stopImmediatePropagation())

const root = document.getElementById("page")
if (root !== null && framed()) {
  root.replaceChildren()
  render(<Preview />, root)
}

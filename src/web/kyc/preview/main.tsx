/** The entry point of the preview's script. */
import { render } from "preact"
import { framed } from "../screens/surroundings.ts"
import { Preview } from "./preview.tsx"

// Registered first, so that the page never asks before it leaves: input in a preview may be lost.
addEventListener("beforeunload", (event) => event.stopImmediatePropagation())

const root = document.getElementById("page")
if (root !== null && framed()) {
  root.replaceChildren()
  render(<Preview />, root)
}

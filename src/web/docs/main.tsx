/** The script of the docs: search, code with the reader's own values, and a form to try an operation. */
import { render } from "preact"
import type { SearchEntry } from "../reference/search.ts"
import { copyable } from "./copying.tsx"
import { rememberLanguage } from "./language.ts"
import { followLinks } from "./navigation.ts"
import { fillIn, own } from "./own.ts"
import { Search } from "./search.tsx"
import { readTrial, Try } from "./try.tsx"

/** Written into the script when it is bundled. */
declare const searchIndex: ReadonlyArray<SearchEntry>

const enhance = (main: HTMLElement) => {
  copyable(main)
  rememberLanguage(main)
  const form = main.querySelector<HTMLElement>("#try")
  const trial = form === null ? undefined : readTrial(form)
  if (form !== null && trial !== undefined) render(<Try key={location.pathname} trial={trial} />, form)
  void own().then((values) => fillIn(main, values))
}

const main = document.querySelector<HTMLElement>("main")
if (main !== null) enhance(main)

const search = document.getElementById("search")
if (search !== null) render(<Search index={searchIndex} />, search)

followLinks(enhance)

addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll<HTMLDetailsElement>("main details")) folded.open = true
})

document.querySelector("#pages [aria-current]")?.scrollIntoView({ block: "center" })

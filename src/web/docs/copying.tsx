/** A button at each piece of code. */
import { render } from "preact"
import { useEffect, useState } from "preact/hooks"
import { after, uiTimes } from "../timing.ts"

const Copy = ({ code }: { readonly code: HTMLElement }) => {
  const [said, setSaid] = useState("")
  useEffect(() => {
    if (said === "") return undefined
    return after(uiTimes.copied, () => setSaid("")).cancel
  }, [said])
  return (
    <>
      <span role="status" class="copied">
        {said}
      </span>
      <button
        type="button"
        class="button"
        onClick={() =>
          navigator.clipboard.writeText(code.textContent).then(
            () => setSaid("Copied"),
            // Refused, or a page without https.
            () => setSaid("Could not copy. Select the text instead.")
          )
        }
      >
        Copy
      </button>
    </>
  )
}

/** Adds the buttons to what is within. */
export const copyable = (within: HTMLElement) => {
  for (const figure of within.querySelectorAll<HTMLElement>(".snippet")) {
    const code = figure.querySelector("code")
    if (code === null || figure.querySelector(".copy") !== null) continue
    const place = document.createElement("div")
    place.className = "copy"
    figure.append(place)
    render(<Copy code={code} />, place)
  }
}

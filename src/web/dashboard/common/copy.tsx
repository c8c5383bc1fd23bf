import { useEffect, useState } from "preact/hooks"
import { after, uiTimes } from "../../timing.ts"
import { Button } from "../../ui/parts.tsx"

interface CopyProps {
  readonly text: string
  /** What is copied, in a word or two: "key", "command". */
  readonly what: string
  readonly onCopied?: () => void
}

export const Copy = ({ onCopied, text, what }: CopyProps) => {
  const [said, setSaid] = useState<"copied" | "failed">()
  useEffect(() => {
    if (said === undefined) return undefined
    return after(uiTimes.copied, () => setSaid(undefined)).cancel
  }, [said])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setSaid("copied")
      onCopied?.()
    } catch {
      // Refused, or a page without https: the user can select the text.
      setSaid("failed")
    }
  }
  return (
    <span class="copy">
      <Button onClick={() => void copy()}>
        Copy <span class="visually-hidden">{what}</span>
      </Button>
      <span role="status" class="copied">
        {said === "copied" ? "Copied" : said === "failed" ? "Could not copy. Select the text instead." : ""}
      </span>
    </span>
  )
}

interface LabelledProps {
  readonly label: string
  readonly text: string
}

/** A text to paste elsewhere. */
export const Snippet = ({ label, text }: LabelledProps) => (
  <figure class="snippet">
    <figcaption>
      {label}
      <Copy text={text} what={label} />
    </figcaption>
    {/* Wraps instead of scrolling: a scrollable element would have to be focusable. */}
    <pre>
      <code>{text}</code>
    </pre>
  </figure>
)

/** A secret that is shown only once. */
export const Secret = ({ label, text }: LabelledProps) => (
  <div class="secret">
    <p class="secret-label">{label}</p>
    <div class="secret-row">
      <code>{text}</code>
      <Copy text={text} what={label} />
    </div>
  </div>
)

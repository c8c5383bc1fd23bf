/** What is taken elsewhere: secrets, commands, addresses. */
import { useEffect, useState } from "preact/hooks"
import { Button } from "../../ui/parts.tsx"

interface CopyProps {
  readonly text: string
  /** What is copied, in a word or two: "key", "command". */
  readonly what: string
}

/** Puts a text on the clipboard, and says so. */
export const Copy = ({ text, what }: CopyProps) => {
  const [said, setSaid] = useState<"copied" | "failed">()
  useEffect(() => {
    if (said === undefined) return undefined
    const timer = setTimeout(() => setSaid(undefined), 2500)
    return () => clearTimeout(timer)
  }, [said])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setSaid("copied")
    } catch {
      // Refused, or a page without https: the text is there to be selected.
      setSaid("failed")
    }
  }
  return (
    <span class="copy">
      <Button onClick={() => void copy()}>
        Copy <span class="visually-hidden">{what}</span>
      </Button>
      <span role="status" class="copied">
        {said === "copied" ? "Copied" : said === "failed" ? "Select and copy it yourself" : ""}
      </span>
    </span>
  )
}

interface SnippetProps {
  readonly label: string
  readonly text: string
}

/** Something to paste elsewhere. */
export const Snippet = ({ label, text }: SnippetProps) => {
  return (
    <figure class="snippet">
      <figcaption>
        {label}
        <Copy text={text} what={label} />
      </figcaption>
      {/* Wraps rather than scrolls: what scrolls would have to take the focus. */}
      <pre>
        <code>{text}</code>
      </pre>
    </figure>
  )
}

interface SecretProps {
  readonly label: string
  readonly secret: string
}

/** A secret that is shown this once. */
export const Secret = ({ label, secret }: SecretProps) => (
  <div class="secret">
    <p class="secret-label">{label}</p>
    <div class="secret-row">
      <code>{secret}</code>
      <Copy text={secret} what={label} />
    </div>
  </div>
)

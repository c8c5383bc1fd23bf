/** @jsxImportSource preact */
/** A text of an OpenAPI document with a little Markdown. It is rendered as elements, never as HTML; its links show their hosts. */
import type { ComponentChildren } from "preact"

/** The maximum displayed length, in characters. */
const maxLength = 20_000

// Bounded repetition, so that a long row of brackets takes no longer to match than other text.
const marks =
  /`([^`\n]{1,500})`|\*\*([^*\n]{1,500})\*\*|\[([^\]\n]{1,300})\]\((https?:\/\/[^\s)]{1,2000})\)|(https?:\/\/[^\s<>()"']{1,2000})/g

/** The address, if it is safe to link to: http or https, without credentials. */
export const webAddress = (text: string): URL | undefined => {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return undefined
  return url.username === "" && url.password === "" ? url : undefined
}

interface ForeignLinkProps {
  readonly url: URL
  readonly children: ComponentChildren
}

export const ForeignLink = ({ children, url }: ForeignLinkProps) => (
  <a href={url.href} target="_blank" rel="noopener noreferrer nofollow">
    {children}
  </a>
)

const inline = (text: string): ReadonlyArray<ComponentChildren> => {
  const parts: Array<ComponentChildren> = []
  let end = 0
  for (const found of text.matchAll(marks)) {
    const [whole, code, strong, label, address, bare] = found
    parts.push(text.slice(end, found.index))
    end = found.index + whole.length
    const url = webAddress(address ?? bare ?? "")
    if (code !== undefined) parts.push(<code>{code}</code>)
    else if (strong !== undefined) parts.push(<strong>{strong}</strong>)
    else if (url === undefined) parts.push(whole)
    else if (label === undefined) parts.push(<ForeignLink url={url}>{whole}</ForeignLink>)
    else parts.push(<ForeignLink url={url}>{label}</ForeignLink>, <span class="faint"> ({url.host})</span>)
  }
  parts.push(text.slice(end))
  return parts
}

interface Block {
  readonly kind: "text" | "heading" | "item" | "code"
  readonly lines: ReadonlyArray<string>
}

const kindOf = (line: string): Block["kind"] => {
  if (/^#{1,6} /.test(line)) return "heading"
  return /^\s{0,6}(?:[-*+]|\d{1,9}[.)]) /.test(line) ? "item" : "text"
}

const blocksOf = (text: string): ReadonlyArray<Block> => {
  const blocks: Array<{ kind: Block["kind"]; lines: Array<string> }> = []
  let open: (typeof blocks)[number] | undefined
  for (const line of text.slice(0, maxLength).split(/\r?\n/)) {
    const isFence = /^\s{0,3}```/.test(line)
    if (open?.kind === "code") {
      if (isFence) open = undefined
      else open.lines.push(line)
      continue
    }
    if (line.trim() === "") {
      open = undefined
      continue
    }
    const kind = isFence ? "code" : kindOf(line)
    // A line without its own mark continues the open block.
    if (open !== undefined && kind === "text" && open.kind !== "heading") {
      open.lines.push(line)
      continue
    }
    open = { kind, lines: isFence ? [] : [line] }
    blocks.push(open)
  }
  return blocks
}

/** A single line of such a text. */
export const ProseLine = ({ text }: { readonly text: string }) => <>{inline(text)}</>

/** How a text begins, without marks, for a list. */
export const firstParagraph = (text: string): string => {
  const [first] = blocksOf(text)
  return (first?.lines.join(" ") ?? "")
    .replace(/^\s*(?:#{1,6}|[-*+]) /, "")
    .replace(marks, (whole, code, strong, label) => code ?? strong ?? label ?? whole)
}

const Shown = ({ block: { kind, lines } }: { readonly block: Block }) => {
  const text = lines.join("\n")
  switch (kind) {
    case "code":
      return (
        <pre>
          <code>{text}</code>
        </pre>
      )
    case "heading":
      return <p class="prose-heading">{inline(text.replace(/^#+ /, ""))}</p>
    case "item":
      return <p class="prose-item">{inline(text.replace(/^\s*[-*+] /, "• "))}</p>
    case "text":
      return <p>{inline(text)}</p>
  }
}

export const Prose = ({ text }: { readonly text: string }) =>
  text === "" ? null : (
    <div class="prose">
      {blocksOf(text).map((block, index) => (
        <Shown key={index} block={block} />
      ))}
      {text.length > maxLength ? <p class="faint">… (the document has more)</p> : null}
    </div>
  )

/** @jsxImportSource preact */
/** Markdown of this repository as elements. HTML in it is shown as text, but for anchors. */
import type { MarkedToken, Token, Tokens } from "marked"
import type { ComponentChildren } from "preact"
import { anchorOfHeading } from "./guides.ts"

/** Gives a link the address that it has here; undefined if it has none, and then only its words are shown. */
type AddressOf = (href: string) => string | undefined

interface MarkdownProps {
  readonly tokens: ReadonlyArray<Token>
  readonly addressOf: AddressOf
}

const languageNames: Readonly<Record<string, string>> = {
  diagram: "Diagram",
  go: "Go",
  html: "HTML",
  js: "JavaScript",
  json: "JSON",
  php: "PHP",
  py: "Python",
  python: "Python",
  sh: "Shell",
  text: "Output",
  ts: "TypeScript",
  tsx: "TypeScript",
  yaml: "YAML"
}

const Code = ({ lang = "", text }: Tokens.Code) => (
  <figure class="snippet">
    <figcaption>{languageNames[lang] ?? (lang === "" ? "Shell" : lang)}</figcaption>
    <pre>
      <code>{text}</code>
    </pre>
  </figure>
)

const Table = ({ addressOf, of: { header, rows } }: { readonly of: Tokens.Table } & Of) => (
  <table class="rows">
    {header.some(({ text }) => text !== "") ? (
      <thead>
        <tr>
          {header.map(({ tokens }, index) => (
            <th key={index} scope="col">
              <Markdown tokens={tokens} addressOf={addressOf} />
            </th>
          ))}
        </tr>
      </thead>
    ) : null}
    <tbody>
      {rows.map((row, index) => (
        <tr key={index}>
          {row.map(({ tokens }, column) => (
            <td key={column}>
              <Markdown tokens={tokens} addressOf={addressOf} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)

type Of = Pick<MarkdownProps, "addressOf">

const anchor = /^<a id="([\w-]+)">$/

const Shown = ({ addressOf, token }: { readonly token: MarkedToken } & Of) => {
  const inside = (tokens: ReadonlyArray<Token> | undefined): ComponentChildren => (
    <Markdown tokens={tokens ?? []} addressOf={addressOf} />
  )
  switch (token.type) {
    case "space":
    case "def":
      return null
    case "heading": {
      const Level = token.depth <= 2 ? "h2" : token.depth === 3 ? "h3" : "h4"
      const id = anchorOfHeading(token)
      return (
        <Level id={id}>
          <a class="anchor" href={`#${id}`}>
            {inside(token.tokens)}
          </a>
        </Level>
      )
    }
    case "paragraph":
      return <p>{inside(token.tokens)}</p>
    case "blockquote":
      return <blockquote>{inside(token.tokens)}</blockquote>
    case "list": {
      const List = token.ordered ? "ol" : "ul"
      return (
        <List>
          {token.items.map(({ tokens }, index) => (
            <li key={index}>{inside(tokens)}</li>
          ))}
        </List>
      )
    }
    case "table":
      return <Table of={token} addressOf={addressOf} />
    case "code":
      return <Code {...token} />
    case "hr":
      return <hr />
    case "br":
      return <br />
    case "strong":
      return <strong>{inside(token.tokens)}</strong>
    case "em":
      return <em>{inside(token.tokens)}</em>
    case "codespan":
      return <code>{token.text}</code>
    case "link": {
      const address = addressOf(token.href)
      return address === undefined ? inside(token.tokens) : <a href={address}>{inside(token.tokens)}</a>
    }
    case "text":
      return "tokens" in token && token.tokens !== undefined ? inside(token.tokens) : token.text
    case "html": {
      const id = anchor.exec(token.raw)?.[1]
      if (id !== undefined) return <span id={id} />
      return token.raw === "</a>" ? null : token.raw
    }
    default:
      return "text" in token ? token.text : token.raw
  }
}

export const Markdown = ({ addressOf, tokens }: MarkdownProps) => (
  <>
    {tokens.map((token, index) => (
      // The cast: no extension of the lexer adds types of tokens.
      <Shown key={index} token={token as MarkedToken} addressOf={addressOf} />
    ))}
  </>
)

/** The texts that the docs show: Markdown below `docs/`, which is also read in the repository. */
import { lexer, type Token, type Tokens } from "marked"

interface Listed {
  /** The last part of its address. */
  readonly slug: string
  /** Below `docs/`. */
  readonly file: string
}

const guide = (slug: string): Listed => ({ slug, file: `guides/${slug}.md` })

/** In the order in which a newcomer needs them. */
const guideFiles: ReadonlyArray<Listed> = [
  "quickstart",
  "embedding",
  "test-mode",
  "webhooks",
  "review",
  "errors",
  "limits",
  "keys",
  "publishing",
  "calling-an-api",
  "going-live",
  "privacy",
  "typescript-client",
  "mcp"
].map(guide)

/** What the guides refer to for the details. */
const backgroundFiles: ReadonlyArray<Listed> = [
  { slug: "contract", file: "contract.md" },
  { slug: "glossary", file: "glossary.md" },
  { slug: "gateway", file: "gateway.md" },
  { slug: "checks", file: "checks.md" },
  { slug: "personal-data", file: "privacy.md" },
  { slug: "security", file: "security.md" },
  { slug: "audit", file: "audit.md" },
  { slug: "operations", file: "operations.md" }
]

interface Heading {
  readonly depth: number
  readonly text: string
  readonly anchor: string
}

export interface Guide {
  readonly file: string
  readonly isBackground: boolean
  readonly address: string
  /** The first heading. */
  readonly title: string
  /** The first sentence. */
  readonly about: string
  /** Markdown, with the address of this service in place of the example's. */
  readonly text: string
  readonly tokens: ReadonlyArray<Token>
  /** All but the first. */
  readonly headings: ReadonlyArray<Heading>
}

const isHeading = (token: Token): token is Tokens.Heading => token.type === "heading"

/** The text of a heading or a paragraph without its marks. */
const wordsOf = (tokens: ReadonlyArray<Token>): string =>
  tokens
    .map((token) => {
      if ("tokens" in token && token.tokens !== undefined) return wordsOf(token.tokens)
      return "text" in token ? String(token.text) : ""
    })
    .join("")

/** As the usual hosts of Markdown make it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-")

/** The anchor of a heading token, as `headings` lists it. */
export const anchorOfHeading = ({ tokens }: Tokens.Heading): string => anchorOf(wordsOf(tokens))

/** What stands for this service in the texts. */
const exampleAddress = /https:\/\/doorlock\.example(?!\.?\w)/g

/** Of a paragraph that may go on. */
const firstSentence = (paragraph: string): string =>
  (/^.*?[.:](?=\s|$)/s.exec(paragraph)?.[0] ?? paragraph).replaceAll(/\s+/g, " ").replace(/:$/, ".")

/**
 * Reads the texts. Fails if one is missing.
 *
 * @param base the public address of the API, which replaces that of the example
 */
export const readGuides = async (base: string): Promise<ReadonlyArray<Guide>> => {
  const read =
    (isBackground: boolean) =>
    async ({ file, slug }: Listed): Promise<Guide> => {
      const source = await Bun.file(`${import.meta.dirname}/../../../docs/${file}`).text()
      const text = source.replaceAll(exampleAddress, base)
      const tokens = lexer(text)
      const [first, ...others] = tokens.filter(isHeading)
      const paragraph = tokens.find((token): token is Tokens.Paragraph => token.type === "paragraph")
      return {
        file,
        isBackground,
        address: `/docs/guides/${slug}`,
        title: wordsOf(first?.tokens ?? []),
        about: firstSentence(wordsOf(paragraph?.tokens ?? [])),
        text,
        tokens: tokens.filter((token) => token !== first),
        headings: others.map((heading) => ({
          depth: heading.depth,
          text: wordsOf(heading.tokens),
          anchor: anchorOfHeading(heading)
        }))
      }
    }
  return [
    ...(await Promise.all(guideFiles.map(read(false)))),
    ...(await Promise.all(backgroundFiles.map(read(true))))
  ]
}

/**
 * Where a link of a text leads on this service; undefined if nothing here is its target, such as a file of the repository.
 *
 * @param from the file with the link, below `docs/`
 */
export const addressOfLink = (
  guides: ReadonlyArray<Guide>,
  base: string,
  from: string,
  href: string
): string | undefined => {
  if (href.startsWith("#")) return href
  if (href.startsWith(`${base}/`)) return href.slice(base.length)
  if (URL.canParse(href)) return href
  const { hash, pathname } = new URL(href, `file:///${from}`)
  const target = guides.find(({ file }) => `/${file}` === pathname)
  return target === undefined ? undefined : target.address + hash
}

/** The texts that the docs show: Markdown below `docs/`, which is also read in the repository. */
import { dirname } from "node:path"
import { lexer, type Token, type Tokens } from "marked"

/** Where the docs list a text. */
export type Section = "Guides" | "Examples" | "Background"

interface Listed {
  readonly address: string
  /** Below `docs/`. */
  readonly file: string
  /** The files of an example beside its text, which the page shows. */
  readonly programs?: ReadonlyArray<string>
}

const guide = (slug: string): Listed => ({ address: `/docs/guides/${slug}`, file: `guides/${slug}.md` })

const background = (slug: string, file: string): Listed => ({ address: `/docs/guides/${slug}`, file })

const example = (name: string, ...programs: ReadonlyArray<string>): Listed => ({
  address: `/docs/examples/${name}`,
  file: `examples/${name}/README.md`,
  programs
})

/** In the order in which a newcomer needs them. */
const guideFiles: ReadonlyArray<Listed> = [
  "quickstart",
  "workflows",
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
  "mcp",
  "error-codes"
].map(guide)

/** Programs to copy from. */
const exampleFiles: ReadonlyArray<Listed> = [
  { address: "/docs/examples", file: "examples/README.md" },
  example("hono", "shop.ts"),
  example("express", "shop.js"),
  example("next", "shop.ts", "app/sign-up/route.ts", "app/orders/[id]/route.ts", "app/webhooks/route.ts"),
  example("react", "verification.tsx", "main.tsx", "server.ts", "index.html"),
  example("python", "receiver.py")
]

/** What the guides refer to for the details. */
const backgroundFiles: ReadonlyArray<Listed> = [
  background("contract", "contract.md"),
  background("glossary", "glossary.md"),
  background("gateway", "gateway.md"),
  background("checks", "checks.md"),
  background("personal-data", "privacy.md"),
  background("security", "security.md"),
  background("owasp", "owasp.md"),
  background("audit", "audit.md"),
  background("operations", "operations.md")
]

interface Heading {
  readonly depth: number
  readonly text: string
  readonly anchor: string
}

export interface Guide {
  readonly file: string
  /** Files beside it that its text shows. */
  readonly programs: ReadonlyArray<string>
  readonly section: Section
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

const docsFolder = `${import.meta.dirname}/../../../docs`

/** The program as a part of its example's text, under its name. */
const withHeading = async (folder: string, name: string): Promise<string> => {
  const code = await Bun.file(`${docsFolder}/${folder}/${name}`).text()
  return `\n## \`${name}\`\n\n\`\`\`${name.slice(name.lastIndexOf(".") + 1)}\n${code.trimEnd()}\n\`\`\`\n`
}

/**
 * Reads the texts. Fails if one is missing.
 *
 * @param base the public address of the API, which replaces that of the example
 */
export const readGuides = async (base: string): Promise<ReadonlyArray<Guide>> => {
  const read =
    (section: Section) =>
    async ({ address, file, programs = [] }: Listed): Promise<Guide> => {
      const parts = await Promise.all([
        Bun.file(`${docsFolder}/${file}`).text(),
        ...programs.map((name) => withHeading(dirname(file), name))
      ])
      const text = parts.join("").replaceAll(exampleAddress, base)
      const tokens = lexer(text)
      const [first, ...others] = tokens.filter(isHeading)
      const paragraph = tokens.find((token): token is Tokens.Paragraph => token.type === "paragraph")
      return {
        file,
        programs,
        section,
        address,
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
  return Promise.all([
    ...guideFiles.map(read("Guides")),
    ...exampleFiles.map(read("Examples")),
    ...backgroundFiles.map(read("Background"))
  ])
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
  const { hash, pathname: encoded } = new URL(href, `file:///${from}`)
  const path = decodeURIComponent(encoded).slice(1)
  // In the repository, a folder shows its README.
  const target = guides.find(({ file }) => file === path || file === `${path}/README.md`)
  if (target !== undefined) return target.address + hash
  // A program is a part of its example's page.
  const shows = guides.find(({ file, programs }) =>
    programs.some((name) => `${dirname(file)}/${name}` === path)
  )
  return shows && `${shows.address}#${anchorOf(path.slice(dirname(shows.file).length + 1))}`
}

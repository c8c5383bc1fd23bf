/** The pages of the docs as Markdown, each at its address and `.md`, and `/llms.txt`: for agents, and to copy from. */
import { type Json, object } from "../../web/json.ts"
import { languages } from "../../web/reference/calls.ts"
import { answersOf, bodyOf, type Media, parametersOf, plain, textOf } from "../../web/reference/document.ts"
import { kindOf, membersOf, rulesOf } from "../../web/reference/schema.tsx"
import { addressOfLink, type Guide, type Section } from "./guides.ts"
import { callOf, waysOf } from "./operation-page.tsx"
import { type DocumentedOperation, errorsOf, type Site } from "./site.ts"

interface Given {
  readonly site: Site
  /** The public address of the API. */
  readonly base: string
}

/** The address of a page as Markdown; of others, the address itself. */
const whole = (base: string, address: string): string => {
  if (!address.startsWith("/")) return address
  const [path = "", hash] = address.split("#")
  const isPage = /^\/docs(?:$|\/)/.test(path)
  return `${base}${path}${isPage ? ".md" : ""}${hash === undefined ? "" : `#${hash}`}`
}

/** Text between fences of code is left as it is. */
const outsideCode = (text: string, change: (part: string) => string): string =>
  text
    .split(/(^```[\s\S]*?^```)/m)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join("")

/** A guide with links that work on their own. What leads nowhere here loses its link. */
const guideAsMarkdown = ({ base, site: { guides } }: Given, guide: Guide): string =>
  outsideCode(guide.text, (part) =>
    part.replaceAll(/\[((?:`[^`]*`|[^\]])*)\]\(([^()\s]+)\)/g, (_, words: string, href: string) => {
      const address = addressOfLink(guides, base, guide.file, href)
      return address === undefined ? words : `[${words}](${whole(base, address)})`
    })
  )

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``

/** In one line. */
const inLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim()

/** The maximum depth of nested fields. */
const maxDepth = 5

const fields = (document: Json, schema: unknown, depth = 0): ReadonlyArray<string> =>
  depth === maxDepth
    ? []
    : membersOf(document, schema).flatMap(({ name, required = false, schema: inner }) => {
        const { node } = plain(document, inner)
        const kind = kindOf({ document, nameOf: (component) => component }, inner)
        const rules = [kind, ...(required ? ["required"] : []), ...rulesOf(node)].join(", ")
        const description = inLine(textOf(node.description))
        return [
          `${"  ".repeat(depth)}- \`${name}\` (${rules})${description === "" ? "" : `: ${description}`}`,
          ...fields(document, inner, depth + 1)
        ]
      })

const body = ({ site }: Given, media: ReadonlyArray<Media>): ReadonlyArray<string> =>
  media.flatMap(({ example, schema, type }) => [
    `\`${type}\``,
    fields(site.document, schema).join("\n"),
    example === undefined ? "" : fenced("json", JSON.stringify(example, null, 2))
  ])

const paragraphs = (parts: ReadonlyArray<string>): string =>
  `${parts.filter((part) => part !== "").join("\n\n")}\n`

const operationAsMarkdown = (given: Given, documented: DocumentedOperation): string => {
  const { base, site } = given
  const { document } = site
  const { operation, title } = documented
  const parameters = parametersOf(document, operation)
  const input = bodyOf(document, operation)
  const call = callOf(document, base, operation)
  return paragraphs([
    `# ${title}`,
    `\`${operation.method} ${operation.path}\``,
    title === operation.summary ? "" : `${operation.summary}.`,
    operation.description,
    waysOf(operation).join(" "),
    parameters.length === 0 ? "" : "## Parameters",
    parameters
      .map(({ description, name, place, required, schema }) => {
        const kind = kindOf({ document, nameOf: (component) => component }, schema)
        const words = inLine(description)
        return `- \`${name}\` (${place}, ${kind}${required ? ", required" : ""})${words === "" ? "" : `: ${words}`}`
      })
      .join("\n"),
    ...(input === undefined
      ? []
      : [`## Body${input.required ? "" : " (optional)"}`, input.description, ...body(given, input.media)]),
    "## Code",
    ...languages
      .filter(({ id }) => id === "curl" || id === "typescript")
      .map(({ id, write }) => fenced(id === "curl" ? "sh" : "ts", write(call))),
    ...answersOf(document, operation)
      .filter(({ status }) => status.startsWith("2"))
      .flatMap(({ description, media, status }) => [
        `## Response ${status}`,
        description === "Success" ? "" : description,
        ...(media.length === 0 ? ["No body."] : body(given, media))
      ]),
    "## Errors",
    [
      "| Status | doorlock-error | Message |",
      "| --- | --- | --- |",
      ...errorsOf(document, operation).map(
        ({ code, message, status }) =>
          `| ${status} | \`${code}\` | ${inLine(message).replaceAll("|", "\\|")} |`
      )
    ].join("\n")
  ])
}

const link = (base: string, { address, title }: { readonly address: string; readonly title: string }) =>
  `[${title}](${whole(base, address)})`

const guideLinks = ({ base, site: { guides } }: Given, section: Section): string =>
  guides
    .filter((guide) => guide.section === section)
    .map((guide) => `- ${link(base, guide)}: ${inLine(guide.about)}`)
    .join("\n")

const overviewAsMarkdown = (given: Given): string => {
  const { base, site } = given
  const { document, events, goals } = site
  return paragraphs([
    "# doorlock API",
    `The base address is \`${base}\`. The OpenAPI 3.1 document is at ${base}/openapi.json.`,
    "## Guides",
    guideLinks(given, "Guides"),
    "## Examples",
    guideLinks(given, "Examples"),
    "## What every call has in common",
    textOf(object(document.info).description),
    ...goals.flatMap(({ groups, intro, title }) => [
      `## ${title}`,
      intro,
      groups
        .flatMap(({ operations }) =>
          operations.map((one) => `- ${link(base, one)}: \`${one.operation.method} ${one.operation.path}\``)
        )
        .join("\n")
    ]),
    events.length === 0 ? "" : "## Events",
    events.length === 0 ? "" : link(base, { address: "/docs/events", title: "All events" }),
    "## Background",
    guideLinks(given, "Background")
  ])
}

const eventsAsMarkdown = (given: Given): string => {
  const { site } = given
  const [first] = site.events
  return paragraphs([
    "# All events",
    "The feed has these events, and doorlock sends them to webhook endpoints.",
    ...(first === undefined
      ? []
      : [
          "## Headers of a webhook",
          parametersOf(site.document, first.operation)
            .map(({ description, name }) => `- \`${name}\`: ${inLine(description)}`)
            .join("\n")
        ]),
    ...site.events.flatMap(({ operation, type }) => [
      `## ${type}`,
      operation.summary,
      ...body(given, bodyOf(site.document, operation)?.media ?? [])
    ])
  ])
}

/** In the form of llmstxt.org: what this is, and where to read on. */
const llms = (given: Given): string => {
  const { base } = given
  return paragraphs([
    "# doorlock",
    "> One REST service that verifies the identity of people (KYC), issues API keys to servers, and lets companies publish and call APIs (marketplace and gateway).",
    `Every page of the docs is also available as Markdown, at its address followed by \`.md\`. All calls go to ${base}.`,
    "## Guides",
    guideLinks(given, "Guides"),
    "## Examples",
    guideLinks(given, "Examples"),
    "## Reference",
    [
      `- [All operations](${base}/docs.md): by what you want to do, each with a page of its own`,
      `- [OpenAPI 3.1](${base}/openapi.json): every route, with examples and the codes of its errors`,
      `- [All events](${base}/docs/events.md): what the feed and webhooks send`,
      `- [Published APIs](${base}/api/api-marketplace/openapi.json): the OpenAPI document of all APIs behind the gateway`
    ].join("\n"),
    "## Optional",
    guideLinks(given, "Background")
  ])
}

/** By address: `/docs.md`, `/docs/guides/quickstart.md`, `/llms.txt`. */
export const markdownOf = (given: Given): ReadonlyMap<string, () => string> => {
  const { guides, operations } = given.site
  return new Map<string, () => string>([
    ["/llms.txt", () => llms(given)],
    ["/docs.md", () => overviewAsMarkdown(given)],
    ["/docs/events.md", () => eventsAsMarkdown(given)],
    ...guides.map((guide) => [`${guide.address}.md`, () => guideAsMarkdown(given, guide)] as const),
    ...operations.map((one) => [`${one.address}.md`, () => operationAsMarkdown(given, one)] as const)
  ])
}

/** @jsxImportSource preact */
/** Renders the pages of the docs. Loaded when the first of them is requested. */
import type { JSX } from "preact"
import { renderToString } from "preact-render-to-string"
import type { Json } from "../../web/json.ts"
import { ReadingProvider } from "../../web/reference/reading.ts"
import type { SearchEntry } from "../../web/reference/search.ts"
import { markdownOf } from "./as-markdown.ts"
import { EventsPage } from "./events-page.tsx"
import { Frame } from "./frame.tsx"
import { GuidePage } from "./guide-page.tsx"
import type { Guide } from "./guides.ts"
import { OperationPage } from "./operation-page.tsx"
import { Overview } from "./overview.tsx"
import { parts } from "./parts.tsx"
import { searchIndexOf, siteOf } from "./site.ts"

interface DocsPage {
  readonly title: string
  readonly description: string
  /** The content of `body`. */
  readonly html: () => string
}

export interface Docs {
  /** By address. */
  readonly pages: ReadonlyMap<string, DocsPage>
  /** By address, which ends with `.md`, and `/llms.txt`. */
  readonly markdown: ReadonlyMap<string, () => string>
  readonly searchIndex: () => ReadonlyArray<SearchEntry>
}

/** @param base the public address of the API */
export const docsOf = (document: Json, base: string, guides: ReadonlyArray<Guide>): Docs => {
  const site = siteOf(document, guides)
  const reading = { document, parts, isWhole: true, nameOf: (name: string) => name }
  const page = (
    address: string,
    title: string,
    content: JSX.Element,
    description = "How to call doorlock's API, with code and a form to try each operation."
  ): [string, DocsPage] => [
    address,
    {
      title,
      description,
      html: () =>
        renderToString(
          <Frame site={site} current={address}>
            <ReadingProvider value={reading}>{content}</ReadingProvider>
          </Frame>
        )
    }
  ]
  return {
    pages: new Map([
      page("/docs", "doorlock API", <Overview site={site} base={base} />),
      page("/docs/events", "All events · doorlock API", <EventsPage site={site} />),
      ...guides.map((of) =>
        page(of.address, `${of.title} · doorlock`, <GuidePage site={site} of={of} base={base} />, of.about)
      ),
      ...site.operations.map((of) =>
        page(of.address, `${of.title} · doorlock API`, <OperationPage site={site} of={of} base={base} />)
      )
    ]),
    markdown: markdownOf({ site, base }),
    searchIndex: () => searchIndexOf(site)
  }
}

import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { brotliDecompressSync } from "node:zlib"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { lexer } from "marked"
import { describe, it as plainIt } from "vitest"
import { Api } from "../../src/api.ts"
import { clientFunctionOf } from "../../src/client/names.ts"
import { type ClientOptions, createClient } from "../../src/client/package/index.ts"
import { describe as describeApi } from "../../src/http/contract/openapi.ts"
import { goals } from "../../src/pages/docs/goals.ts"
import { type Guide, readGuides } from "../../src/pages/docs/guides.ts"
import { callOf } from "../../src/pages/docs/operation-page.tsx"
import { docsOf } from "../../src/pages/docs/render.tsx"
import { errorsOf, siteOf } from "../../src/pages/docs/site.ts"
import { languages } from "../../src/web/reference/calls.ts"
import { parametersOf } from "../../src/web/reference/document.ts"
import { search } from "../../src/web/reference/search.ts"
import { TestServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"

const base = "https://doorlock.test"
const document = describeApi(Api, base)
const guides = await readGuides(base)
const site = siteOf(document, guides)
const docs = docsOf(document, base, guides)

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")

/** Every address the page's HTML names. */
const addresses = (html: string) =>
  [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, address]) => address ?? "")

describe("the pages of the docs", () => {
  plainIt("have every operation of the contract once, under what a reader wants to do", () => {
    const used = new Set(
      Object.values(document.paths as Record<string, Record<string, { tags: Array<string> }>>).flatMap(
        (item) => Object.values(item).flatMap(({ tags }) => tags)
      )
    )
    const sorted = goals.flatMap(({ groups }) => groups.map(({ tag }) => tag))
    expect(sorted.toSorted()).toEqual([...used].sort())
    const described = Object.values(document.paths as Record<string, object>).flatMap((item) =>
      Object.keys(item)
    )
    expect(site.operations).toHaveLength(described.length)
    expect(new Set(site.operations.map(({ address }) => address)).size).toBe(described.length)
    expect(site.events.map(({ type }) => type)).toEqual(Object.keys(document.webhooks as object))
  })

  plainIt(
    "say everything without scripts: parameters, errors with their codes, and code in four languages",
    () => {
      for (const { address, operation, title } of site.operations) {
        const html = docs.pages.get(address)?.html() ?? ""
        const named = [
          `<h1 tabindex="-1">${escaped(title)}</h1>`,
          ...parametersOf(document, operation).map(({ name }) => `<code>${name}</code>`),
          ...errorsOf(document, operation).flatMap(({ code, message }) => [
            `id="error-${code}"`,
            escaped(message)
          ]),
          "<code>curl ",
          clientFunctionOf(String(operation.node.operationId)) === undefined
            ? "await fetch("
            : "await doorlock.",
          "urllib.request.Request(",
          "http.NewRequest("
        ]
        expect(
          named.filter((text) => !html.includes(text)),
          address
        ).toEqual([])
      }
    }
  )

  plainIt("have TypeScript that makes the call they describe, with the credential", async () => {
    for (const { address, operation } of site.operations) {
      const call = callOf(document, base, operation)
      if (call.client === undefined) continue
      const code = languages.find(({ id }) => id === "typescript")?.write(call) ?? ""
      const sent: Array<Request> = []
      const create = (options: ClientOptions) =>
        createClient({
          ...options,
          fetch: async (url, init) => {
            sent.push(new Request(url, init))
            return Response.json({})
          }
        })
      const program = code.replaceAll(/^import .*$/gm, "").replaceAll(/process\.env\.(\w+) \?\? ""/g, '"$1"')
      const run = new Function("createClient", "readFile", "console", `return (async () => {${program}})()`)
      await run(create, async () => "picture", { log: () => {} })
      const [request] = sent
      const header = call.headers?.find(([name]) => name === "x-api-key" || name === "authorization")?.[0]
      const secret = call.client.credential?.variable
      expect(
        {
          address,
          method: request?.method,
          url: request?.url,
          secret: header && request?.headers.get(header)
        },
        code
      ).toEqual({
        address,
        method: call.method,
        url: base + call.path,
        secret: header === "authorization" ? `Bearer ${secret}` : secret
      })
      if (call.json !== undefined) expect(await request?.json(), code).toEqual(call.json)
    }
  })

  const others = [
    "/",
    "/openapi.json",
    "/receipt",
    "/schemas/kyc-config.json",
    "/schemas/kyc-workflow.json",
    "/dashboard",
    "/dashboard/instances",
    "/dashboard/keys",
    "/dashboard/marketplace",
    "/dashboard/publishing",
    "/dashboard/reviews",
    "/dashboard/webhooks"
  ]

  plainIt("have nothing inline, and each link and anchor leads somewhere", () => {
    const contents = new Map([...docs.pages].map(([address, { html }]) => [address, html()]))
    for (const [address, content] of contents) {
      const markup = content.replaceAll(/<code>[\s\S]*?<\/code>/g, "")
      expect(markup, address).not.toMatch(/<style|\sstyle=|\son\w+=|<script/)
      const lost = addresses(content)
        .filter((link) => !link.startsWith("https://"))
        .filter((link) => {
          const [path = "", anchor] = link.split("#")
          const target = path === "" ? content : contents.get(path)
          if (target === undefined) return !others.includes(path) && !docs.markdown.has(path)
          return anchor !== undefined && !target.includes(` id="${anchor}"`)
        })
      expect(lost, address).toEqual([])
    }
  })

  plainIt("as Markdown have links to pages that exist, and name this service", () => {
    expect([...docs.markdown.keys()].toSorted()).toEqual(
      ["/llms.txt", ...[...docs.pages.keys()].map((address) => `${address}.md`)].sort()
    )
    for (const [address, write] of docs.markdown) {
      const text = write()
      expect(text, address).toMatch(/^# \S/)
      expect(text, address).not.toMatch(/doorlock\.example(?!\.?\w)|\[object/)
      const prose = text.replaceAll(/^```[\s\S]*?^```/gm, "")
      const links = [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map(([, link = ""]) => link)
      const lost = links.filter((link) => {
        if (link.startsWith("#")) return false
        const [path = ""] = link.slice(base.length).split("#")
        if (!link.startsWith(`${base}/`)) return !link.startsWith("https://")
        return !docs.markdown.has(path) && !others.includes(path) && !path.endsWith("/openapi.json")
      })
      expect(lost, address).toEqual([])
    }
  })

  plainIt(
    "are led by guides, each with a title, a sentence that says what it is for, and a next step",
    () => {
      const own = guides.filter(({ section }) => section === "Guides")
      expect(own.map(({ file }) => file).toSorted()).toEqual(
        [...new Bun.Glob("*.md").scanSync(`${import.meta.dirname}/../../docs/guides`)]
          .map((file) => `guides/${file}`)
          .sort()
      )
      expect(new Set(guides.map(({ title }) => title)).size).toBe(guides.length)
      for (const { about, title } of guides) expect([title, about]).not.toContain("")
      const titles = own.map(({ address, title }) => `<a href="${address}">${escaped(title)}</a>`)
      const overview = docs.pages.get("/docs")?.html() ?? ""
      expect(titles.filter((link) => !overview.includes(link))).toEqual([])
      const llms = docs.markdown.get("/llms.txt")?.() ?? ""
      expect(llms).toMatch(/^# doorlock\n\n> .+\n/)
      for (const { about, address, title } of own)
        expect(llms).toContain(`- [${title}](${base}${address}.md): ${about}`)
    }
  )

  plainIt("link in the repository to files that exist, also where the service has no page for them", () => {
    for (const { file, text } of guides) {
      const prose = text.replaceAll(/^```[\s\S]*?^```/gm, "")
      const links = [...prose.matchAll(/\]\(([^()\s#]+)/g)].map(([, link = ""]) => link)
      const from = `${import.meta.dirname}/../../docs/${dirname(file)}`
      const lost = links.filter(
        (link) => !URL.canParse(link) && !existsSync(join(from, decodeURIComponent(link)))
      )
      expect(lost, file).toEqual([])
    }
  })

  plainIt("show HTML in a text as text", () => {
    const guide = { ...guides[0], tokens: lexer('a <b onclick="x">b</b>\n\n<script>alert(1)</script>\n') }
    const html =
      docsOf(document, base, [guide as Guide])
        .pages.get("/docs/guides/quickstart")
        ?.html() ?? ""
    expect(html).toContain("a &lt;b onclick=&quot;x&quot;>b&lt;/b>")
    expect(html).toContain("&lt;script>alert(1)&lt;/script>")
  })

  plainIt("are found by words of their titles, fields and errors, the best first", () => {
    const index = docs.searchIndex()
    const first = (query: string) => search(index, query)[0]?.[3]
    expect(first("create a session")).toBe("/docs/operations/kyc-session-creation.create")
    expect(first("instance-required")).toBe("/docs/operations/kyc-session-creation.create")
    expect(first("decide")).toBe("/docs/operations/kyc-reviews.decide")
    expect(first("quickstart")).toBe("/docs/guides/quickstart")
    expect(first("repeat a call safely")).toBe("/docs/guides/errors")
    expect(first("kyc.session.completed")).toBe("/docs/events#kyc.session.completed")
    expect(search(index, "externalReference redirect").length).toBeGreaterThan(0)
    expect(search(index, "  ")).toEqual([])
    expect(search(index, "zebra")).toEqual([])
  })
})

const get = (path: string, headers: Record<string, string> = {}) =>
  Effect.flatMap(TestServer, ({ url }) =>
    // Bun would decompress the response and drop its content-encoding, which the test checks.
    Effect.promise(() => fetch(url + path, { headers, decompress: false }))
  )

const text = (response: Response) => Effect.promise(() => response.text())
const bytes = (response: Response) => Effect.promise(() => response.bytes())

suite(TestServer.layer)("/docs", (it) => {
  it.effect("is a page with a policy that permits its own origin only, and no inline script or style", () =>
    Effect.gen(function* () {
      const response = yield* get("/docs")
      expect(response.status).toBe(200)
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8")
      expect(response.headers.get("referrer-policy")).toBe("no-referrer")
      expect(response.headers.get("x-content-type-options")).toBe("nosniff")
      const policy = response.headers.get("content-security-policy") ?? ""
      expect(policy).toMatch(/^default-src 'none'; /)
      expect(policy).not.toMatch(/unsafe|https?:|\*/)
      expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'")
      const html = yield* text(response)
      expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script>|<script(?! type="module" src=)/)
    })
  )

  it.effect("links to no other origin, and only to addresses that respond", () =>
    Effect.gen(function* () {
      const html = yield* Effect.flatMap(get("/docs"), text)
      const named = [...new Set(addresses(html).filter((address) => !address.startsWith("#")))]
      expect(named.length).toBeGreaterThan(100)
      expect(named.filter((address) => !address.startsWith("/"))).toEqual([])
      const other = named.filter((address) => !/^\/docs\/(?:operations|guides)\//.test(address))
      for (const address of other) expect((yield* get(address)).status, address).toBe(200)
      expect((yield* get("/docs/operations/api-keys.create")).status).toBe(200)
    })
  )

  it.effect("is asked for again each time, and unchanged if neither doorlock nor the sign-in changed", () =>
    Effect.gen(function* () {
      const path = "/docs/operations/api-keys.list"
      const first = yield* get(path)
      const out = yield* text(first)
      expect(first.headers.get("cache-control")).toBe("no-cache")
      expect(first.headers.get("vary")).toBe("Accept-Encoding, Cookie")
      const known = { "if-none-match": first.headers.get("etag") ?? "" }
      expect((yield* get(path, known)).status).toBe(304)
      // The cookie is not checked here: it only tells the script whether to ask who is signed in.
      const cookie = { cookie: "dashboard_session=dls_x" }
      const again = yield* get(path, { ...known, ...cookie })
      expect(again.status).toBe(200)
      const signedIn = yield* text(again)
      expect(signedIn).toContain('<meta name="docs:signed-in"')
      expect(out).not.toContain("docs:signed-in")
    })
  )

  it.effect("is also Markdown, with this service's address in the code, and the headers of the pages", () =>
    Effect.gen(function* () {
      for (const [path, type, content] of [
        ["/llms.txt", "text/plain", "# doorlock\n"],
        ["/docs.md", "text/markdown", "/docs/operations/kyc-session-creation.create.md)"],
        ["/docs/events.md", "text/markdown", "## kyc.session.completed"],
        ["/docs/guides/quickstart.md", "text/markdown", "export DOORLOCK_URL=http"],
        ["/docs/guides/contract.md", "text/markdown", "# The contract"],
        ["/docs/operations/events.list.md", "text/markdown", "`GET /api/events`"]
      ] as const) {
        const response = yield* get(path, { "accept-encoding": "br" })
        expect([response.status, response.headers.get("content-type")], path).toEqual([
          200,
          `${type}; charset=utf-8`
        ])
        expect(response.headers.get("content-security-policy"), path).toMatch(/^default-src 'none'; /)
        expect(response.headers.get("cache-control"), path).toBe("no-cache")
        const known = { "accept-encoding": "br", "if-none-match": response.headers.get("etag") ?? "" }
        expect(brotliDecompressSync(yield* bytes(response)).toString(), path).toContain(content)
        expect((yield* get(path, known)).status, path).toBe(304)
      }
    })
  )

  it.effect("with a slash behind its address redirects to the address, with the query", () =>
    Effect.gen(function* () {
      const { url } = yield* TestServer
      for (const path of ["/docs", "/docs/examples/hono", "/docs/operations/events.list", "/receipt"]) {
        const response = yield* Effect.promise(() => fetch(`${url}${path}/?a=b`, { redirect: "manual" }))
        expect([response.status, response.headers.get("location")], path).toEqual([308, `${path}?a=b`])
        expect((yield* get(`${path}/`)).status, path).toBe(200)
      }
      for (const path of ["/docs/guides/nobody-knows/", "/docs/guides/quickstart.md/", "/docs//"])
        expect((yield* get(path)).status, path).toBe(404)
    })
  )

  it.effect("answers 404 for an operation or a guide that does not exist", () =>
    Effect.gen(function* () {
      for (const name of ["nobody-knows", "nobody-knows.md", "..%2fcontract", "../contract.md.md"]) {
        expect((yield* get(`/docs/guides/${name}`)).status, name).toBe(404)
      }
      for (const name of ["nobody.knows", "..%2f..%2fdashboard", "constructor"]) {
        const response = yield* get(`/docs/operations/${name}`)
        expect([response.status, yield* text(response)], name).toEqual([404, '{"error":"Not found"}'])
      }
    })
  )

  it.effect("lets only the address with the content's hash be cached for ever", () =>
    Effect.gen(function* () {
      const html = yield* Effect.flatMap(get("/docs"), text)
      const versioned = addresses(html).find((address) => address.includes("docs.css")) ?? ""
      const caching = (path: string) =>
        Effect.map(get(path), (response) => response.headers.get("cache-control"))
      expect(yield* caching(versioned)).toBe("public, max-age=31536000, immutable")
      expect(yield* caching("/docs/assets/docs.css")).toBe("public, max-age=60")
      expect(yield* caching("/docs/assets/docs.css?v=0123456789abcdef")).toBe("public, max-age=60")
    })
  )

  it.effect("serves no other file of the packages or the sources", () =>
    Effect.gen(function* () {
      for (const path of ["/docs/assets/", "/docs/assets/..%2fmain.tsx", "/docs/assets/docs.js.map"]) {
        expect((yield* get(path)).status, path).toBe(404)
      }
    })
  )
})

/** The client as a partner gets it: packed, installed into an empty folder, compiled there, and run. */
import { cp, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, expect } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as client from "../../src/client/package/index.ts"
import { exampleEvent } from "../../src/events/examples.ts"
import { newSecret, secondsOf, signedHeaders, signWith } from "../../src/webhooks/signature.ts"
import { createInstance, createKey, signUp } from "../support/client.ts"
import { noise } from "../support/kyc/pictures.ts"
import { temporaryFolder } from "../support/postgres.ts"
import { type RunningServer, startServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"

const root = join(import.meta.dirname, "../..")

const guide = "docs/guides/typescript-client.md"

/** Without what npm tells its children, as `npx --yes bun run test` is one: an npm within it would obey that. */
const outside = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))

/** The output of a command that has to succeed. */
const run = (
  folder: string,
  command: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {}
) =>
  Effect.promise(async () => {
    const child = Bun.spawn([...command], {
      cwd: folder,
      env: { ...outside, ...environment },
      stdout: "pipe",
      stderr: "pipe"
    })
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited
    ])
    assert.strictEqual(code, 0, `${command.join(" ")}: ${stdout}${stderr}`)
    return stdout.trim()
  })

/** A folder with the installed package, and a server. */
class Partner extends Context.Tag("Partner")<
  Partner,
  { readonly built: string; readonly folder: string; readonly server: RunningServer }
>() {
  static readonly layer = Layer.scoped(
    Partner,
    Effect.gen(function* () {
      const server = yield* Effect.orDie(startServer({ GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" }))
      const built = yield* temporaryFolder
      const folder = yield* temporaryFolder
      yield* run(root, [process.execPath, "src/client/build.ts", built])
      yield* Effect.promise(() => writeFile(join(folder, "package.json"), '{"type":"module"}'))
      yield* Effect.promise(() => cp(join(import.meta.dirname, "consumer/walk.ts"), join(folder, "walk.ts")))
      // By the command of the guide.
      const page = yield* Effect.promise(() => readFile(join(root, guide), "utf8"))
      const command = /```sh\n([^#\n]*)[^\n]*\n```/.exec(page)?.[1] ?? ""
      const words = command.trim().replace("https://doorlock.example", server.url).split(/\s+/)
      yield* run(folder, [...words, "--no-audit", "--no-update-notifier", noRegistry])
      return { built, folder, server }
    })
  )
}

const options = ["--target", "es2022", "--lib", "es2022,dom", "--strict", "--exactOptionalPropertyTypes"]

/** Writes `<name>.js` by the compiler of today, with the module resolution of Node. */
const compiled = (folder: string, name: string, ...more: ReadonlyArray<string>) =>
  run(folder, [
    "node",
    join(root, "node_modules/typescript/bin/tsc"),
    ...["--ignoreConfig", "--module", "nodenext", ...options, ...more, `${name}.ts`]
  ])

/** The blocks of TypeScript of a page, as one program. */
const programOf = (page: string) =>
  Effect.promise(async () => {
    const text = await readFile(join(root, page), "utf8")
    return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => code).join("\n")
  })

/** The block of output in a page. */
const outputOf = (page: string) =>
  Effect.promise(
    async () => /```text\n([\s\S]*?)\n```/.exec(await readFile(join(root, page), "utf8"))?.[1] ?? ""
  )

/** Without what differs between servers: addresses, ids and tokens. */
const general = (output: string): string =>
  output
    .replaceAll(/https?:\/\/[^/\s]+/g, "<origin>")
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>")
    .replaceAll(/kyc_sess_(?:\w+|…)/g, "<token>")

/** With the types of Node, as a partner's server has them. */
const nodeTypes = ["--typeRoots", join(root, "node_modules/@types"), "--types", "node"]

/** The package comes from doorlock alone. */
const noRegistry = "--registry=http://127.0.0.1:9"

/** The text of each file in a packed package. */
const filesOf = async (packed: Uint8Array<ArrayBuffer>) => {
  const files = [...(await new Bun.Archive(packed).files())]
  return Object.fromEntries(await Promise.all(files.map(async ([name, file]) => [name, await file.text()])))
}

const withoutNode = Bun.which("node") === null || Bun.which("npm") === null

describe.skipIf(withoutNode)("The package (needs Node and npm)", () => {
  suite(Partner.layer)((it) => {
    it.effect("is what doorlock serves; a changed client is packed again: bun run build:client", () =>
      Effect.gen(function* () {
        const { built, folder, server } = yield* Partner
        yield* run(built, [process.execPath, "pm", "pack", "--quiet", "--filename", join(folder, "new.tgz")])
        const served = yield* Effect.promise(() => fetch(`${server.url}/client/doorlock-client.tgz`))
        expect(Object.fromEntries(served.headers)).toMatchObject({
          "content-type": "application/gzip",
          "x-content-type-options": "nosniff"
        })
        expect(served.headers.has("content-encoding")).toBe(false)
        const bytes = yield* Effect.promise(() => served.bytes())
        const fresh = yield* Effect.promise(() => readFile(join(folder, "new.tgz")))
        const current = (yield* Effect.promise(() => filesOf(bytes))) ?? {}
        expect(current).toEqual(yield* Effect.promise(() => filesOf(Uint8Array.from(fresh))))
        const { version } = JSON.parse(current["package/package.json"] ?? "")
        const named = yield* Effect.promise(() =>
          fetch(`${server.url}/client/doorlock-client-${version}.tgz`)
        )
        expect(yield* Effect.promise(() => named.bytes())).toEqual(bytes)
        const other = yield* Effect.promise(() => fetch(`${server.url}/client/doorlock-client-99.0.0.tgz`))
        expect(other.status).toBe(404)
      })
    )

    it.effect("weighs less than 15 kB compressed, and depends on nothing", () =>
      Effect.gen(function* () {
        const { built, folder } = yield* Partner
        const lib = join(built, "lib")
        const texts = yield* Effect.promise(() =>
          Promise.all(
            [...new Bun.Glob("**/*.js").scanSync(lib)].map((file) => readFile(join(lib, file), "utf8"))
          )
        )
        expect(texts.length).toBeGreaterThan(5)
        expect(Bun.gzipSync(texts.join("\n"), { level: 9 }).length).toBeLessThan(15_000)
        const installed = yield* Effect.promise(() => readdir(join(folder, "node_modules")))
        expect(installed.filter((name) => !name.startsWith("."))).toEqual(["doorlock-client"])
      })
    )

    it.effect("walks KYC and marketplace on Node and on Bun, in strict types of two compilers", () =>
      Effect.gen(function* () {
        const { folder, server } = yield* Partner
        expect(yield* compiled(folder, "walk")).toBe("")
        // The last compiler before that, which many still have, with the module resolution of bundlers.
        const older = join(root, "node_modules/typescript5/bin/tsc")
        const bundler = ["--noEmit", "--module", "esnext", "--moduleResolution", "bundler", ...options]
        expect(yield* run(folder, ["node", older, ...bundler, "walk.ts"])).toBe("")
        for (const runtime of ["node", process.execPath])
          expect(yield* run(folder, [runtime, "walk.js", server.url])).toBe("walked")
      })
    )

    it.effect.skipIf(Bun.which("deno") === null)("walks the same on Deno (needs Deno)", () =>
      Effect.gen(function* () {
        const { folder, server } = yield* Partner
        const command = ["deno", "run", "--allow-net", "--node-modules-dir=manual", "walk.ts", server.url]
        expect(yield* run(folder, command)).toBe("walked")
      })
    )

    it.effect("does what its guide, the Quickstart and its own README say", () =>
      Effect.gen(function* () {
        const { folder, server } = yield* Partner
        const owner = yield* signUp(server)
        const page = yield* Effect.promise(() => readFile(join(root, guide), "utf8"))
        const [, named = ""] = /has the scopes ([^(]*), and no others/.exec(page) ?? []
        const scopes = [...named.matchAll(/`([a-z:]+)`/g)].map(([, scope]) => scope)
        const key = yield* createKey(server, owner, { scopes })
        const instance = yield* createInstance(server, owner)
        const secret = newSecret("v1")
        const event = exampleEvent("kyc.session.completed")
        const body = JSON.stringify(event)
        const now = secondsOf(Date.now())
        const headers = signedHeaders(signWith([secret]), event.id, now, body)
        // What a server around `receive` would do.
        const receiving = `
const webhook = (body: string) => receive(new Request("http://localhost", { method: "POST", headers: ${JSON.stringify(headers)}, body }))
console.log((await webhook(${JSON.stringify(body)})).status)
console.log((await webhook("{}")).status)`
        const program = yield* programOf(guide)
        const readme = yield* programOf("src/client/package/README.md")
        yield* Effect.promise(async () => {
          await writeFile(join(folder, "passport.png"), noise(48, 32))
          await writeFile(join(folder, "page.ts"), program + receiving)
          await writeFile(join(folder, "readme.ts"), readme)
        })
        const environment = {
          DOORLOCK_URL: server.url,
          DOORLOCK_API_KEY: key.token,
          DOORLOCK_INSTANCE: instance.publicKey,
          EMAIL: owner.email,
          PASSWORD: owner.password,
          WEBHOOK_SECRET: secret
        }
        const quickstart = "docs/guides/quickstart.md"
        const start = yield* programOf(quickstart)
        yield* Effect.promise(() => writeFile(join(folder, "start.ts"), start))
        for (const name of ["page", "readme", "start"]) yield* compiled(folder, name, ...nodeTypes)
        const said = yield* run(folder, ["node", "page.js"], environment)
        expect(said.split("\n")).toEqual([
          expect.stringMatching(/^Send the person to \/kyc\/session\/[0-9a-f-]{36}$/),
          "The session is created",
          "Signed in as owner",
          "api: session-not-found: Session not found",
          "The session is cancelled",
          "The same session: true",
          "The user left",
          "customer-43 is created",
          "kyc.session.created happened",
          "kyc.session.cancelled happened",
          "kyc.session.created happened",
          'The first column is "id"',
          "The file is image/png",
          "The session is completed",
          "GET /healthz",
          "customer-42 is done",
          "204",
          "400"
        ])
        const started = yield* run(folder, ["node", "start.js"], environment)
        expect(general(started)).toBe(general(yield* outputOf(quickstart)))
        expect((yield* run(folder, ["node", "readme.js"], environment)).split("\n")).toEqual([
          expect.stringMatching(/^Send the person to .*\?token=kyc_sess_/),
          "created"
        ])
      })
    )

    it.effect("has all groups in the table of docs/guides/typescript-client.md", () =>
      Effect.promise(async () => {
        const page = await readFile(join(root, guide), "utf8")
        const table = page.slice(page.indexOf("| Group"), page.indexOf("An `apiKey` is for servers"))
        const named = [...table.matchAll(/^\| (`[^|]*)\|/gm)].flatMap(([, cell = ""]) =>
          [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name)
        )
        expect(named.sort()).toEqual(Object.keys(client.createClient({ baseUrl: "" })).sort())
      })
    )
  })
})

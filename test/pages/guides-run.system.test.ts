/**
 * Every block of code in the guides does what the page says. Shell runs as it stands, against a server. A block of JSON or output after
 * it is what it has to print; JSON elsewhere is the config of an instance.
 */
import { readdirSync, readFileSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { delimiter, dirname, join } from "node:path"
import { describe, expect, it as plainIt } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import { lexer } from "marked"
import { knownScopes, namedScopes } from "../../src/keys/scopes-model.ts"
import {
  createInstance,
  createKey,
  createSession,
  field,
  type Member,
  send,
  signUp,
  text
} from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { newChallenge, redeem, solve } from "../support/kyc/challenge.ts"
import { temporaryFolder } from "../support/postgres.ts"
import { startHere } from "../support/program-here.ts"
import type { RunningServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"

/** Of the service in the guides. */
const address = "https://doorlock.example"

const root = join(import.meta.dirname, "../..")
const folder = join(root, "docs/guides")

interface Block {
  readonly language: string
  readonly code: string
}

const blocksOf = (guide: string): ReadonlyArray<Block> =>
  lexer(readFileSync(join(folder, `${guide}.md`), "utf8")).flatMap((token) =>
    token.type === "code" ? [{ language: String(token.lang ?? ""), code: String(token.text) }] : []
  )

/** What every server says differently: ids, times and secrets. */
const normal = (said: string): string =>
  said
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replaceAll(/\b(kyc_sess|kyc_pk|dlk|dk_live|dk_test|whsec|evt)_(?:\w+|…|\.{3})/g, "$1_…")

/** Fails unless `said` has what is shown: all shown fields, and the first items of each list; all items of an empty one. */
const expectShown = (shown: unknown, said: unknown, where: string) => {
  if (Array.isArray(shown)) {
    expect(Array.isArray(said) && (shown.length > 0 || said.length === 0), where).toBe(true)
    for (const [index, item] of shown.entries()) expectShown(item, field(said, index), `${where}[${index}]`)
  } else if (typeof shown === "object" && shown !== null) {
    for (const [name, value] of Object.entries(shown))
      expectShown(value, field(said, name), `${where}.${name}`)
  } else if (typeof shown === "string") {
    expect(normal(String(said)), where).toBe(normal(shown))
  } else {
    expect(said, where).toEqual(shown)
  }
}

/** Fails unless each shown line was printed; `…` stands for any lines. */
const expectLines = (shown: string, said: string) => {
  const printed = normal(said).trim().split("\n")
  const parts = normal(shown).trim().split(/^…$/m)
  const all = parts.map((part) => part.trim()).filter((part) => part !== "")
  if (parts.length === 1) expect(printed.join("\n")).toBe(all[0])
  for (const part of all) expect(printed.join("\n")).toContain(part)
}

/** A shell that keeps its variables from block to block. */
const startShell = (cwd: string, environment: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.spawn(["bash"], {
          cwd,
          env: {
            ...environment,
            HOME: cwd,
            PATH: [dirname(process.execPath), process.env.PATH].join(delimiter)
          },
          stdin: "pipe",
          stdout: "pipe",
          stderr: "inherit"
        })
      ),
      (child) =>
        Effect.promise(async () => {
          child.kill()
          await child.exited
        })
    )
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
    /** What the block prints. Fails unless it ends with 0. */
    return (code: string) =>
      Effect.promise(async () => {
        child.stdin.write(`${code}\necho "<end of block $?>"\n`)
        child.stdin.flush()
        let said = ""
        for (;;) {
          const end = /^([\s\S]*?)<end of block (\d+)>\n/.exec(said)
          if (end !== null) {
            expect(end[2], `${code}\n${said}`).toBe("0")
            return end[1] ?? ""
          }
          const { done, value = "" } = await reader.read()
          if (done) throw new Error(`The shell ended: ${code}\n${said}`)
          said += value
        }
      })
  })

interface Reader {
  readonly server: RunningServer
  readonly member: Member
  readonly instance: { readonly id: string; readonly publicKey: string }
  readonly key: string
}

/** What makes a guide's words true: what the reader has done in the dashboard, or what a person does between two blocks. */
interface Play {
  /** The scopes of the reader's key; by default all. */
  readonly scopes?: ReadonlyArray<string>
  readonly instance?: object
  /** The number of the session that the reader has, if the guide begins with one; it takes the place of the guide's example. */
  readonly session?: (reader: Reader) => Effect.Effect<string>
  /** Files in the reader's folder. */
  readonly files?: Readonly<Record<string, string>>
  /** What else of the example is the reader's own. */
  readonly own?: (reader: Reader) => Readonly<Record<string, string>>
  /** Before the block with this text. */
  readonly before?: readonly [part: string, act: (reader: Reader) => Effect.Effect<void>]
  /** Has a service of its own, because its reader and those of other guides change what each other see. */
  readonly isAlone?: boolean
}

const complete = (server: RunningServer, path: string, token: string) =>
  Effect.asVoid(
    send(server, "POST", `${path}/complete`, { json: { token, result: { outcome: "submitted" } } })
  )

/** The company's newest session, as its hosted page has it. */
const newestSession = ({ key, member, server }: Reader) =>
  Effect.gen(function* () {
    const listed = yield* send(server, "GET", "/api/kyc/sessions?limit=1", { headers: { "x-api-key": key } })
    const id = text(listed.body, "sessions", 0, "id")
    const resumed = yield* send(server, "POST", `/api/kyc/sessions/${id}/resume`, {
      headers: { cookie: member.cookie },
      json: {}
    })
    return { id, path: `/api/kyc/public/sessions/${id}`, token: text(resumed.body, "sessionToken") }
  })

/** What the hosted page does for the company's newest session: the captcha, and the end. */
const bePerson = (reader: Reader) =>
  Effect.gen(function* () {
    const { instance, server } = reader
    const { id, path, token } = yield* newestSession(reader)
    const challenge = yield* newChallenge(server, { siteKey: instance.publicKey, sessionId: id })
    const redeemed = yield* redeem(server, challenge, yield* solve(challenge))
    const verified = yield* send(server, "POST", `${path}/captcha/verify`, {
      json: { token, captchaToken: text(redeemed.body, "token"), siteKey: instance.publicKey }
    })
    expect(verified.status, verified.text).toBe(200)
    yield* complete(server, path, token)
  })

/** What the hosted page does after the document number `TEST-FAIL`. */
const fail = (reader: Reader) =>
  Effect.gen(function* () {
    const { path, token } = yield* newestSession(reader)
    const failed = yield* send(reader.server, "POST", `${path}/complete`, {
      json: { token, status: "failed" }
    })
    expect(failed.status, failed.text).toBe(200)
  })

const captchaAlone = {
  v: 1,
  steps: [
    { id: "captcha", type: "captcha" },
    { id: "review", type: "review" }
  ]
}

const completedSession = ({ instance, key, server }: Reader) =>
  Effect.gen(function* () {
    const session = yield* createSession(server, key, instance.id, { externalReference: "customer-42" })
    yield* complete(server, session.path, session.token)
    return session.id
  })

const weather = `openapi: 3.1.0
info: { title: Weather, version: "2" }
paths: { /now: { get: { responses: { "200": { description: The weather now } } } } }
`

const plays: Readonly<Record<string, Play>> = {
  quickstart: {
    scopes: ["kyc:sessions:create", "kyc:sessions:read"],
    instance: { workflow: captchaAlone },
    before: ["SESSION_ID", bePerson]
  },
  // The operator's database has other companies, too.
  workflows: { own: ({ member }) => ({ "Example Ltd": member.companyId }) },
  embedding: {},
  "test-mode": {
    scopes: ["kyc:sessions:create", "kyc:sessions:read"],
    before: ["SESSION_ID", fail]
  },
  review: {
    scopes: ["kyc:reviews:read", "kyc:reviews:write", "kyc:sessions:create"],
    instance: { config: { review: { mode: "manual" } } },
    session: completedSession
  },
  errors: {},
  limits: {},
  keys: { scopes: ["kyc:sessions:read"] },
  publishing: {
    files: { "openapi.yaml": weather },
    // The second command is for a reader who has not given the first.
    own: ({ member }) => ({
      "Example Ltd": member.companyId,
      "--api weather": `--company ${member.companyId} --api forecast`
    }),
    isAlone: true
  },
  "calling-an-api": { scopes: ["marketplace:subscriptions:create"] },
  // `doctor` says so when events of others have waited for a minute, which nothing moves in a test.
  "going-live": { isAlone: true },
  privacy: { session: completedSession }
}

/** Blocks that another test executes, by guide and language. */
const elsewhere: Readonly<Record<string, ReadonlyArray<string>>> = {
  // contract/webhook-samples has a test for each block.
  webhooks: ["go", "json", "php", "python", "sh", "ts"],
  // client/package
  quickstart: ["ts", "text"],
  "typescript-client": ["sh", "ts"],
  // contract/workflows-page; a drawing does nothing.
  workflows: ["json", "diagram"],
  // browser/kyc-embed
  embedding: ["html"],
  // mcp/mcp
  mcp: ["json", "sh"]
}

const isElsewhere = (guide: string, { language }: Block): boolean =>
  elsewhere[guide]?.includes(language) === true

/** The service with its demo API, and the environment that its commands need. */
class Service extends Context.Tag("Service")<
  Service,
  { readonly server: RunningServer; readonly environment: Readonly<Record<string, string>> }
>() {
  static readonly layer = Layer.scoped(
    Service,
    Effect.gen(function* () {
      const settings = {
        BASE_URL: address,
        DATA_DIR: yield* temporaryFolder,
        SECRET_KEY: "a secret key for tests, 32 bytes at least"
      }
      const open = { SIGNUP: "open", KYC_DEV_MODE: "allow", LOG_LEVEL: "info" }
      const server = yield* Effect.orDie(
        Effect.flatMap(freshDatabase, (url) => startHere(url, { ...settings, ...open }))
      )
      const { databaseUrl } = server
      const behindProxy = { TRUSTED_PROXIES: "127.0.0.1,::1", DATABASE_URL: Redacted.value(databaseUrl) }
      return { server, environment: { ...settings, ...behindProxy } }
    })
  )
}

/** Stands for `bun cli`, which would first install what it needs, in a clone of the repository. */
const bunCli = `bun() { if [ "$1" = cli ]; then shift; command bun '${join(root, "src/cli.ts")}' "$@"; else command bun "$@"; fi; }`

/** Gives each of the page's examples the value that the reader has. */
const filledIn = (code: string, play: Play, reader: Reader, session: string | undefined): string => {
  const own = {
    [address]: reader.server.url,
    "dlk_...": reader.key,
    "kyc_pk_...": reader.instance.publicKey,
    ...play.own?.(reader)
  }
  const filled = Object.entries(own).reduce((text, [example, value]) => text.replaceAll(example, value), code)
  return session === undefined ? filled : filled.replaceAll(/(?<=SESSION_ID=)[0-9a-f-]{36}/g, session)
}

const run = (guide: string, play: Play): Effect.Effect<void, unknown, Service | Scope.Scope> =>
  Effect.gen(function* () {
    const { environment, server } = yield* Service
    const member = yield* signUp(server)
    const instance = yield* createInstance(server, member, play.instance)
    const { token: key } = yield* createKey(server, member, {
      scopes: play.scopes ?? Object.keys(knownScopes)
    })
    const reader: Reader = { server, member, instance, key }
    const session = yield* play.session?.(reader) ?? Effect.succeed(undefined)
    const home = yield* temporaryFolder
    const shell = yield* startShell(home, environment)
    yield* shell(bunCli)
    for (const [name, content] of Object.entries(play.files ?? {})) {
      yield* Effect.promise(async () => {
        await mkdir(dirname(join(home, name)), { recursive: true })
        await writeFile(join(home, name), content)
      })
    }
    const blocks = blocksOf(guide)
    // The files that the page shows are there before its commands.
    for (const { code, language } of blocks)
      if (language === "yaml")
        yield* Effect.promise(() =>
          writeFile(join(home, "doorlock.yaml"), filledIn(code, play, reader, session))
        )
    let said: string | undefined
    for (const block of blocks) {
      if (isElsewhere(guide, block)) continue
      const { code, language } = block
      if (language === "sh") {
        if (play.before !== undefined && code.includes(play.before[0])) yield* play.before[1](reader)
        said = yield* shell(filledIn(code, play, reader, session))
      } else if (language === "json" && said !== undefined) {
        expectShown(JSON.parse(code), JSON.parse(said), guide)
        said = undefined
      } else if (language === "json") {
        const config = JSON.parse(code)
        const { publicKey } = yield* createInstance(server, member, { config })
        const listed = yield* send(server, "GET", "/api/kyc/instances", {
          headers: { cookie: member.cookie }
        })
        const made = (field(listed.body, "instances") as ReadonlyArray<object>).find(
          (one) => Reflect.get(one, "public_key") === publicKey
        )
        expect(Reflect.get(made ?? {}, "config")).toMatchObject(config)
      } else if (language === "text") {
        if (said === undefined) throw new Error(`${guide}: nothing prints this: ${code}`)
        expectLines(code, said)
        said = undefined
      } else {
        expect(language, `${guide}: nothing executes this: ${code}`).toBe("yaml")
      }
    }
  })

/** In milliseconds. Commands are processes of their own, which take long to start on a busy machine. */
const patience = 300_000

suite(Service.layer)("The code of the guide", (it) => {
  for (const [guide, play] of Object.entries(plays)) {
    const read = run(guide, play)
    it.scoped(guide, () => (play.isAlone === true ? Effect.provide(read, Service.layer) : read), patience)
  }
})

describe("The guides", () => {
  plainIt("have no code that no test executes", () => {
    const guides = readdirSync(folder).map((file) => file.replace(".md", ""))
    const untested = guides.flatMap((guide) =>
      blocksOf(guide)
        .filter((block) => !(guide in plays) && !isElsewhere(guide, block))
        .map(({ code }) => `${guide}: ${code}`)
    )
    expect(untested).toEqual([])
  })

  plainIt("list every scope, and say which of them have to be named", () => {
    const table = readFileSync(join(folder, "keys.md"), "utf8")
    const named = [...table.matchAll(/^\| `([a-z:]+)` +\| (.*)\|$/gm)].map(([, scope = "", words = ""]) => ({
      scope,
      isNamed: words.includes("not in `*`")
    }))
    expect(named.map(({ scope }) => scope).sort()).toEqual(Object.keys(knownScopes).sort())
    expect(named.filter(({ isNamed }) => isNamed).map(({ scope }) => scope)).toEqual(
      named.map(({ scope }) => scope).filter((scope) => namedScopes.has(scope))
    )
  })
})

/** Every block of code in docs/guides/webhooks.md does what the page says: with a running server, and with what it really delivers. */
import { readFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it as plainIt } from "@effect/vitest"
import { Effect } from "effect"
import { exampleEvent } from "../../src/events/examples.ts"
import { byKey, bySecret } from "../../src/web/dashboard/webhooks/verifying.ts"
import { newSecret, publicKeyOf, type Scheme, signWith } from "../../src/webhooks/signature.ts"
import { cli, cliFile } from "../support/cli.ts"
import { createInstance, createKey, createSession, field, text } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { temporaryFolder } from "../support/postgres.ts"
import { run } from "../support/program.ts"
import { suite } from "../support/suite.ts"
import { hooked, type Received, startReceiver, WebhookServer } from "../support/webhooks/receiver.ts"

const page = readFileSync(join(import.meta.dirname, "../../docs/guides/webhooks.md"), "utf8")
const blocks = [...page.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language = "", code = ""]) => ({
  language,
  code
}))
const tested = new Set<string>()

/** The only block in this language that contains `part`. */
const sample = (language: string, part: string): string => {
  const found = blocks.filter((block) => block.language === language && block.code.includes(part))
  if (found.length !== 1) throw new Error(`${found.length} blocks in ${language} contain ${part}`)
  tested.add(found[0]?.code ?? "")
  return found[0]?.code ?? ""
}

const samples = {
  body: sample("json", "evt_"),
  endpoint: sample("sh", "/api/webhook-endpoints"),
  typeScript: sample("ts", "createHmac"),
  typeScriptByKey: sample("ts", "createPublicKey"),
  python: sample("python", "hmac"),
  pythonByKey: sample("python", "cryptography"),
  go: sample("go", "verify"),
  php: sample("php", "verify"),
  shell: sample("sh", "openssl"),
  feed: sample("sh", "/api/events"),
  commands: sample("sh", "bun cli")
}

/** What a program prints on standard output. Fails unless it ends with 0. */
const output = (command: ReadonlyArray<string>, environment: Readonly<Record<string, string>> = {}) =>
  Effect.promise(async () => {
    const child = Bun.spawn([...command], {
      env: { PATH: process.env.PATH, ...environment },
      stdout: "pipe",
      stderr: "pipe"
    })
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text()
    ])
    expect([await child.exited, stderr]).toEqual([0, expect.any(String)])
    return stdout.trim()
  })

/** A company with a key and a receiver, and an endpoint that was added by the page's command. */
const receivingBy = Effect.fnUntraced(function* (signing: Scheme) {
  const company = yield* hooked
  const { attemptDue, ask, member, server } = company
  const receiver = yield* startReceiver
  const { token } = yield* createKey(server, member)
  // Otherwise the endpoint would get the key's event too.
  const collect = ask("GET", "/api/events")
  yield* collect
  const environment = { DOORLOCK_URL: server.url, DOORLOCK_API_KEY: token }
  // The receiver on this machine stands for the one in the example.
  const command = samples.endpoint
    .replace("https://example.com/hooks/doorlock", receiver.url)
    .replace('"}', signing === "v1" ? '"}' : '","signing":"v1a"}')
  expect(command).toContain(receiver.url)
  const added = JSON.parse(yield* output(["sh", "-c", command], environment))
  const instance = yield* createInstance(server, member)
  /** A session of the company, and the delivery that says so. */
  const happen = Effect.gen(function* () {
    const { id } = yield* createSession(server, token, instance.id, { externalReference: "Zoë 42" })
    yield* collect
    yield* attemptDue
    const delivery = receiver.received.at(-1)
    if (delivery === undefined) throw new Error("Nothing was delivered")
    return { id, delivery }
  })
  const path = `/api/webhook-endpoints/${text(added, "endpoint", "id")}`
  const secret = signing === "v1" ? text(added, "secret") : text(added, "endpoint", "public_key")
  return { ...company, environment, token, happen, path, secret }
})

const receiving = receivingBy("v1")

interface Given {
  /** The secret of `v1`, or the public key of `v1a`. */
  readonly secret: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** What a receiver is given, and whether it must accept it. */
const judged = Effect.fnUntraced(function* (signing: Scheme) {
  const { ask, happen, path, secret } = yield* receivingBy(signing)
  const { delivery } = yield* happen
  const rotated = yield* ask("POST", `${path}/secret/rotate`)
  const next = text(rotated.body, signing === "v1" ? "secret" : "public_key")
  const { delivery: second } = yield* happen
  const given = (known: string, { body, headers }: Received, changed: object = {}): Given => ({
    secret: known,
    body,
    headers: { ...headers, ...changed }
  })
  /** The delivery, signed at another time by a secret of the test. */
  const at = (seconds: number) => {
    const own = newSecret(signing)
    const timestamp = Math.floor(Date.now() / 1000) + seconds
    return given(signing === "v1" ? own : publicKeyOf(own), delivery, {
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signWith([own])(delivery.headers["webhook-id"] ?? "", timestamp, delivery.body)
    })
  }
  const { "webhook-signature": _, ...unsigned } = delivery.headers
  const good = given(secret, delivery)
  const cases: Readonly<Record<string, readonly [accepted: boolean, given: Given]>> = {
    "a delivery": [true, good],
    "the number of a delivery": [
      true,
      {
        secret,
        body: delivery.headers["doorlock-sequence"] ?? "",
        headers: {
          ...delivery.headers,
          "webhook-signature": delivery.headers["doorlock-sequence-signature"] ?? ""
        }
      }
    ],
    "a delivery during the rotation, with the old secret": [true, given(secret, second)],
    "a delivery during the rotation, with the new secret": [true, given(next, second)],
    "a wrong secret": [false, given(next, delivery)],
    "an altered body": [false, { ...good, body: delivery.body.replace("42", "43") }],
    "another id": [false, given(secret, delivery, { "webhook-id": second.headers["webhook-id"] })],
    "a timestamp of a minute ago": [true, at(-60)],
    "an old timestamp": [false, at(-400)],
    "a timestamp in the future": [false, at(3_600)],
    "a timestamp that is no number": [false, given(secret, delivery, { "webhook-timestamp": "²" })],
    "no signature": [false, { ...good, headers: unsigned }],
    "an empty signature": [false, given(secret, delivery, { "webhook-signature": "" })],
    "a short signature": [false, given(secret, delivery, { "webhook-signature": `${signing},AAAA` })],
    // 44 characters, but 88 bytes.
    "a signature of other characters": [
      false,
      given(secret, delivery, { "webhook-signature": `${signing},${"é".repeat(44)}` })
    ]
  }
  return cases
})

/** Fails unless the program accepts and refuses what it should. */
const judges = <E, R>(accepts: (given: Given) => Effect.Effect<boolean, E, R>, signing: Scheme = "v1") =>
  Effect.gen(function* () {
    const cases = yield* judged(signing)
    const verdicts = yield* Effect.forEach(Object.entries(cases), ([what, [, given]]) =>
      Effect.map(accepts(given), (accepted) => [what, accepted] as const)
    )
    expect(Object.fromEntries(verdicts)).toEqual(
      Object.fromEntries(Object.entries(cases).map(([what, [accepted]]) => [what, accepted]))
    )
  })

const typeScriptAccepts = (code: string, signing: Scheme) =>
  Effect.gen(function* () {
    const file = join(yield* temporaryFolder, "verify.ts")
    yield* Effect.promise(() => writeFile(file, code))
    const { verify } = yield* Effect.promise(() => import(file))
    // `Headers` accepts no such characters, so only the map of a server that decodes UTF-8 has them.
    const headersOf = (headers: Given["headers"]) => ({ get: (name: string) => headers[name] ?? null })
    yield* judges(
      ({ body, headers, secret }) => Effect.sync(() => verify(secret, headersOf(headers), body) === true),
      signing
    )
  })

const pythonAccepts = (code: string, signing: Scheme) =>
  judges(
    (given) =>
      Effect.map(
        output(
          [
            "python3",
            "-c",
            `${code}
import json, os
given = json.loads(os.environ["GIVEN"])
print(verify(given["secret"], given["headers"], given["body"].encode()))`
          ],
          { GIVEN: JSON.stringify(given) }
        ),
        (printed) => printed === "True"
      ),
    signing
  )

const hasCryptography =
  Bun.which("python3") !== null &&
  Bun.spawnSync(["python3", "-c", "import cryptography"], { stderr: "ignore" }).success

suite(WebhookServer.layer)(
  "The code in docs/guides/webhooks.md verifies deliveries and refuses forgeries",
  (it) => {
    it.scoped("in TypeScript", () => typeScriptAccepts(samples.typeScript, "v1"))

    it.scoped("in TypeScript, by a public key", () => typeScriptAccepts(samples.typeScriptByKey, "v1a"))

    it.scoped.skipIf(Bun.which("python3") === null)("in Python (needs python3)", () =>
      pythonAccepts(samples.python, "v1")
    )

    it.scoped.skipIf(!hasCryptography)(
      "in Python, by a public key (needs python3 and its package cryptography)",
      () => pythonAccepts(samples.pythonByKey, "v1a")
    )

    it.scoped.skipIf(Bun.which("go") === null)(
      "in Go (needs go)",
      () =>
        Effect.gen(function* () {
          const folder = yield* temporaryFolder
          const program = `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

${samples.go}
func main() {
	var given struct {
		Secret, Body string
		Headers map[string]string
	}
	if err := json.Unmarshal([]byte(os.Getenv("GIVEN")), &given); err != nil {
		panic(err)
	}
	header := http.Header{}
	for name, value := range given.Headers {
		header.Set(name, value)
	}
	fmt.Println(verify(given.Secret, header, []byte(given.Body)))
}
`
          yield* Effect.promise(() => writeFile(join(folder, "main.go"), program))
          const binary = join(folder, "verify")
          yield* output(["go", "build", "-o", binary, join(folder, "main.go")], {
            HOME: folder,
            GOCACHE: join(folder, "cache"),
            GOPATH: join(folder, "path"),
            GOPROXY: "off",
            GOTOOLCHAIN: "local"
          })
          yield* judges((given) =>
            Effect.map(output([binary], { GIVEN: JSON.stringify(given) }), (printed) => printed === "true")
          )
        }),
      300_000
    )

    it.scoped.skipIf(Bun.which("php") === null)("in PHP (needs php)", () =>
      judges((given) =>
        Effect.map(
          output(
            [
              "php",
              "-r",
              `${samples.php}
$given = json_decode(getenv('GIVEN'), true);
foreach ($given['headers'] as $name => $value) $server['HTTP_' . strtoupper(strtr($name, '-', '_'))] = $value;
echo verify($given['secret'], $server, $given['body']) ? 'yes' : 'no';`
            ],
            { GIVEN: JSON.stringify(given) }
          ),
          (printed) => printed === "yes"
        )
      )
    )

    it.scoped.skipIf(Bun.which("openssl") === null)("in a shell (needs openssl)", () =>
      judges(({ body, headers, secret }) =>
        Effect.map(
          output(["sh", "-c", samples.shell], {
            SECRET: secret,
            ID: headers["webhook-id"] ?? "",
            TIMESTAMP: headers["webhook-timestamp"] ?? "",
            BODY: body
          }),
          // A person sees whether the time is right.
          (signature) =>
            Math.abs(Date.now() / 1000 - Number(headers["webhook-timestamp"])) < 300 &&
            (headers["webhook-signature"] ?? "").split(" ").includes(`v1,${signature}`)
        )
      )
    )
  }
)

suite(WebhookServer.layer)("The commands in docs/guides/webhooks.md", (it) => {
  it.scoped("add an endpoint and read the feed page by page", () =>
    Effect.gen(function* () {
      const { environment, happen } = yield* receiving
      const { delivery, id } = yield* happen
      const read = (CURSOR: string) =>
        Effect.map(output(["sh", "-c", samples.feed], { ...environment, CURSOR }), (printed) =>
          JSON.parse(printed)
        )
      const first = yield* read("")
      expect(first).toMatchObject({ events: [{ data: { id } }], has_more: false })
      expect(JSON.stringify(field(first, "events", 0))).toBe(delivery.body)
      const next = yield* happen
      expect(yield* read(text(first, "next_cursor"))).toMatchObject({ events: [{ data: { id: next.id } }] })
    })
  )

  it.scoped("list the events and forward them to a receiver", () =>
    Effect.gen(function* () {
      const { happen, server, token } = yield* receiving
      const local = yield* startReceiver
      const [events = [], listen = []] = samples.commands
        .trim()
        .split("\n")
        .map((line) =>
          line
            .replace("https://doorlock.example", server.url)
            .replace("http://localhost:8080/hooks", local.url)
            .replaceAll("'", "")
            .split(" ")
            .slice(2)
        )
      const env = { DOORLOCK_API_KEY: token, XDG_STATE_HOME: yield* temporaryFolder }
      const { id } = yield* happen
      const listed = yield* cli(events, { env })
      expect(listed.stderr).toBe("")
      expect(listed.stdout).toContain(id)
      const program = yield* run(env, cliFile, listen)
      yield* eventually("it listens", () => program.stderr().includes("Signing secret: whsec_"))
      const { delivery } = yield* happen
      yield* eventually("the event is forwarded", () => local.received.length > 0)
      expect(local.received[0]?.body).toBe(delivery.body)
    })
  )
})

describe("docs/guides/webhooks.md", () => {
  plainIt("shows the body of the example in the OpenAPI document", () => {
    expect(JSON.parse(samples.body)).toEqual(exampleEvent("kyc.session.completed"))
  })

  plainIt("has the code that the dashboard shows for a new endpoint", () => {
    expect([bySecret, byKey]).toEqual([
      { typescript: samples.typeScript.trim(), python: samples.python.trim() },
      { typescript: samples.typeScriptByKey.trim(), python: samples.pythonByKey.trim() }
    ])
  })

  plainIt("has no code without a test", () => {
    expect(blocks.filter(({ code }) => !tested.has(code))).toEqual([])
  })
})

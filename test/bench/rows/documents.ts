/** How long a process answers no other request while it accepts an API's document. */
import { Effect, Fiber } from "effect"
import { send } from "../../support/client.ts"
import { openapi, publisherOn, upstreamUrl } from "../../support/marketplace/publisher.ts"
import { doorlock, postgres } from "../servers.ts"
import { figure } from "../table.ts"

const times = <A>(count: number, make: (n: number) => A) => Array.from({ length: count }, (_, n) => make(n))

/** Documents of just under 1 MiB, each slow to check for its own reason. */
const hostile: ReadonlyArray<object> = [
  openapi({}, { tags: times(55_000, (n) => ({ name: `${n}` })) }),
  openapi({ "x-lists": times(340_000, () => []) }),
  openapi({ "x-objects": times(340_000, () => ({})) }),
  openapi({}, { components: { schemas: { a: { enum: times(140_000, (n) => n) } } } }),
  openapi(
    {},
    {
      components: {
        schemas: Object.fromEntries(times(18_000, (n) => [`n${n}`, { $ref: "#/components/schemas/n0" }]))
      }
    }
  ),
  openapi({ "/x": { description: "x".repeat(1_000_000) } }),
  openapi({ "/x": { description: "\n".repeat(500_000) } })
]

const tries = 5

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

export const documents = Effect.gen(function* () {
  const databaseUrl = yield* postgres
  const service = { ...(yield* doorlock(databaseUrl)), databaseUrl }

  /**
   * The longest time that another request waits, in milliseconds, while the document is added this many times at once. Each
   * call uses new APIs, since the number of versions of an API is limited.
   */
  const waits = Effect.fnUntraced(function* (document: object, count = 1) {
    const publisher = yield* publisherOn(service)
    // Serialized in advance, so that the measurement does not wait for this process.
    const body = JSON.stringify({ version: "1", upstreamUrl, openapi: document })
    const apis = yield* Effect.forEach(
      times(count, () => undefined),
      () => publisher.newApi()
    )
    const adding = yield* Effect.fork(
      Effect.forEach(
        apis,
        ({ path }) =>
          send(service, "POST", `${path}/versions`, {
            headers: { cookie: publisher.member.cookie, "content-type": "application/json" },
            body
          }),
        { concurrency: "unbounded" }
      )
    )
    let longest = 0
    while ((yield* Fiber.poll(adding))._tag === "None") {
      const began = performance.now()
      yield* send(service, "GET", "/healthz")
      longest = Math.max(longest, performance.now() - began)
    }
    return longest
  })

  /** The median of several tries. */
  const usual = (document: object, count?: number) =>
    Effect.map(Effect.replicateEffect(waits(document, count), tries), median)

  const [, , objects = {}] = hostile
  for (const count of [64, 16]) {
    const longest = yield* usual(objects, count)
    yield* figure(
      `longest wait of another request while ${count} documents of 1 MiB come at once; median of ${tries}`,
      `${longest.toFixed(0)} ms`,
      "50 ms",
      longest <= 50
    )
  }
  const worst = Math.max(...(yield* Effect.forEach(hostile, (document) => usual(document))))
  yield* figure(
    `longest wait of another request while a document of 1 MiB is taken in; of ${hostile.length} documents the worst, median of ${tries}`,
    `${worst.toFixed(0)} ms`,
    "50 ms",
    worst <= 50
  )
})

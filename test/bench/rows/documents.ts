/** How long a process answers nobody, because it takes in the document of an API. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { send } from "../../support/client.ts"
import { marketplace, openapi, publisherOn, upstreamUrl } from "../../support/publisher.ts"
import { doorlock, postgres } from "../servers.ts"
import { figure } from "../table.ts"

const times = <A>(count: number, make: (n: number) => A) => Array.from({ length: count }, (_, n) => make(n))

/** Documents of just under 1 MiB, each of which takes long in its own way. */
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
  const publisher = yield* publisherOn(service)
  const api = yield* publisher.newApi()

  /** The longest that another request waits while the document is taken in, in milliseconds. */
  const waits = Effect.fnUntraced(function* (document: object, version: string) {
    // Written here, so that what is measured waits for nothing of this process.
    const body = JSON.stringify({ version, upstreamUrl, openapi: document })
    const adding = yield* Effect.fork(
      send(service, "POST", `${marketplace}/apis/${api.id}/versions`, {
        headers: { cookie: publisher.member.cookie, "content-type": "application/json" },
        body
      })
    )
    let longest = 0
    while ((yield* Fiber.poll(adding))._tag === "None") {
      const began = performance.now()
      yield* send(service, "GET", "/healthz")
      longest = Math.max(longest, performance.now() - began)
    }
    return longest
  })

  const medians: Array<number> = []
  for (const [index, document] of hostile.entries()) {
    const longest: Array<number> = []
    for (let n = 0; n < tries; n++) longest.push(yield* waits(document, `${index}.${n}`))
    medians.push(median(longest))
  }
  const worst = Math.max(...medians)
  yield* figure(
    `longest wait of another request while a document of 1 MiB is taken in; of ${hostile.length} documents the worst, median of ${tries}`,
    `${worst.toFixed(0)} ms`,
    "50 ms",
    worst <= 50
  )
})

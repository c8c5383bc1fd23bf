/** How soon the hosted page has read a document that somebody holds in front of the camera. `FILMS` (5) sets how many of each kind. */
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { browser } from "../../support/browser/chromium.ts"
import { type Filmed, filmOf } from "../../support/browser/film.ts"
import { createInstance, createKey, createSession, signUp } from "../../support/client.ts"
import { levels } from "../../support/kyc/specimens.ts"
import { doorlock, postgres } from "../servers.ts"
import { figure } from "../table.ts"

const films = Number(process.env.FILMS ?? 5)

/** In seconds. */
const [goal, longest] = [3, 20]

const kinds = [
  ["a passport", "Passport", "TD3"],
  ["an identity card", "Identity card", "TD1"]
] as const

/** Notes when a worker reads a document for the second time, right as a whole: the page needs no more. */
const noteReadings = (page: Page) =>
  page.addInitScript(() => {
    const told = new WeakSet<Worker>()
    const send = Worker.prototype.postMessage
    let whole = 0
    Object.assign(Worker.prototype, {
      postMessage(this: Worker, ...message: Parameters<typeof send>) {
        if (!told.has(this)) {
          told.add(this)
          this.addEventListener("message", ({ data }) => {
            if (data.whole === true && ++whole === 2) Object.assign(window, { readAt: performance.now() })
          })
        }
        return send.apply(this, message)
      }
    })
  })

/** From the first frame on; undefined if the document is not read. */
const secondsToRead = async (page: Page, label: string): Promise<number | undefined> => {
  await page.getByRole("radio", { name: label }).check()
  await page.getByRole("button", { name: "Take photo" }).last().click()
  await page.getByText("The camera is on.").waitFor({ state: "attached" })
  const began = await page.evaluate(() => performance.now())
  const read = await page
    .waitForFunction(() => Reflect.get(window, "readAt"), undefined, { timeout: 1000 * longest })
    .then((found) => found.jsonValue())
    .catch(() => undefined)
  return typeof read === "number" ? Math.max(0, read - began) / 1000 : undefined
}

export const reading = Effect.gen(function* () {
  const databaseUrl = yield* postgres
  const server = { ...(yield* doorlock(databaseUrl)), databaseUrl }
  const member = yield* signUp(server)
  const { token } = yield* createKey(server, member)
  const { id } = yield* createInstance(server, member, {
    workflow: { steps: [{ id: "doc", type: "document" }] }
  })
  for (const name of ["mild", "medium"] as const) {
    for (const [what, label, format] of kinds) {
      const seconds: Array<number> = []
      for (let seed = 1; seed <= films; seed++) {
        const filmed: Filmed = { ...levels[name], edge: 1080, height: 1080, seed }
        const read = yield* Effect.scoped(
          Effect.gen(function* () {
            const session = yield* createSession(server, token, id)
            const film = yield* filmOf(format, filmed)
            const context = yield* browser({ viewport: { width: 390, height: 664 } }, film)
            return yield* Effect.promise(async () => {
              const page = await context.newPage()
              await noteReadings(page)
              await page.goto(`${server.url}/kyc/session/${session.id}?token=${session.token}`)
              return secondsToRead(page, label)
            })
          })
        )
        seconds.push(read ?? Number.POSITIVE_INFINITY)
      }
      const sorted = seconds.toSorted((one, other) => one - other)
      const [median = 0, slowest = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
      yield* figure(
        `the hosted page reads ${what} in front of a camera, ${name}, median and slowest of ${films}`,
        `${median.toFixed(1)} s, ${Number.isFinite(slowest) ? `${slowest.toFixed(1)} s` : "not read"}`,
        `${goal} s`,
        slowest <= goal
      )
    }
  }
})

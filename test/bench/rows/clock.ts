/** What the process spends when nobody asks it anything, with the host's clock set: a timer that this confuses takes a whole processor. */
import { Effect } from "effect"
import { send, signUp } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { metricsOf } from "../../support/http/metrics.ts"
import { clock as hostClock, withoutClocks } from "../../support/machine/clock.ts"
import { doorlock, postgres } from "../servers.ts"
import { figure, say } from "../table.ts"

const [hour, month] = [3_600, 31 * 86_400]

/** Seconds of idling. */
const seconds = 5

export const clock = Effect.gen(function* () {
  if (withoutClocks)
    return yield* say("| There is no faketime: install it (Debian: apt-get install faketime) | | |")
  const host = yield* hostClock
  const databaseUrl = yield* postgres
  const service = { ...(yield* doorlock(databaseUrl, host.environment)), databaseUrl }
  yield* signUp(service)
  const spent = Effect.map(
    metricsOf(service),
    ({ value }) => value("process_cpu_seconds_total") ?? Number.NaN
  )
  const each: Array<number> = []
  for (const offset of [0, hour, month, -hour, 0]) {
    yield* host.set(offset)
    yield* eventually(
      "the program has the new time",
      Effect.map(send(service, "GET", "/healthz"), ({ headers }) => {
        const date = Date.parse(headers.get("date") ?? "")
        return Math.abs(date - Date.now() - offset * 1_000) < 10_000
      })
    )
    const before = yield* spent
    yield* Effect.sleep(`${seconds} seconds`)
    each.push(((yield* spent) - before) / seconds)
  }
  const worst = Math.max(...each)
  yield* figure(
    "CPU of an idle process whose clock is set, at most",
    `${(worst * 100).toFixed(0)} %`,
    "20 %",
    worst <= 0.2
  )
})

import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { Effect, Option } from "effect"
import { command, group, listing, option } from "../cli/command.ts"
import { misused, refused } from "../cli/failures.ts"
import { onDatabase } from "../cli/on-database.ts"
import { oneLine, type Paint } from "../cli/output.ts"
import type { Figures, PoisonJob } from "./service.ts"

const onWork = onDatabase(() => import("./cli-layer.ts"))

const kind = Options.optional(option("kind", "kind", "All jobs of this kind, such as webhook.delivery."))

const id = Args.optional(Args.text({ name: "id" })).pipe(
  Args.withDescription("The id of a job, as work list shows it.")
)

const figures = (all: ReadonlyArray<Figures>) =>
  listing(all, "No work is waiting.", ["KIND", "JOBS", "DUE FOR", "SET ASIDE"], (one) => [
    oneLine(one.kind),
    String(one.jobs),
    one.oldest === null ? "" : `${Math.round(one.oldest)} s`,
    String(one.poison)
  ])

const poison = (jobs: ReadonlyArray<PoisonJob>) =>
  listing(jobs, "No job is set aside.", ["ID", "KIND", "LANE", "TRIES", "SET ASIDE", "REASON"], (job) => [
    job.id,
    oneLine(job.kind),
    oneLine(job.lane),
    String(job.attempt),
    job.set_aside_at.toISOString(),
    oneLine(job.reason).slice(0, 120)
  ])

const list = command(
  "list",
  "Show how many jobs wait, and the newest thousand jobs that were set aside because they cannot be run.",
  { kind },
  (given) =>
    Effect.map(
      onWork((work) =>
        Effect.all({ kinds: work.figures, poison: work.poison(Option.getOrUndefined(given.kind)) })
      ),
      (value) => ({
        value,
        words: (paint: Paint) => `${figures(value.kinds)(paint)}\n\n${poison(value.poison)(paint)}`
      })
    )
)

/** A command on jobs that were set aside. */
const act = (name: "retry" | "drop", description: string, done: string) =>
  command(name, description, { id, kind }, (given) =>
    Effect.gen(function* () {
      const [id, kind] = [Option.getOrUndefined(given.id), Option.getOrUndefined(given.kind)]
      if ((id === undefined) === (kind === undefined))
        return yield* misused("Name a job by its id, or all of a kind with --kind.")
      if (id !== undefined && !/^\d{1,18}$/.test(id))
        return yield* misused("The id is a number, as work list shows it.")
      const count = yield* onWork((work) =>
        work[name](kind === undefined ? { id: id ?? "" } : { kind })
      ).pipe(Effect.catchTag("JobNotFound", () => refused("No such job is set aside.")))
      return {
        value: { jobs: count },
        words: () => `${count} ${count === 1 ? "job is" : "jobs are"} ${done}.`
      }
    })
  )

const retry = act(
  "retry",
  "Run a job that was set aside, at once. Its attempts are counted anew.",
  "due again"
)
const drop = act("drop", "Delete a job that was set aside. It is never run.", "deleted")

/** The operator's commands for work that is done later. */
export const work = {
  commands: [group("work", "Background work, such as webhook deliveries.", [list, retry, drop])],
  checks: () => import("./checks.ts")
}

import { Effect } from "effect"
import { type Check, dayOf, doubtful, type Finding, failed, well } from "../../cli/check.ts"
import { Config } from "../../config.ts"
import { sealingState } from "./keys-service.ts"
import { type Partitions, partitions } from "./partitions.ts"

const sealing = Effect.zipWith(sealingState, Config, (secrets, { retention }) => {
  if (secrets.unknown > 0) {
    return failed(
      `The personal data of ${secrets.unknown} sessions was sealed under another SECRET_KEY, and cannot be read.`,
      "Set SECRET_KEY to that key, or SECRET_KEY_PREVIOUS while you rotate it."
    )
  }
  if (secrets.previous > 0) {
    return doubtful(
      `The keys of ${secrets.previous} sessions are still sealed under SECRET_KEY_PREVIOUS.`,
      "Run secrets reseal, then remove SECRET_KEY_PREVIOUS."
    )
  }
  if (secrets.orphans > 0) {
    return doubtful(
      `${secrets.orphans} keys belong to no session, because the database was restored to a time before these sessions.`,
      "They are harmless. docs/operations.md says how to remove them."
    )
  }
  const isKept = Object.values(retention).every((days) => days === undefined)
  return well(
    `All stored personal data is sealed, by the keys of ${secrets.present} sessions.${isKept ? " Unless an instance sets a retention, it stays until it is redacted." : ""}`
  )
})

/** From so many partitions on, Postgres' default of 64 locks leaves no room (operations.md#partitions-of-sessions). */
const many = { partitions: 24, locks: 256 } as const

const month = 31 * 86_400_000

/**
 * Whether sessions can be created, whose ids have the time of the process, and whether many connections may plan statements about them at once.
 * @param now the time of this machine
 */
export const roomForSessions = ({ begin, count, end, locks }: Partitions, now: Date): Finding => {
  if (now < begin || now >= end) {
    return failed(
      `This machine can create no session: its clock says ${dayOf(now)}, and there are partitions from ${dayOf(begin)} to before ${dayOf(end)}.`,
      "Set the clock right. docs/operations.md#partitions-of-sessions says when partitions are created and dropped."
    )
  }
  if (end.getTime() - now.getTime() < month) {
    return doubtful(
      `No session can be created from ${dayOf(end)} on, because no partition of sessions was created for later months.`,
      "Each start, and the hourly housekeeping, creates those of the next three months: the log says why that fails. Check the clock, too."
    )
  }
  return count >= many.partitions && locks < many.locks
    ? doubtful(
        `Sessions have ${count} partitions, and max_locks_per_transaction is ${locks}: if many connections plan statements at once, some fail.`,
        `Set max_locks_per_transaction of Postgres to ${many.locks}, and restart it.`
      )
    : well(`Postgres has room for the locks of ${count} partitions of sessions.`)
}

export const checks: ReadonlyArray<Check> = [
  { name: "personal data", ofDatabase: sealing },
  { name: "partitions", ofDatabase: Effect.map(partitions, (found) => roomForSessions(found, new Date())) }
]

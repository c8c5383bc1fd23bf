import * as Options from "@effect/cli/Options"
import { Effect, Option } from "effect"
import { command, listing, option } from "../cli/command.ts"
import { CommandFailed, exitCodes, refused } from "../cli/failures.ts"
import { address, installationAt } from "../cli/installation.ts"
import { oneLine } from "../cli/output.ts"
import { Surroundings } from "../cli/surroundings.ts"
import type { FeedUnavailable } from "./feed-cli.ts"

const url = option("url", "address", "The installation's address. Default: http://localhost:3000.").pipe(
  Options.withDefault("http://localhost:3000")
)

const type = option("type", "type", "Only events of this type, or of a prefix such as kyc.*.").pipe(
  Options.optional
)

/** The installation, and the key with which to read its feed. */
const installation = (given: string) =>
  installationAt("--url", given, { name: "listen", scopes: ["events:read"] })

/** What both commands say of a feed that cannot be read. */
const sentences = {
  FeedUnavailable: ({ message }: FeedUnavailable) =>
    new CommandFailed({ exitCode: exitCodes.unavailable, message: `${message}.` }),
  FeedCursorTooOld: () => refused("Cursor is too old.")
}

const events = command(
  "events",
  "List the events of a company, newest first. Reads the feed over HTTP, with the key in DOORLOCK_API_KEY.",
  {
    url,
    type,
    resource: option(
      "resource",
      "id",
      "Only events of the resource with this id, such as a KYC session."
    ).pipe(Options.optional),
    limit: option("limit", "number", "How many, 1 to 100. Default: 20.").pipe(Options.withDefault("20")),
    after: option(
      "after",
      "cursor",
      "Continue after this cursor, oldest first: now, or the next_cursor of an earlier page."
    ).pipe(Options.optional)
  },
  (given) =>
    Effect.gen(function* () {
      const { readFeed } = yield* Effect.promise(() => import("./feed-cli.ts"))
      const page = yield* readFeed(yield* installation(given.url), {
        type: Option.getOrUndefined(given.type),
        resource: Option.getOrUndefined(given.resource),
        limit: given.limit,
        ...(Option.isSome(given.after) ? { after: given.after.value } : { order: "newest" })
      }).pipe(Effect.catchTags(sentences))
      return {
        value: page,
        words: listing(page.events, "There are no such events.", ["AT", "TYPE", "OF", "ID"], (event) => [
          oneLine(event.timestamp),
          oneLine(event.type),
          oneLine(String(event.data.id ?? "")),
          oneLine(event.id)
        ])
      }
    })
)

const listen = command(
  "listen",
  "Forward new events to an address, signed, until interrupted, and print a line for each. Needs DOORLOCK_API_KEY.",
  {
    forward: option("forward", "address", "Where to send the events, such as http://localhost:8080/hooks."),
    type,
    url,
    event: option("event", "id", "Send only this event (evt_...), once more, and end.").pipe(Options.optional)
  },
  (given) =>
    Effect.gen(function* () {
      const forward = yield* address("--forward", given.forward)
      const [{ listen, sendAgain }, { listenStateFile }] = yield* Effect.promise(() =>
        Promise.all([import("./listen-cli.ts"), import("./listen-state-cli.ts")])
      )
      const feed = yield* installation(given.url)
      const type = Option.getOrUndefined(given.type)
      const { environment } = yield* Surroundings
      const file = listenStateFile(environment, [feed.url, feed.key, forward, type ?? ""])
      const listening = { ...feed, forward, type, file }
      const following = Option.match(given.event, {
        onNone: () => listen(listening),
        onSome: (id) => sendAgain(listening, id)
      })
      return yield* Effect.catchTags(following, sentences)
    })
)

export const feed = { commands: [events, listen] }

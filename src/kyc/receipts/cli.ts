import { readFile } from "node:fs/promises"
import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import { Effect, Option } from "effect"
import { command, fields, group, option } from "../../cli/command.ts"
import { readDocument } from "../../cli/document.ts"
import { misused, refused } from "../../cli/failures.ts"
import { onDatabase } from "../../cli/on-database.ts"
import { oneLine } from "../../cli/output.ts"
import { messageOf } from "../../shared/error.ts"
import { Timing } from "../../shared/timing.ts"

const onReceipts = onDatabase(async () => {
  const { ReceiptKeys } = await import("./keys-service.ts")
  return { useCases: ReceiptKeys, layer: ReceiptKeys.Default }
})

const readText = (file: string) =>
  Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (error) => misused(`The file ${file} cannot be read: ${oneLine(messageOf(error))}.`)
  })

const fetchKeys = (address: string) =>
  Effect.flatMap(Timing, ({ signal }) =>
    Effect.tryPromise({
      try: async (): Promise<unknown> => {
        const response = await fetch(address, { signal: signal("cli.receipt_keys") })
        if (!response.ok) throw new Error(`the response is ${response.status}`)
        return response.json()
      },
      catch: (error) => misused(`The keys at ${address} cannot be read: ${oneLine(messageOf(error))}.`)
    })
  )

/** Without `--keys`, those of this installation. */
const keysFrom = (given: Option.Option<string>) =>
  Option.match(given, {
    onNone: () => onReceipts(({ published }) => Effect.map(published, (keys): unknown => ({ keys }))),
    onSome: (from) => (/^https?:\/\//i.test(from) ? fetchKeys(from) : readDocument(from))
  })

const keptUntil = (end: string | null): string =>
  end === null ? "no end set" : `${oneLine(end)} at the latest`

const verify = command(
  "verify",
  "Check that a receipt was signed by doorlock and has not been changed since. With --keys, it needs no database.",
  {
    file: Args.text({ name: "file" }).pipe(Args.withDescription("The receipt, as the end user saved it.")),
    keys: option(
      "keys",
      "file|url",
      "The published keys, /.well-known/doorlock-receipts.json of the issuer. Default: those of this installation."
    ).pipe(Options.optional)
  },
  ({ file, keys }) =>
    Effect.gen(function* () {
      const text = yield* readText(file)
      const { verifyReceipt } = yield* Effect.promise(() => import("./verifying-service.ts"))
      const receipt = yield* verifyReceipt(text, yield* keysFrom(keys)).pipe(
        Effect.catchTag("ReceiptInvalid", ({ message }) => Effect.fail(refused(oneLine(message))))
      )
      const { asked_by, consents, files, handed_over, issuer, kept_until, session } = receipt
      return {
        value: { valid: true, receipt },
        words: fields({
          receipt: "valid",
          issuer: oneLine(issuer),
          company: oneLine(asked_by.company),
          session: `${oneLine(session.id)} (${session.status})`,
          finished: oneLine(session.completed_at ?? "no"),
          consents: consents
            .map(({ id, version }) => `${oneLine(id)} ${oneLine(version ?? "")}`.trim())
            .join(", "),
          "handed over": handed_over
            .map(({ fields, kind }) => [kind, ...fields].map(oneLine).join(" "))
            .join(", "),
          files: String(files),
          "kept until": keptUntil(kept_until.data),
          "files kept until": keptUntil(kept_until.files)
        })
      }
    })
)

const rotate = command("rotate", "Sign new receipts with a new key. Existing receipts stay valid.", {}, () =>
  Effect.map(
    onReceipts(({ rotate }) => rotate),
    (key) => ({ value: { key }, words: fields({ "new key": key }) })
  )
)

/** The commands for receipts of end users. */
export const receipts = {
  commands: [group("receipt", "Receipts that end users get.", [verify, rotate])]
}

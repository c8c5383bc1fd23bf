/** What the server itself reads of a stored config. Invalid values elsewhere in the config do not affect it. */
import { Option, Schema } from "effect"
import type { JsonObject } from "../../shared/schemas.ts"
import { Captcha, Capture, Embed, type fileTypes } from "./config-model.ts"
import { type Reason, Review } from "./data-config-model.ts"
import { object, part } from "./shape-model.ts"

const readCaptcha = Schema.decodeUnknownOption(
  object({ captcha: part(Captcha.pick("siteKey", "minScore"), "") })
)

/** The requirements for a captcha token; a malformed part counts as missing. */
export const captchaSettings = (config: JsonObject) => {
  const captcha = Option.getOrUndefined(readCaptcha(config))?.captcha
  return { siteKey: captcha?.siteKey || undefined, minScore: captcha?.minScore ?? undefined }
}

const readEmbed = Schema.decodeUnknownOption(Embed)

/** `embed` of a config; a malformed one counts as missing. */
export const embeddingOrigins = (embed: unknown): ReadonlyArray<string> =>
  Option.getOrUndefined(readEmbed(embed))?.allowedOrigins ?? []

const readMaxBytes = Schema.decodeUnknownOption(Capture.pick("maxBytes"))
const readMime = Schema.decodeUnknownOption(Capture.pick("mime"))

export interface CaptureLimits {
  readonly maxBytes: number
  readonly types: ReadonlyArray<(typeof fileTypes)[number]>
}

/** The limits in `capture` of a config, or the defaults; a malformed part or an empty list counts as missing. */
export const captureLimits = (capture: unknown): CaptureLimits => {
  const maxBytes = Option.getOrUndefined(readMaxBytes(capture))?.maxBytes ?? 5_242_880
  const mime = Option.getOrUndefined(readMime(capture))?.mime ?? []
  return { maxBytes, types: mime.length > 0 ? mime : ["image/jpeg", "image/png", "application/pdf"] }
}

/** The reasons of an instance that names none. */
const standardReasons: ReadonlyArray<Reason> = [
  { code: "photo_unreadable", text: "The photo of the document cannot be read" },
  { code: "document_expired", text: "The document has expired" },
  { code: "document_not_accepted", text: "This type of document is not accepted" },
  { code: "document_suspect", text: "The document looks forged or altered" },
  { code: "face_mismatch", text: "The face does not match the document" },
  { code: "data_mismatch", text: "What was typed does not match the document" },
  { code: "duplicate_person", text: "The person already has an account" },
  { code: "other", text: "Another reason" }
]

const readReview = Schema.decodeUnknownOption(object({ review: part(Review, "") }))

/** How sessions are reviewed; a malformed part counts as missing. */
export interface ReviewSettings {
  readonly fourEyes: boolean
  readonly reasons: ReadonlyArray<Reason>
}

export const reviewSettings = (config: JsonObject): ReviewSettings => {
  const review = Option.getOrUndefined(readReview(config))?.review
  const reasons = review?.reasons ?? []
  return { fourEyes: review?.fourEyes ?? false, reasons: reasons.length > 0 ? reasons : standardReasons }
}

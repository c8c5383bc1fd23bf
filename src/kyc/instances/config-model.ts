/**
 * The `config` of an instance: how its page looks and behaves. A missing setting has the default from its description;
 * unknown fields are stored and ignored.
 */
import { Option, Schema } from "effect"
import type { JsonObject } from "../../model.ts"
import { builtInScore } from "../captcha/model.ts"
import { hardMaxBytes } from "../files/examination-model.ts"
import { contrast, minContrast } from "./colour-model.ts"
import { isRedirectUrl } from "./model.ts"
import { problemIn } from "./problem-model.ts"
import {
  like,
  listOf,
  numberFrom,
  object,
  oneOf,
  type Problem,
  part,
  setting,
  string,
  trueOrFalse,
  wholeFrom
} from "./shape-model.ts"
import { locale, maxLocales, Text, untranslated } from "./text-model.ts"

const colour = like(/^#[0-9A-Fa-f]{6}$/, "a colour like #1f5eff")

const host = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*"
const hostName = like(new RegExp(`^${host}$`), "a host name like shop.example.com", { max: 253 })

const origin = like(new RegExp(`^https?://${host}(?::[0-9]{1,5})?$`), "an origin like https://example.com", {
  // As browsers write an origin: without the scheme's default port.
  holds: (text) => URL.parse(text)?.origin === text
})

/** An address that the page links to or redirects to (contract.md#redirect-urls). */
export const webUrl = like(/^[Hh][Tt][Tt][Pp][Ss]?:\/\/(?![^/?#]*@)\S+$/, "an http or https URL", {
  holds: isRedirectUrl,
  max: 2048
})

const logo = like(
  /^data:image\/(?:png|jpeg|webp|svg\+xml);base64,[A-Za-z0-9+/]+={0,2}$/,
  "an image as a data: URL in base64, at most 100000 characters",
  { max: 100_000 }
)

const Legal = object({
  company: setting(string(200), "Who asks for the data, as consent names them."),
  privacyUrl: setting(webUrl, "Their privacy notice."),
  termsUrl: setting(webUrl, "Their terms."),
  consentVersion: setting(string(100), "Version of the consent texts; it is kept with every consent given.")
})

const Theme = object({
  primary: setting(colour, "Colour of buttons and of what is selected."),
  onPrimary: setting(
    colour,
    `Colour of text on \`primary\`; their contrast must be at least ${minContrast} to 1. ` +
      "Default: white or black, whichever reads better; one of them always does."
  ),
  radius: setting(wholeFrom(0, 32), "Radius of corners in pixels. Default: 8."),
  mode: setting(oneOf("auto", "light", "dark"), "Default: auto, as the reader's system has it."),
  logoUrl: setting(logo, "The logo itself, because the page loads nothing from another origin.")
})

const builtInProvider = "builtin"

const Captcha = object({
  required: setting(
    trueOrFalse,
    "Whether the page asks for a captcha. Default: true where there is a captcha step."
  ),
  provider: setting(
    string(64),
    `Who issues the captcha tokens. Default: ${builtInProvider}, the proof of work, which is all that the hosted page solves.`
  ),
  siteKey: setting(
    { schema: Schema.String, rule: "must be a string" },
    "What tokens must be issued for. Default, also when empty: the site key that the request names."
  ),
  minScore: setting(
    numberFrom(0, 1),
    `Least score of a token that is accepted; at most ${builtInScore} with the built-in captcha, which scores that. Default: none.`
  )
})

const Dedup = object({
  enabled: setting(
    trueOrFalse,
    "Whether the page looks for earlier sessions of the same document. Default: true."
  ),
  scope: setting(
    string(200),
    "Random text that goes into every key hash, so that hashes of two scopes never meet."
  ),
  strategy: setting(oneOf("document", "person"), "What the key hash is made of. Default: document."),
  onMatch: setting(
    oneOf("silent", "warn", "review", "block"),
    "What the page does about a match: only record it, warn, have it reviewed, or end the session. Default: review."
  )
})

/** The file types that can be identified by their first bytes. */
export const fileTypes = ["image/jpeg", "image/png", "image/webp", "image/heic", "application/pdf"] as const

/** The page converts every photo to one of these types, which all browsers can write. */
const photoTypes = ["image/jpeg", "image/png"] as const

const Capture = object({
  sources: part(listOf(oneOf("camera", "upload"), 2, "sources"), "Ways to give an image. Default: both."),
  mime: part(
    listOf(oneOf(...fileTypes), 5, "media types"),
    "Types of file that are taken, image/jpeg or image/png among them: one of these is what the page makes of every photo. " +
      "Default: image/jpeg, image/png, application/pdf."
  ),
  maxBytes: setting(wholeFrom(1, hardMaxBytes), "Bytes of a file, at most. Default: 5242880."),
  maxEdge: setting(
    wholeFrom(100, 10_000),
    "Pixels of an image's longer edge; larger ones are reduced. Default: 2200."
  ),
  minEdge: setting(wholeFrom(1, 10_000), "Pixels of an image's shorter edge, at least. Default: 900.")
})

const Redirect = object({
  successUrl: setting(webUrl, "Where to after completion, unless the session has its own."),
  failureUrl: setting(webUrl, "Where to after failure or cancellation, unless the session has its own."),
  allowedHosts: part(
    listOf(hostName, 50, "host names"),
    "Hosts the page may go to by itself; to any other the reader must agree. Default: none."
  ),
  autoDelayMs: setting(
    wholeFrom(0, 60_000),
    "Milliseconds until the page goes there by itself. Default: 3000."
  ),
  appendStatus: setting(
    trueOrFalse,
    "Whether the page adds session and status to the address. Default: false."
  )
})

const Embed = object({
  allowedOrigins: part(
    listOf(origin, 50, "origins"),
    "Whose pages may show this one in a frame, and are told by messages how it goes: exact origins, without a path " +
      "or wildcard, of every page around the frame. `/kyc/embed.js` does the rest. Default: none."
  )
})

export const Config = object({
  v: setting(oneOf(1), "Version of this format."),
  title: part(Text, "Heading of the page."),
  locales: part(
    listOf(locale, maxLocales, "language tags"),
    "Languages to choose from. Default: all the page has."
  ),
  defaultLocale: setting(
    locale,
    "Language where the browser asks for none of them; one of `locales`. Default: en."
  ),
  legal: part(Legal, "Who stands behind the page."),
  theme: part(Theme, "How it looks."),
  captcha: part(Captcha, "Proof that no robot fills it in."),
  dedup: part(Dedup, "Whether this person has been here before."),
  capture: part(Capture, "Images and files."),
  handoff: part(
    object({
      enabled: setting(trueOrFalse, "Whether a session may go over to another device. Default: true.")
    }),
    "Going on with a phone: by a QR code with a one-time link, and a number that is shown here and entered there."
  ),
  embed: part(Embed, "The page within another."),
  redirect: part(Redirect, "Where the reader goes in the end.")
})
export type Config = typeof Config.Type

const sense = (config: Config): ReadonlyArray<Problem> => {
  const { captcha = {}, capture = {}, defaultLocale, locales, theme = {}, title } = config
  const { onPrimary, primary } = theme
  const problems = [...untranslated([[["title"], title]], locales)]
  if (locales !== undefined && typeof defaultLocale === "string" && !locales.includes(defaultLocale)) {
    problems.push({ path: ["defaultLocale"], rule: "must be one of config.locales" })
  }
  if (
    typeof primary === "string" &&
    typeof onPrimary === "string" &&
    contrast(primary, onPrimary) < minContrast
  ) {
    const rule = `must have a contrast of at least ${minContrast} to config.theme.primary`
    problems.push({ path: ["theme", "onPrimary"], rule })
  }
  if ((captcha.provider ?? builtInProvider) === builtInProvider && (captcha.minScore ?? 0) > builtInScore) {
    const rule = `must be at most ${builtInScore}, the score of the built-in captcha, unless config.captcha.provider names another`
    problems.push({ path: ["captcha", "minScore"], rule })
  }
  if (capture.mime !== undefined && !photoTypes.some((type) => capture.mime?.includes(type))) {
    problems.push({
      path: ["capture", "mime"],
      rule: `must have ${photoTypes.join(" or ")}, which photos are sent as`
    })
  }
  return problems
}

/** The first error in a config, as one sentence, or undefined. */
export const configProblem = problemIn("config", Config, sense)

/** The settings that the server itself uses. Invalid values elsewhere in a stored config do not affect them. */
const readCaptcha = Schema.decodeUnknownOption(
  object({ captcha: part(Captcha.pick("siteKey", "minScore"), "") })
)

/** The requirements for a captcha token; a malformed part counts as missing. */
export const captchaSettings = (config: JsonObject) => {
  const captcha = Option.getOrUndefined(readCaptcha(config))?.captcha
  return { siteKey: captcha?.siteKey || undefined, minScore: captcha?.minScore ?? undefined }
}

const readEmbed = Schema.decodeUnknownOption(Embed)

/**
 * The origins that may show the hosted page in a frame.
 *
 * @param embed `embed` of a config; a malformed one counts as missing
 */
export const embeddingOrigins = (embed: unknown): ReadonlyArray<string> =>
  Option.getOrUndefined(readEmbed(embed))?.allowedOrigins ?? []

const readMaxBytes = Schema.decodeUnknownOption(Capture.pick("maxBytes"))
const readMime = Schema.decodeUnknownOption(Capture.pick("mime"))

/** The files that a session accepts. */
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

/** The `config` of an instance: how its page looks and behaves. Each description has the default. */
import { Schema } from "effect"
import { builtInScore } from "../captcha/model.ts"
import { maxFileBytes } from "../files/examination-model.ts"
import { contrast, minContrast } from "./colour-model.ts"
import { Checks, Retention, Review } from "./data-config-model.ts"
import { isRedirectUrl } from "./model.ts"
import { problemIn } from "./problem-model.ts"
import {
  flag,
  like,
  listOf,
  numberFrom,
  object,
  oneOf,
  type Problem,
  part,
  setting,
  string,
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
  company: setting(string(200), "The name of the company that asks for the data, as the consent shows it."),
  privacyUrl: setting(webUrl, "The company's privacy notice."),
  termsUrl: setting(webUrl, "The company's terms."),
  consentVersion: setting(string(100), "Version of the consent texts; stored with every consent.")
})

const Theme = object({
  primary: setting(colour, "Colour of buttons and selected items."),
  onPrimary: setting(
    colour,
    `Colour of text on \`primary\`; their contrast must be at least ${minContrast} to 1. ` +
      "Default: white or black, whichever has more contrast."
  ),
  radius: setting(wholeFrom(0, 32), "Radius of corners in pixels. Default: 8."),
  mode: setting(oneOf("auto", "light", "dark"), "Default: auto, which follows the end user's system."),
  logoUrl: setting(logo, "The image itself, because the page loads nothing from other origins.")
})

const builtInProvider = "builtin"

export const Captcha = object({
  required: flag("Whether the page asks for a captcha. Default: true where there is a captcha step."),
  provider: setting(
    string(64),
    `Who issues the captcha tokens. Default: ${builtInProvider}, the proof of work; the hosted page can solve no other.`
  ),
  siteKey: setting(
    { schema: Schema.String, rule: "must be a string" },
    "The site key that tokens must be issued for. Default, also if empty: the site key in the request."
  ),
  minScore: setting(
    numberFrom(0, 1),
    `Lowest accepted score of a token; at most ${builtInScore} with the built-in captcha, whose tokens have that score. Default: none.`
  )
})

const Dedup = object({
  enabled: flag("Whether the page looks for earlier sessions of the same document. Default: true."),
  scope: setting(
    string(200),
    "Random text that goes into every key hash, so that hashes of different scopes never match."
  ),
  strategy: setting(oneOf("document", "person"), "What the key hash is computed from. Default: document."),
  onMatch: setting(
    oneOf("silent", "warn", "review", "block"),
    "What the page does on a match: only record it, warn, ask for a review, or end the session. Default: review."
  )
})

/** The file types that can be identified by their first bytes. */
export const fileTypes = ["image/jpeg", "image/png", "image/webp", "application/pdf"] as const

/** The page converts every photo to one of these types, which all browsers can write. */
const photoTypes = ["image/jpeg", "image/png"] as const

export const Capture = object({
  sources: part(
    listOf(oneOf("camera", "upload"), 2, "sources"),
    "How the end user may provide an image. Default: both."
  ),
  mime: part(
    listOf(oneOf(...fileTypes), 4, "media types"),
    "Accepted file types. Must include image/jpeg or image/png, because the page converts every photo to one of them. " +
      "Default: image/jpeg, image/png, application/pdf."
  ),
  maxBytes: setting(wholeFrom(1, maxFileBytes), "Maximum size of a file in bytes. Default: 5242880."),
  maxEdge: setting(
    wholeFrom(100, 10_000),
    "Maximum length of an image's longer edge in pixels; larger images are scaled down. Default: 2200."
  ),
  minEdge: setting(wholeFrom(1, 10_000), "Minimum length of an image's shorter edge in pixels. Default: 900.")
})

const Redirect = object({
  successUrl: setting(webUrl, "Where the page goes after completion, unless the session has its own URL."),
  failureUrl: setting(
    webUrl,
    "Where the page goes after failure or cancellation, unless the session has its own URL."
  ),
  allowedHosts: part(
    listOf(hostName, 50, "host names"),
    "Hosts to which the page may redirect automatically; for any other host, the end user must agree. Default: none."
  ),
  autoDelayMs: setting(
    wholeFrom(0, 60_000),
    "Milliseconds until the page redirects automatically. Default: 3000."
  ),
  appendStatus: flag("Whether the page adds the session and its status to the URL. Default: false.")
})

export const Embed = object({
  allowedOrigins: part(
    listOf(origin, 50, "origins"),
    "The origins whose pages may show this page in a frame and receive its messages: exact, without path or " +
      "wildcard, and of every page around the frame. `/kyc/embed.js` does the rest. Default: none."
  )
})

export const Config = object({
  v: setting(oneOf(1), "Version of this format."),
  title: part(Text, "Heading of the page."),
  locales: part(
    listOf(locale, maxLocales, "language tags"),
    "Languages to choose from. Default: all languages of the page."
  ),
  defaultLocale: setting(
    locale,
    "Language if the browser asks for none of these; one of `locales`. Default: en."
  ),
  legal: part(Legal, "The company that runs the page."),
  theme: part(Theme, "Colours, corners and logo."),
  captcha: part(Captcha, "The check that the end user is not a program."),
  dedup: part(Dedup, "The check for the same document or person in an earlier session."),
  capture: part(Capture, "Images and files."),
  handoff: part(
    object({
      enabled: flag("Whether a session may move to another device. Default: true.")
    }),
    "Continuing on a phone: a QR code with a one-time link, and a code that this device shows and the phone asks for."
  ),
  retention: part(
    Retention,
    "How long personal data is stored. A session keeps the shorter time of the config that it was created with and the present one."
  ),
  embed: part(Embed, "The page in a frame of another page."),
  redirect: part(Redirect, "Where the end user goes at the end."),
  checks: part(Checks, "What doorlock looks at by itself. Not shown to end users."),
  review: part(Review, "Whether and how people decide on completed sessions. Not shown to end users.")
})
export type Config = typeof Config.Type

const sense = (config: Config): ReadonlyArray<Problem> => {
  const { captcha = {}, capture = {}, defaultLocale, locales, review = {}, theme = {}, title } = config
  const { onPrimary, primary } = theme
  const problems = [...untranslated([[["title"], title]], locales)]
  const refuse = (path: Problem["path"], rule: string) => problems.push({ path, rule })
  if (typeof defaultLocale === "string" && locales?.includes(defaultLocale) === false) {
    refuse(["defaultLocale"], "must be one of config.locales")
  }
  if (primary && onPrimary && contrast(primary, onPrimary) < minContrast) {
    refuse(["theme", "onPrimary"], `must have a contrast of at least ${minContrast} to config.theme.primary`)
  }
  if ((captcha.provider ?? builtInProvider) === builtInProvider && (captcha.minScore ?? 0) > builtInScore) {
    const rule = `must be at most ${builtInScore}, the score of the built-in captcha, unless config.captcha.provider names another`
    refuse(["captcha", "minScore"], rule)
  }
  const codes = (review.reasons ?? []).map(({ code }) => code)
  for (const [index, code] of codes.entries()) {
    if (codes.indexOf(code) < index) refuse(["review", "reasons", index, "code"], "must be unique")
  }
  if (capture.mime !== undefined && !photoTypes.some((type) => capture.mime?.includes(type))) {
    refuse(["capture", "mime"], `must have ${photoTypes.join(" or ")}, which photos are sent as`)
  }
  return problems
}

export const configProblem = problemIn("config", Config, sense)

/** What a session's `instance_config` says to the page; whatever it does not say, or says in another shape, has a default. */
import type { Config } from "../../../kyc/instances/config-model.ts"
import { isObject, type Json, number, object, oneOf, text, texts } from "../../json.ts"

type Part<Key extends keyof Config> = NonNullable<Config[Key]>

/** A partner's text: one for all languages, or one for each. */
export type LocalText = string | Readonly<Record<string, string>>

/** What to do when the document is known from another session. */
export type OnMatch = NonNullable<Part<"dedup">["onMatch"]>

/** What the page makes of a config. */
export type PageConfig = ReturnType<typeof readConfig>

/** Reads a text; `{}` or another kind is none. */
export const localText = (value: unknown): LocalText | undefined => {
  if (typeof value === "string") return value === "" ? undefined : value
  if (!isObject(value)) return undefined
  const entries = Object.entries(value).flatMap(([locale, entry]) => {
    const written = text(entry)
    return written === undefined ? [] : [[locale, written] as const]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/** The text in the first of the languages that has one, else in any. */
export const inLanguage = (
  value: LocalText | undefined,
  locales: ReadonlyArray<string>
): string | undefined => {
  if (value === undefined || typeof value === "string") return value
  const locale = locales.find((candidate) => Object.hasOwn(value, candidate))
  return locale === undefined ? Object.values(value)[0] : value[locale]
}

/** An address to link to: http and https only, for a `javascript:` one would run in the page. */
export const webAddress = (value: unknown): string | undefined => {
  const address = text(value)
  const url = address === undefined ? null : URL.parse(address)
  return url !== null && (url.protocol === "https:" || url.protocol === "http:") ? address : undefined
}

const within = (value: unknown, least: number, most: number): number | undefined => {
  const given = number(value)
  return given === undefined ? undefined : Math.min(most, Math.max(least, given))
}

type FileType = NonNullable<Part<"capture">["mime"]>[number]

/** What the page can send. */
const knownTypes: ReadonlyArray<FileType> = ["image/jpeg", "image/png", "image/webp", "application/pdf"]
const usualTypes: ReadonlyArray<FileType> = ["image/jpeg", "image/png", "application/pdf"]

const readCapture = (value: unknown) => {
  const given = object<Part<"capture">>(value)
  const sources = texts(given.sources)
  const camera = sources.length === 0 || sources.includes("camera")
  const mime: ReadonlyArray<string> = knownTypes.filter((type) => texts(given.mime).includes(type))
  return {
    camera,
    // Whoever has no camera needs a way on, whatever the partner would rather see.
    upload: !camera || sources.length === 0 || sources.includes("upload"),
    mime: mime.length === 0 ? usualTypes : mime,
    maxBytes: within(given.maxBytes, 1, 20_971_520) ?? 5_242_880,
    /** Pixels of an image's longer edge, at most. */
    maxEdge: within(given.maxEdge, 100, 10_000) ?? 2200,
    /** Below this many pixels of the shorter edge the reader is warned. */
    minEdge: within(given.minEdge, 1, 10_000) ?? 900
  }
}

/** Reads a config. The schema names its fields; an older server may have stored any other kind of value in them. */
export const readConfig = (given: Json) => {
  const config = object<Config>(given)
  const captcha = object<Part<"captcha">>(config.captcha)
  const dedup = object<Part<"dedup">>(config.dedup)
  const legal = object<Part<"legal">>(config.legal)
  const redirect = object<Part<"redirect">>(config.redirect)
  const theme = object<Part<"theme">>(config.theme)
  return {
    title: localText(config.title),
    locales: texts(config.locales),
    defaultLocale: text(config.defaultLocale),
    legal: {
      company: text(legal.company),
      privacyUrl: webAddress(legal.privacyUrl),
      consentVersion: text(legal.consentVersion) ?? "1"
    },
    theme: {
      primary: text(theme.primary),
      onPrimary: text(theme.onPrimary),
      /** Pixels. */
      radius: within(theme.radius, 0, 32),
      mode: oneOf<NonNullable<Part<"theme">["mode"]>>(theme.mode, ["light", "dark"]) ?? "auto",
      logoUrl: text(theme.logoUrl)
    },
    captcha: {
      /** Undefined: where the workflow has a captcha step, and then no failure of it stops the session. */
      required: typeof captcha.required === "boolean" ? captcha.required : undefined,
      siteKey: text(captcha.siteKey)
    },
    dedup: {
      enabled: dedup.enabled !== false,
      /** What is looked for, and by that at which step. */
      strategy: oneOf<NonNullable<Part<"dedup">["strategy"]>>(dedup.strategy, ["person"]) ?? "document",
      scope: text(dedup.scope),
      onMatch: oneOf<OnMatch>(dedup.onMatch, ["silent", "warn", "block"]) ?? "review"
    },
    capture: readCapture(config.capture),
    /** Whether the session may go over to another device. */
    handoff: object<Part<"handoff">>(config.handoff).enabled !== false,
    redirect: {
      /** Milliseconds before the page leaves by itself. */
      delay: within(redirect.autoDelayMs, 0, 60_000) ?? 3000,
      /** Where it may go by itself. */
      hosts: texts(redirect.allowedHosts),
      /** Whether session and status are added to the address. */
      appendStatus: redirect.appendStatus === true
    }
  }
}

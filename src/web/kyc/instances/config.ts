/** Reads an `instance_config`. Missing or malformed settings get defaults. */
import type { Config } from "../../../kyc/instances/config-model.ts"
import { isObject, type Json, number, object, oneOf, text, texts } from "../../json.ts"

type Part<Key extends keyof Config> = NonNullable<Config[Key]>

/** A partner's text: one for all languages, or one per language. */
export type LocalText = string | Readonly<Record<string, string>>

export type OnMatch = NonNullable<Part<"dedup">["onMatch"]>

export type PageConfig = ReturnType<typeof readConfig>

/** `{}` or another type means none. */
export const localText = (value: unknown): LocalText | undefined => {
  if (typeof value === "string") return value === "" ? undefined : value
  if (!isObject(value)) return undefined
  const entries = Object.entries(value).flatMap(([locale, entry]) => {
    const written = text(entry)
    return written === undefined ? [] : [[locale, written] as const]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/** In the first of these languages that has a text, or else in any. */
export const inLanguage = (
  value: LocalText | undefined,
  locales: ReadonlyArray<string>
): string | undefined => {
  if (value === undefined || typeof value === "string") return value
  const locale = locales.find((candidate) => Object.hasOwn(value, candidate))
  return locale === undefined ? Object.values(value)[0] : value[locale]
}

/** Http or https only: a `javascript:` address would run in the page. */
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

const knownTypes: ReadonlyArray<FileType> = ["image/jpeg", "image/png", "image/webp", "application/pdf"]
const usualTypes: ReadonlyArray<FileType> = ["image/jpeg", "image/png", "application/pdf"]

const readCapture = (value: unknown) => {
  const given = object<Part<"capture">>(value)
  const sources = texts(given.sources)
  const camera = sources.length === 0 || sources.includes("camera")
  const mime: ReadonlyArray<string> = knownTypes.filter((type) => texts(given.mime).includes(type))
  return {
    camera,
    // Without a camera, the end user must be able to upload.
    upload: !camera || sources.length === 0 || sources.includes("upload"),
    mime: mime.length === 0 ? usualTypes : mime,
    maxBytes: within(given.maxBytes, 1, 20_971_520) ?? 5_242_880,
    /** The longer edge, in pixels. */
    maxEdge: within(given.maxEdge, 100, 10_000) ?? 2200,
    /** The page warns if the shorter edge has fewer pixels. */
    minEdge: within(given.minEdge, 1, 10_000) ?? 900
  }
}

/** Checks every type, because an older server may have stored others than the schema says. */
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
      /** In pixels. */
      radius: within(theme.radius, 0, 32),
      mode: oneOf<NonNullable<Part<"theme">["mode"]>>(theme.mode, ["light", "dark"]) ?? "auto",
      logoUrl: text(theme.logoUrl)
    },
    captcha: {
      /** Undefined: required by a captcha step of the workflow, but a failure does not stop the session. */
      required: typeof captcha.required === "boolean" ? captcha.required : undefined,
      siteKey: text(captcha.siteKey)
    },
    dedup: {
      enabled: dedup.enabled !== false,
      strategy: oneOf<NonNullable<Part<"dedup">["strategy"]>>(dedup.strategy, ["person"]) ?? "document",
      scope: text(dedup.scope),
      onMatch: oneOf<OnMatch>(dedup.onMatch, ["silent", "warn", "block"]) ?? "review"
    },
    capture: readCapture(config.capture),
    /** Whether the page keeps a mark in the browser, to be found in other sessions. */
    sameBrowser: object<Part<"checks">>(config.checks).sameBrowser === true,
    handoff: object<Part<"handoff">>(config.handoff).enabled !== false,
    redirect: {
      /** In milliseconds. */
      delay: within(redirect.autoDelayMs, 0, 60_000) ?? 3000,
      /** The page redirects to these without a click. */
      hosts: texts(redirect.allowedHosts),
      /** Adds session and status to the address. */
      appendStatus: redirect.appendStatus === true
    }
  }
}

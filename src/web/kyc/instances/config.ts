/** What a session's `instance_config` says to the page; whatever it does not say, or says in another shape, has a default. */
import { isObject, type Json, number, object, oneOf, text, texts } from "../../json.ts"

/** A partner's text: one for all languages, or one for each. */
export type LocalText = string | Readonly<Record<string, string>>

/** What to do when the document is known from another session. */
export type OnMatch = "silent" | "warn" | "review" | "block"

export interface PageConfig {
  readonly title: LocalText | undefined
  readonly locales: ReadonlyArray<string>
  readonly defaultLocale: string | undefined
  readonly legal: {
    readonly company: string | undefined
    readonly privacyUrl: string | undefined
    readonly consentVersion: string
  }
  readonly theme: {
    readonly primary: string | undefined
    readonly onPrimary: string | undefined
    /** Pixels. */
    readonly radius: number | undefined
    readonly mode: "auto" | "light" | "dark"
    readonly logoUrl: string | undefined
  }
  readonly captcha: {
    /** Undefined: where the workflow has a captcha step, and then no failure of it stops the session. */
    readonly required: boolean | undefined
    readonly siteKey: string | undefined
  }
  readonly dedup: {
    readonly enabled: boolean
    /** What is looked for, and by that at which step. */
    readonly strategy: "document" | "person"
    readonly scope: string | undefined
    readonly onMatch: OnMatch
  }
  readonly capture: {
    readonly camera: boolean
    readonly upload: boolean
    readonly mime: ReadonlyArray<string>
    readonly maxBytes: number
    /** Pixels of an image's longer edge, at most. */
    readonly maxEdge: number
    /** Below this many pixels of the shorter edge the reader is warned. */
    readonly minEdge: number
  }
  /** Whether the session may go over to another device. */
  readonly handoff: boolean
  readonly redirect: {
    /** Milliseconds before the page leaves by itself. */
    readonly delay: number
    /** Where it may go by itself. */
    readonly hosts: ReadonlyArray<string>
    /** Whether session and status are added to the address. */
    readonly appendStatus: boolean
  }
}

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

/** What the page can send. */
const knownTypes = ["image/jpeg", "image/png", "image/webp", "application/pdf"]
const usualTypes = ["image/jpeg", "image/png", "application/pdf"]

/** Kept apart from the theme, for `capture` decides whether a camera is offered at all. */
const capture = (given: Json): PageConfig["capture"] => {
  const sources = texts(given.sources)
  const camera = sources.length === 0 || sources.includes("camera")
  const mime = knownTypes.filter((type) => texts(given.mime).includes(type))
  return {
    camera,
    // Whoever has no camera needs a way on, whatever the partner would rather see.
    upload: !camera || sources.length === 0 || sources.includes("upload"),
    mime: mime.length === 0 ? usualTypes : mime,
    maxBytes: within(given.maxBytes, 1, 20_971_520) ?? 5_242_880,
    maxEdge: within(given.maxEdge, 100, 10_000) ?? 2200,
    minEdge: within(given.minEdge, 1, 10_000) ?? 900
  }
}

export const readConfig = (config: Json): PageConfig => {
  const { captcha, capture: sources, dedup, legal, redirect, theme } = config
  const given = {
    captcha: object(captcha),
    dedup: object(dedup),
    legal: object(legal),
    redirect: object(redirect),
    theme: object(theme)
  }
  return {
    title: localText(config.title),
    locales: texts(config.locales),
    defaultLocale: text(config.defaultLocale),
    legal: {
      company: text(given.legal.company),
      privacyUrl: webAddress(given.legal.privacyUrl),
      consentVersion: text(given.legal.consentVersion) ?? "1"
    },
    theme: {
      primary: text(given.theme.primary),
      onPrimary: text(given.theme.onPrimary),
      radius: within(given.theme.radius, 0, 32),
      mode: oneOf(given.theme.mode, ["light", "dark"]) ?? "auto",
      logoUrl: text(given.theme.logoUrl)
    },
    captcha: {
      required: typeof given.captcha.required === "boolean" ? given.captcha.required : undefined,
      siteKey: text(given.captcha.siteKey)
    },
    dedup: {
      enabled: given.dedup.enabled !== false,
      strategy: oneOf(given.dedup.strategy, ["person"]) ?? "document",
      scope: text(given.dedup.scope),
      onMatch: oneOf(given.dedup.onMatch, ["silent", "warn", "block"]) ?? "review"
    },
    capture: capture(object(sources)),
    handoff: object(config.handoff).enabled !== false,
    redirect: {
      delay: within(given.redirect.autoDelayMs, 0, 60_000) ?? 3000,
      hosts: texts(given.redirect.allowedHosts),
      appendStatus: given.redirect.appendStatus === true
    }
  }
}

/** What the server noticed of the way in which a session was answered, in words. */
import { DateTime, Option } from "effect"
import { alpha2 } from "../instances/country-model.ts"
import type { Finding } from "./model.ts"

/** What the server itself knows of a session. */
export interface Known {
  /** The kinds of devices that it was moved to. */
  readonly handedTo: ReadonlyArray<string>
  /** The steps that were answered in it, and not in a session before it. */
  readonly answered: ReadonlyArray<string>
  /** From its creation to its end. */
  readonly seconds: number
  /** How many other sessions of the instance came from the same browser; null if that is not known. */
  readonly sameBrowser: number | null
  /** When it was completed. */
  readonly at: DateTime.DateTime
}

/** What the browser sent. */
export interface Claimed {
  /** By step: how many characters were typed into fields of text. */
  readonly characters: ReadonlyMap<string, number>
  /** The time zone of the browser, an IANA name. */
  readonly timeZone: string | undefined
  /** Of the document, as it was typed: an ISO 3166 code of three letters. */
  readonly country: string | undefined
}

interface Signal {
  /** A part of a sentence. */
  readonly words: string
  /** Whether it is out of the ordinary; undefined if it is neither. */
  readonly isOdd: boolean | undefined
}

/** More sessions from one browser are not counted. */
export const mostFromBrowser = 100

/** Nobody types faster, in characters a second. Shorter texts say nothing about the pace. */
const fastest = 15
const leastCharacters = 16

/** Devices as a reader would name them. */
const deviceNames: Readonly<Record<string, string>> = {
  iphone: "an iPhone",
  ipad: "an iPad",
  android_phone: "an Android phone",
  android_tablet: "an Android tablet",
  computer: "a computer"
}

const handoffOf = ({ handedTo }: Known): Signal => {
  const [first, ...others] = handedTo
  if (first === undefined) return { words: "the session was not moved to another device", isOdd: undefined }
  const devices = [...new Set(handedTo)].map((device) => deviceNames[device] ?? "an unknown device")
  const times = others.length === 0 ? "once" : `${handedTo.length} times`
  return { words: `the session was moved ${times}, to ${list.format(devices)}`, isOdd: undefined }
}

/**
 * Of the whole session: what stands in a step may have been typed at any time between its creation and its end, because people go back and
 * correct.
 */
const paceOf = ({ answered, seconds }: Known, { characters }: Claimed): Signal => {
  const count = answered.reduce((sum, step) => sum + (characters.get(step) ?? 0), 0)
  if (count < leastCharacters) {
    return {
      words: "too little was typed, apart from names and what documents say, to tell the pace",
      isOdd: undefined
    }
  }
  const took = Math.floor(seconds) + 1
  return count > fastest * took
    ? {
        words: `${count} characters were entered in a session that took less than ${took === 1 ? "1 second" : `${took} seconds`}, faster than people type`,
        isOdd: true
      }
    : { words: "the session took long enough to type what was entered", isOdd: false }
}

/** The offset from UTC in milliseconds; undefined if this machine does not know the zone. */
const offsetOf = (name: string, at: DateTime.DateTime): number | undefined =>
  Option.getOrUndefined(
    Option.map(DateTime.zoneMakeNamed(name), (zone) => DateTime.zonedOffset(DateTime.setZone(at, zone)))
  )

const list = new Intl.ListFormat("en")
const regionNames = new Intl.DisplayNames("en", { type: "region" })

/** The code of a country may read like that of a time zone: Estonia is EST. */
const nameOf = (country: string): string => {
  const region = alpha2.get(country)
  return (region === undefined ? undefined : regionNames.of(region)) ?? country
}

/** Regions (ISO 3166-1 alpha-2) whose people have passports of a state that name the state. */
const territories: Readonly<Record<string, string>> = {
  AU: "CC CX NF",
  CN: "HK MO",
  DK: "FO GL",
  FI: "AX",
  FR: "BL GF GP MF MQ NC PF PM RE TF WF YT",
  GB: "AI BM FK GG GI GS IM IO JE KY MS PN SH TC VG",
  NL: "AW BQ CW SX",
  NO: "BV SJ",
  NZ: "CK NU TK",
  US: "AS GU MP PR UM VI"
}

const zonesOf = (country: string): ReadonlyArray<string> => {
  const region = alpha2.get(country)
  if (region === undefined) return []
  return [region, ...(territories[region]?.split(" ") ?? [])].flatMap(
    (one) => new Intl.Locale("und", { region: one }).getTimeZones() ?? []
  )
}

/** Clocks are compared, not names: a zone can have several, and neighbours share a time. */
const timeZoneOf = ({ at }: Known, { country, timeZone }: Claimed): Signal => {
  const own = timeZone === undefined ? undefined : offsetOf(timeZone, at)
  const there = zonesOf(country ?? "").map((zone) => offsetOf(zone, at))
  if (own === undefined || there.length === 0) {
    return {
      words: "the time zone of the browser, or the country of the document, is not known",
      isOdd: undefined
    }
  }
  return there.includes(own)
    ? { words: "the time zone of the browser has the same time as the country of the document", isOdd: false }
    : {
        words: `the time zone of the browser is ${timeZone}, where it was another time than in the country of the document, ${nameOf(country ?? "")}`,
        isOdd: true
      }
}

const browserOf = ({ sameBrowser }: Known): Signal => {
  if (sameBrowser === null)
    return { words: "whether the browser was used in other sessions was not looked at", isOdd: undefined }
  if (sameBrowser === 0)
    return {
      words: "no other session of this instance came from the same browser in the last 30 days",
      isOdd: false
    }
  const sessions = sameBrowser === 1 ? "1 other session" : `${sameBrowser} other sessions`
  const count = sameBrowser < mostFromBrowser ? sessions : `${mostFromBrowser} or more other sessions`
  return { words: `${count} of this instance came from the same browser in the last 30 days`, isOdd: true }
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`

/** One finding. It says what is out of the ordinary, or else what was looked at, and nothing of why. */
export const signalsOf = (known: Known, claimed: Claimed): Finding => {
  const signals = {
    handoff: handoffOf(known),
    pace: paceOf(known, claimed),
    time_zone: timeZoneOf(known, claimed),
    browser: browserOf(known)
  }
  const all = Object.values(signals)
  const odd = all.filter(({ isOdd }) => isOdd)
  const compared = all.filter(({ isOdd }) => isOdd !== undefined)
  return {
    kind: "session.signals",
    engine: "doorlock 1",
    file_ids: [],
    detail: Object.fromEntries(Object.entries(signals).map(([name, { words }]) => [name, sentence(words)])),
    ...(odd.length > 0
      ? ({ outcome: "differs", reason: sentence(odd.map(({ words }) => words).join("; ")) } as const)
      : compared.length > 0
        ? ({
            outcome: "agrees",
            reason: `Nothing unusual: ${compared.map(({ words }) => words).join("; ")}.`
          } as const)
        : ({
            outcome: "not_checked",
            reason: "Too little is known of how the session was answered."
          } as const))
  }
}

/** What is noticed of how a session was answered, in words. */
import { DateTime } from "effect"
import { expect, it } from "vitest"
import { answersIn } from "../../../src/kyc/checks/answers-model.ts"
import { type Claimed, type Known, signalsOf } from "../../../src/kyc/checks/signals-model.ts"

const at = DateTime.unsafeMake("2026-11-23T12:00:00Z")

const signals = (known: Partial<Known> = {}, claimed: Partial<Claimed> = {}) =>
  signalsOf(
    { handedTo: [], answered: [], seconds: 60, sameBrowser: null, at, ...known },
    { characters: new Map(), timeZone: undefined, country: undefined, ...claimed }
  )

const nothing = {
  handoff: "The session was not moved to another device.",
  pace: "Too little was typed, apart from names and what documents say, to tell the pace.",
  time_zone: "The time zone of the browser, or the country of the document, is not known.",
  browser: "Whether the browser was used in other sessions was not looked at."
}

it("says what is not known, and to what devices the session was moved", () => {
  expect(signals()).toMatchObject({
    kind: "session.signals",
    outcome: "not_checked",
    reason: "Too little is known of how the session was answered.",
    detail: nothing,
    file_ids: []
  })
  expect(signals({ handedTo: ["android_phone"] })).toMatchObject({
    outcome: "not_checked",
    detail: { handoff: "The session was moved once, to an Android phone." }
  })
  expect(signals({ handedTo: ["iphone", "unknown", "iphone"] }).detail).toMatchObject({
    handoff: "The session was moved 3 times, to an iPhone and an unknown device."
  })
})

it("notices that more was typed than people can type in a session of that length", () => {
  const characters = new Map([
    ["person", 45],
    ["document", 9]
  ])
  const outcome = (answered: ReadonlyArray<string>, seconds: number) => {
    const { detail, outcome } = signals({ answered, seconds }, { characters })
    return [outcome, detail.pace]
  }
  const fast = (count: number, within: string) => [
    "differs",
    `${count} characters were entered in a session that took less than ${within}, faster than people type.`
  ]
  const typed = ["agrees", "The session took long enough to type what was entered."]
  expect(outcome(["consent", "person", "document"], 3)).toEqual(typed)
  expect(outcome(["consent", "person", "document"], 2.999)).toEqual(fast(54, "3 seconds"))
  expect(outcome(["person"], 2.5)).toEqual(typed)
  expect(outcome(["person"], 0.2)).toEqual(fast(45, "1 second"))
  // Answers of the session before, and nine characters, are nothing to go by.
  expect(outcome(["consent"], 0.2)).toEqual(["not_checked", nothing.pace])
  expect(outcome(["consent", "document"], 0.2)).toEqual(["not_checked", nothing.pace])
})

it("compares the clock of the browser with those of the document's country", () => {
  const zone = (timeZone: string | undefined, country: string | undefined, when = at) => {
    const { detail, outcome } = signals({ at: when }, { timeZone, country })
    return [outcome, detail.time_zone]
  }
  const same = ["agrees", "The time zone of the browser has the same time as the country of the document."]
  for (const [timeZone, country] of [
    ["Europe/Tallinn", "EST"],
    // Another name of one zone, a neighbour, and a country with several.
    ["Asia/Calcutta", "IND"],
    ["Europe/Riga", "EST"],
    ["Pacific/Honolulu", "USA"],
    // Territories, whose people have passports of the state.
    ["Indian/Reunion", "FRA"],
    ["America/Puerto_Rico", "USA"],
    ["America/Godthab", "DNK"],
    ["America/Curacao", "NLD"]
  ] as const) {
    expect([timeZone, ...zone(timeZone, country)]).toEqual([timeZone, ...same])
  }
  expect(zone("America/New_York", "EST")).toEqual([
    "differs",
    "The time zone of the browser is America/New_York, where it was another time than in the country of the document, Estonia."
  ])
  // Only in winter do they differ: Phoenix has no summer time.
  expect(zone("America/Phoenix", "CAN", DateTime.unsafeMake("2026-07-01T00:00:00Z"))).toEqual(same)
  for (const [timeZone, country] of [
    [undefined, "EST"],
    ["Europe/Tallinn", undefined],
    ["Europe/Tallinn", "UTO"],
    ["Nowhere/Land", "EST"]
  ] as const) {
    expect(zone(timeZone, country)).toEqual(["not_checked", nothing.time_zone])
  }
})

it("counts the other sessions from the same browser", () => {
  const browser = (sameBrowser: number) => {
    const { detail, outcome } = signals({ sameBrowser })
    return [outcome, detail.browser]
  }
  expect(browser(0)).toEqual([
    "agrees",
    "No other session of this instance came from the same browser in the last 30 days."
  ])
  expect(browser(1)).toEqual([
    "differs",
    "1 other session of this instance came from the same browser in the last 30 days."
  ])
  expect(browser(99)[1]).toMatch(/^99 other sessions of this instance/)
  expect(browser(100)[1]).toMatch(/^100 or more other sessions of this instance/)
})

it("puts all that is unusual into one sentence, or what was looked at if nothing is", () => {
  const unusual = signals(
    { answered: ["person"], seconds: 0.4 },
    { characters: new Map([["person", 30]]), timeZone: "Asia/Tokyo", country: "EST" }
  )
  expect(unusual.reason).toBe(
    "30 characters were entered in a session that took less than 1 second, faster than people type; the time zone of the browser is Asia/Tokyo, where it was another time than in the country of the document, Estonia."
  )
  expect(signals({ sameBrowser: 0 }, { timeZone: "Europe/Riga", country: "EST" }).reason).toBe(
    "Nothing unusual: the time zone of the browser has the same time as the country of the document; no other session of this instance came from the same browser in the last 30 days."
  )
})

it("takes what was typed from the answers, and the time zone from what the browser says of itself", () => {
  const { claimed } = answersIn({
    progress: {
      s_person: { givenName: "Anna", employer: "Eriksson & Daughters 👍" },
      s_document: { country: "EST", number: "L898902C3" }
    },
    result: { client: { tz: "Europe/Tallinn" } },
    first_workflow: null,
    instance_workflow: {
      steps: [
        {
          id: "person",
          type: "form",
          fields: [
            { id: "givenName", type: "text" },
            { id: "employer", type: "text" }
          ]
        },
        { id: "document", type: "document" }
      ]
    }
  })
  expect(claimed).toEqual({
    // The page may have read the name from the document.
    characters: new Map([["person", 22]]),
    timeZone: "Europe/Tallinn",
    country: "EST"
  })
  expect(
    answersIn({ progress: null, result: null, first_workflow: null, instance_workflow: {} }).claimed
  ).toMatchObject({
    timeZone: undefined,
    country: undefined
  })
})

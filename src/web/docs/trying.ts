/** What a call of “Try it” is made with, and what it answers. */
import { object, parse, text } from "../json.ts"
import { triedName } from "./own.ts"

export const hourMillis = 3_600_000

interface KeptSecret {
  readonly secret: string
  /** In milliseconds since 1970. */
  readonly until: number
}

/**
 * Credentials that the reader typed, or that were made for this tab, by kind and scope. They outlive a page, but not the tab, an hour, or a
 * refusal.
 */
export const kept = new Map<string, KeptSecret>()

export const keptSecret = (name: string): KeptSecret | undefined => {
  const found = kept.get(name)
  if (found === undefined || Date.now() < found.until) return found
  kept.delete(name)
  return undefined
}

/** A refusal in words for the reader. */
class Refused extends Error {}

/** Browsers word a lost connection each in their own way. */
export const reasonOf = (error: unknown): string =>
  error instanceof Refused
    ? error.message
    : "The call could not be sent, or its answer was lost. Check your connection, then try again."

/** A key that ends by itself, in an hour. Fails with `Refused`. */
export const makeKey = async (scope: string): Promise<string> => {
  const response = await fetch("/api/api-keys", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      name: triedName,
      scopes: [scope],
      expiresAt: new Date(Date.now() + hourMillis).toISOString()
    })
  })
  const answer = object(await response.json())
  const token = text(answer.token)
  if (token === undefined) throw new Refused(text(answer.error) ?? `No key could be made: ${response.status}`)
  return token
}

export interface Answer {
  readonly status: number
  readonly code: string | undefined
  readonly body: string
}

/** The longest body that is shown, in characters. */
const mostShown = 50_000

export const readAnswer = async (response: Response): Promise<Answer> => {
  const type = response.headers.get("content-type") ?? ""
  const isText = /^(?:text\/|application\/(?:[\w.-]+\+)?json\b)/.test(type)
  const body = isText ? await response.text() : ""
  const json = type.includes("json") ? parse(body) : undefined
  const shown = json === undefined ? body : JSON.stringify(json, null, 2)
  return {
    status: response.status,
    code: response.headers.get("doorlock-error") ?? undefined,
    body: isText
      ? shown.slice(0, mostShown)
      : type === ""
        ? ""
        : `${(await response.blob()).size} bytes of ${type}`
  }
}

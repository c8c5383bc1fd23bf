/** Guards: middleware that authenticates requests and describes whom it admits. */
import type * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import { Context, type Schema } from "effect"

/** How a request carries a credential, in OpenAPI's terms. */
type SecurityScheme =
  | {
      readonly type: "apiKey"
      readonly in: "cookie" | "header"
      readonly name: string
      readonly description: string
    }
  | { readonly type: "http"; readonly scheme: "bearer"; readonly description: string }

/** The ways to carry a credential, by their names in the OpenAPI document. */
export type Credential = Readonly<Record<string, SecurityScheme>>

export interface Guard<Provided = never> {
  /** One of these is required; none if the guard requires no credential. */
  readonly credentials: ReadonlyArray<Credential>
  /** Whom it admits: a sentence of the OpenAPI document. */
  readonly who: string
  /** What a key has to hold, of those whom it admits. */
  readonly scope?: string
  /** The authenticated company: the memory for the request's body counts against it. */
  readonly companyOf?: (provided: Provided) => string
}

export interface Guarded {
  readonly guard: Guard
}

type ProvidedBy<T> = T extends { readonly provides: Context.Tag<infer _Id, infer Provided> }
  ? Provided
  : never

/** Describes a middleware tag. A tag without a description stops the start (`reflection`). */
export const guard = <T extends { readonly failure: Schema.Schema.All }>(
  tag: T,
  says: Guard<ProvidedBy<T>>
): T & Guarded => Object.assign(tag, { guard: says })

/** The description of a tag; undefined if `guard` did not create it. */
export const guardOf = (tag: HttpApiMiddleware.TagClassAny): Guard | undefined =>
  // The cast: only `guard` writes this property.
  "guard" in tag ? (tag.guard as Guard) : undefined

/** Guards that are made from a value of a route's record: one for each value. */
export const guardsFrom = <
  Value extends object,
  Id,
  Implementation,
  T extends Context.Tag<Id, Implementation>
>(
  make: (name: string, value: Value) => T & Context.Tag<Id, Implementation>
) => {
  const made = new Map<string, { readonly guard: T; readonly value: Value }>()
  return {
    guardFor: (value: Value): T => {
      const name = Object.values(value).join(" ")
      const known = made.get(name) ?? { guard: make(name, value), value }
      made.set(name, known)
      return known.guard
    },
    /** Of all routes that this process has. */
    all: () => [...made.values()],
    /** Implements them. */
    implementedBy: (implement: (value: Value) => Implementation): Context.Context<Id> =>
      Context.unsafeMake(new Map([...made.values()].map(({ guard, value }) => [guard.key, implement(value)])))
  }
}

/** RFC 9110, section 15.5.2: a 401 names the required credential. */
export const bearerChallenge = { headers: { "www-authenticate": 'Bearer realm="doorlock"' } }

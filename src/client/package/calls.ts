/** Turns the routes of a group into functions. */
import type { Answer, CallOptions, Connection } from "./connection.ts"
import {
  type ApiError,
  type ConnectionError,
  DoorlockError,
  type TimeoutError,
  type UnknownCode
} from "./errors.ts"
import type { CommonErrorCode } from "./generated/types.ts"

/** The failures of a call whose route has these codes. */
export type Failure<Code extends string> =
  | ApiError<Code | CommonErrorCode | UnknownCode>
  | ConnectionError
  | TimeoutError

/** What became of a call. */
export type Result<Data, Code extends string> =
  | { readonly ok: true; readonly data: Data }
  | { readonly ok: false; readonly error: Failure<Code> }

/** A call in progress: a promise of its data, which rejects with a `DoorlockError`. */
export interface Call<Data, Code extends string = never> extends Promise<Data> {
  /** The failure as a value, with the codes that this route has. Rejects only if the call was aborted. */
  result(): Promise<Result<Data, Code>>
  /** The data, and the response with its status and headers. */
  withResponse(): Promise<Answer<Data>>
}

/** A call for the first page of a list. `for await` gives the items of this page and of all that follow. */
export interface PagedCall<Page, Item, Code extends string = never>
  extends Call<Page, Code>,
    AsyncIterable<Item> {
  /** This page and all that follow. */
  pages(): AsyncGenerator<Page, void, undefined>
}

const callOf = <Data>(answered: Promise<Answer<Data>>): Call<Data> => {
  const data = answered.then((answer) => answer.data)
  /** The caller looks at `other` in place of the promise itself. */
  const instead = <Other>(other: Other): Other => {
    data.catch(() => {})
    return other
  }
  return Object.assign(data, {
    result: () =>
      instead(
        answered.then(
          (answer): Result<Data, never> => ({ ok: true, data: answer.data }),
          (error): Result<Data, never> => {
            if (error instanceof DoorlockError) return { ok: false, error: error as Failure<never> }
            throw error
          }
        )
      ),
    withResponse: () => instead(answered)
  })
}

type Fields = Readonly<Record<string, unknown>>

/** The query of the page after `page`; undefined after the last one. */
const nextQuery = (kind: string, page: Fields, items: ReadonlyArray<unknown>): Fields | undefined => {
  if (kind === "offset") {
    const offset = Number(page.offset) + items.length
    return items.length > 0 && offset < Number(page.total) ? { offset } : undefined
  }
  const isLast = page.has_more === false || typeof page.next_cursor !== "string"
  return isLast ? undefined : { [kind]: page.next_cursor }
}

/** An empty id, or one that is a step in a path, would lead to another route. */
const segment = (id: unknown): string => {
  const text = String(id ?? "")
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`Not an id: "${text}"`)
  return encodeURIComponent(text)
}

const withQuery = (path: string, query: Fields): string => {
  const given = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)]]
  )
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}

/**
 * The function of a route, such as `GET /api/kyc/sessions query cursor=sessions`. Its arguments are the ids of the path, then the
 * body, file or query if the route has one, then the options.
 */
const functionOf = (connection: Connection, route: string) => {
  const [method = "", pattern = "", ...marks] = route.split(" ")
  const takes = marks.find((mark) => ["body", "file", "query"].includes(mark))
  const [kind = "", list = ""] = marks.find((mark) => mark.includes("="))?.split("=") ?? []
  const request = { method, idempotent: marks.includes("idempotent"), raw: marks.includes("raw") }

  return (...given: Array<unknown>) => {
    const path = pattern.replace(/:\w+/g, () => segment(given.shift()))
    const input = takes === undefined ? undefined : given.shift()
    // The casts: the types of the group allow nothing else.
    const options = (given.shift() ?? {}) as CallOptions
    if (takes !== "query") return callOf(connection({ ...request, path, body: input }, options))
    const ask = (query: Fields) => connection({ ...request, path: withQuery(path, query) }, options)
    const query = (input ?? {}) as Fields
    const first = callOf(ask(query) as Promise<Answer<Fields>>)
    if (kind === "") return first
    const itemsOf = (page: Fields) => page[list] as ReadonlyArray<unknown>
    async function* pages() {
      let page = await first
      for (;;) {
        yield page
        const next = nextQuery(kind, page, itemsOf(page))
        if (next === undefined) return
        page = (await ask({ ...query, ...next })).data as Fields
      }
    }
    return Object.assign(first, {
      pages,
      async *[Symbol.asyncIterator]() {
        for await (const page of pages()) yield* itemsOf(page)
      }
    })
  }
}

/** A group of routes that any connection can use. */
export const group =
  <Group>(routes: Readonly<Record<keyof Group & string, string>>) =>
  (connection: Connection): Group =>
    Object.fromEntries(
      Object.entries<string>(routes).map(([name, route]) => [name, functionOf(connection, route)])
      // The cast: `Group` and `routes` are generated from the same contract.
    ) as Group

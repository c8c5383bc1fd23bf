/** The text and the values of a statement are those of the library, whatever was compiled before. */

import * as Statement from "@effect/sql/Statement"
import * as PgClient from "@effect/sql-pg/PgClient"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Shapes, type Template } from "../../../src/db/driver/template.ts"
import { fragment, json, literal, parameter } from "../../../src/db/sql.ts"

type Compiled = readonly [text: string, values: ReadonlyArray<unknown>]

const usual = Statement.make(Effect.never, PgClient.makeCompiler(), [], undefined)

/** The library's statement with what it was made of, as the client's statements have it. */
const sql = (
  strings: TemplateStringsArray,
  ...args: ReadonlyArray<never>
): Template & { compile: () => Compiled } => Object.assign(usual(strings, ...args), { strings, args })

/** As the template's arguments are typed. */
const arg = (value: unknown) => value as never

const at = new Date("2026-11-20T10:00:00.000Z")

const outer = (first: unknown, second: unknown) => sql`select ${arg(first)} from ${arg(second)} where true`
const inner = (first: unknown, second: unknown) => sql`(${arg(first)} as ${arg(second)})`

const three = (...args: ReadonlyArray<unknown>) => sql`${arg(args[0])} a ${arg(args[1])} b ${arg(args[2])}`
const x = literal("x")
const p = parameter

const statements: Readonly<Record<string, () => Template & { compile: () => Compiled }>> = {
  "without parameters": () => sql`select 1`,
  "with parameters of all types": () =>
    sql`select ${arg(null)}, ${arg(undefined)}, ${arg(1)}, ${arg(at)}, ${arg([1])}, ${arg(new Uint8Array(2))}, ${arg({ a: 1 })}`,
  "with a tagged object as a parameter": () => sql`select ${arg({ _tag: "Some", other: 1 })}`,
  "of templates": () => outer(inner(1, 2), 3),
  "of the same templates in another order": () => outer(1, inner(2, 3)),
  "of a template twice": () => outer(inner(1, 2), inner(3, 4)),
  "of literals": () => outer(usual.literal("a"), usual.literal("b")),
  "of other literals": () => outer(usual.literal("b"), usual.literal("a")),
  "of JSON": () => outer(json({ a: [1] }), json(null)),
  "of a fragment with its parameter": () =>
    outer(inner(fragment(literal("a"), parameter(1)), 2), fragment(literal("c"))),
  "of a fragment without the next parameter": () =>
    outer(inner(fragment(literal("a")), 1), fragment(parameter(2), literal("c"))),
  "of two fragments behind parameters": () =>
    three(three(1, 2, fragment(x)), fragment(p(3), p(4), x), fragment(p(5), p(6), x)),
  "of two fragments, split in another way": () =>
    three(three(fragment(p(1), p(2), x), 3, 4), fragment(x), fragment(p(5), p(6), x)),
  "of an empty fragment": () => outer(fragment(), 1),
  "of an empty template": () => outer(sql``, 1),
  "of an identifier": () => outer(1, usual("a table")),
  "of another identifier": () => outer(1, usual("another table")),
  "of a list": () => outer(1, usual.in([1, 2, 3])),
  "of a longer list": () => outer(1, usual.in([1, 2, 3, 4])),
  "of an insertion": () => sql`insert into t ${arg(usual.insert({ a: 1, b: 2 }))}`,
  "of an insertion of other columns": () => sql`insert into t ${arg(usual.insert({ b: 1, c: 2 }))}`,
  "of conditions": () => outer(1, usual.and([sql`a = ${arg(1)}`, sql`b = ${arg(2)}`]))
}

describe("a statement has the text and the values that the library gives it", () => {
  const shapes = new Shapes()
  for (const [what, make] of Object.entries(statements)) {
    it(what, () => {
      for (const other of Object.values(statements)) {
        const statement = other()
        shapes.compiled(statement, () => statement.compile())
      }
      for (let time = 0; time < 3; time++) {
        const statement = make()
        expect(shapes.compiled(statement, () => statement.compile())).toEqual(make().compile())
      }
    })
  }
})

describe("The text of a statement", () => {
  it("is built once, whatever its parameters", () => {
    const shapes = new Shapes()
    let built = 0
    for (let time = 0; time < 3; time++) {
      const statement = outer(inner(time, json({ time })), usual.literal("c"))
      const [, values] = shapes.compiled(statement, () => {
        built++
        return statement.compile()
      })
      expect(values).toEqual([time, `{"time":${time}}`])
    }
    expect(built).toBe(1)
  })

  it("is not remembered when there is no more room, and is right all the same", () => {
    const shapes = new Shapes(100)
    let built = 0
    const compiled = (text: string) => {
      const statement = outer(usual.literal(text), 7)
      return shapes.compiled(statement, () => {
        built++
        return statement.compile()
      })
    }
    for (let n = 0; n < 200; n++) expect(compiled(`c${n}`)).toEqual([`select c${n} from $1 where true`, [7]])
    built = 0
    expect(compiled("c0")).toEqual(["select c0 from $1 where true", [7]])
    expect(built).toBe(0)
    compiled("c199")
    compiled("c199")
    expect(built).toBe(2)
  })
})

/**
 * The shapes of statements that Citus refuses (docs/citus.md), found in the tree of Postgres' own parser.
 */
import { parseSync } from "libpg-query"

/** The distributed tables, each with the column whose value decides where a row is. */
export type Distribution = ReadonlyMap<string, string>

/** The columns of each table. */
type Columns = ReadonlyMap<string, ReadonlySet<string>>

/** What is known of the database. */
export interface Catalog {
  readonly distribution: Distribution
  /** Tables of which each node has a copy. */
  readonly reference: ReadonlySet<string>
  readonly columns: Columns
  /** Names of functions that may answer differently for the same arguments. */
  readonly mutable: ReadonlySet<string>
}

export type Shape =
  | "locks rows of several shards"
  | "locks rows beside a table of the coordinator"
  | "changeable function in CASE or COALESCE of a change"
  | "join without the distribution column"
  | "recursive"

export interface Refused {
  readonly shape: Shape
  readonly table: string
}

type Tree = Readonly<Record<string, unknown>>

const isTree = (value: unknown): value is Tree =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const child = (tree: unknown, name: string): unknown => (isTree(tree) ? tree[name] : undefined)

/** The tree of this kind, of which `{ [kind]: tree }` is the node. */
const as = (node: unknown, kind: string): Tree | undefined => {
  const tree = child(node, kind)
  return isTree(tree) ? tree : undefined
}

const textOf = (node: unknown): string => String(child(child(node, "String"), "sval") ?? "")

const queries = ["SelectStmt", "InsertStmt", "UpdateStmt", "DeleteStmt"] as const

const queryOf = (node: unknown): Tree | undefined =>
  queries.map((kind) => as(node, kind)).find((found) => found !== undefined)

/** All nodes below this one, without what is inside other queries. */
function* within(node: unknown): Generator<Tree> {
  if (Array.isArray(node)) {
    for (const item of node) yield* within(item)
  } else if (isTree(node)) {
    yield node
    for (const [kind, inner] of Object.entries(node)) {
      if (!(queries as ReadonlyArray<string>).includes(kind)) yield* within(inner)
    }
  }
}

/** The queries directly inside this one, in CTEs, `from` and expressions. */
const innerQueries = (query: Tree): ReadonlyArray<Tree> => [
  ...[query.larg, query.rarg].filter(isTree),
  ...[...within({ ...query, larg: undefined, rarg: undefined })].map(queryOf).filter(isTree)
]

/** A table, function or subquery that a query reads or changes, by its name there. */
interface Source {
  readonly alias: string
  /** Undefined for what is no table. */
  readonly table: string | undefined
}

const sourcesOf = (item: unknown, ctes: ReadonlySet<string>): ReadonlyArray<Source> => {
  const join = as(item, "JoinExpr")
  if (join !== undefined) return [...sourcesOf(join.larg, ctes), ...sourcesOf(join.rarg, ctes)]
  for (const kind of ["RangeVar", "RangeSubselect", "RangeFunction"]) {
    const found = as(item, kind)
    if (found === undefined) continue
    const name = String(found.relname ?? "")
    const alias = String(child(found.alias, "aliasname") ?? name)
    return [{ alias, table: kind === "RangeVar" && !ctes.has(name) ? name : undefined }]
  }
  return []
}

/** The items of `from`, and the table that is changed. */
const itemsOf = (query: Tree): ReadonlyArray<unknown> => [
  ...(isTree(query.relation) && query.cols === undefined && query.selectStmt === undefined
    ? [{ RangeVar: query.relation }]
    : []),
  ...listOf(query.fromClause),
  ...listOf(query.usingClause)
]

/** The conditions of which all must hold. */
const conditionsOf = (node: unknown): ReadonlyArray<unknown> => {
  const both = as(node, "BoolExpr")
  return both?.boolop === "AND_EXPR" ? listOf(both.args).flatMap(conditionsOf) : [node]
}

const joinConditions = (item: unknown, ctes: ReadonlySet<string>): ReadonlyArray<unknown> => {
  const join = as(item, "JoinExpr")
  if (join === undefined) return []
  const named = listOf(join.usingClause).map(textOf)
  const [left, right] = [sourcesOf(join.larg, ctes), sourcesOf(join.rarg, ctes)]
  return [
    ...joinConditions(join.larg, ctes),
    ...joinConditions(join.rarg, ctes),
    ...conditionsOf(join.quals),
    ...named.flatMap((column) =>
      left.flatMap((one) => right.map((other) => ({ using: [one, other], column })))
    )
  ]
}

/** Groups of names that must be equal. */
class Equalities {
  readonly #parents = new Map<string, string>()

  of(name: string): string {
    const parent = this.#parents.get(name)
    return parent === undefined ? name : this.of(parent)
  }

  add(one: string, other: string): void {
    const [first, second] = [this.of(one), this.of(other)]
    if (first !== second) this.#parents.set(first, second)
  }
}

/** The name of everything that has one value for the whole statement. */
const value = "(value)"

const functionName = (call: Tree): string => textOf(listOf(call.funcname).at(-1))

/** What the queries around a query see. */
interface Scope {
  readonly sources: ReadonlyArray<Source>
  readonly equal: Equalities
  readonly level: number
}

class Examination {
  readonly found: Array<Refused> = []
  readonly #catalog: Catalog

  constructor(catalog: Catalog) {
    this.#catalog = catalog
  }

  #distributed(source: Source): source is Source & { readonly table: string } {
    return source.table !== undefined && this.#catalog.distribution.has(source.table)
  }

  /** The name of the column by which the source is distributed. */
  #key({ alias, table = "" }: Source, level: number): string {
    return `${level} ${alias}.${this.#catalog.distribution.get(table)}`
  }

  /** The name of a column or value in the groups of equal ones; undefined for anything else. */
  #nameOf(node: unknown, scopes: ReadonlyArray<Scope>): string | undefined {
    const cast = as(node, "TypeCast")
    if (cast !== undefined) return this.#nameOf(cast.arg, scopes)
    if (as(node, "ParamRef") !== undefined || as(node, "A_Const") !== undefined) return value
    const reference = as(node, "ColumnRef")
    if (reference === undefined) return undefined
    const fields = listOf(reference.fields).map(textOf)
    const column = fields.at(-1) ?? ""
    const alias = fields.length > 1 ? fields.at(-2) : undefined
    for (const { level, sources } of scopes.toReversed()) {
      const source =
        alias === undefined
          ? sources.find(({ table = "" }) => this.#catalog.columns.get(table)?.has(column) === true)
          : sources.find((one) => one.alias === alias)
      if (source !== undefined) return `${level} ${source.alias}.${column}`
    }
    return undefined
  }

  #equate(condition: unknown, scopes: ReadonlyArray<Scope>, equal: Equalities, level: number): void {
    const using = listOf(child(condition, "using")) as ReadonlyArray<Source>
    if (using.length === 2) {
      const [one, other] = using.map(({ alias }) => `${level} ${alias}.${child(condition, "column")}`)
      equal.add(one ?? "", other ?? "")
      return
    }
    const comparison = as(condition, "A_Expr")
    if (comparison === undefined || comparison.kind !== "AEXPR_OP") return
    if (listOf(comparison.name).map(textOf).join(".") !== "=") return
    const one = this.#nameOf(comparison.lexpr, scopes)
    const other = this.#nameOf(comparison.rexpr, scopes)
    if (one !== undefined && other !== undefined) equal.add(one, other)
  }

  /** @param around the scopes of the queries of which this one may read columns, outermost first */
  query(query: Tree, around: ReadonlyArray<Scope>, known: ReadonlySet<string>): void {
    const clause = isTree(query.withClause) ? query.withClause : undefined
    const common = listOf(clause?.ctes)
      .map((cte) => as(cte, "CommonTableExpr"))
      .filter(isTree)
    const ctes = new Set([...known, ...common.map(({ ctename }) => String(ctename))])
    const items = itemsOf(query)
    const sources = items.flatMap((item) => sourcesOf(item, ctes))
    const level = around.length
    const equal = new Equalities()
    const scopes = [...around, { sources, equal, level }]
    for (const { equal: outer, sources: all, level: at } of around) {
      // What is equal around the query is equal within it.
      for (const source of all.filter((one) => this.#distributed(one))) {
        const key = this.#key(source, at)
        equal.add(key, outer.of(key) === outer.of(value) ? value : outer.of(key))
      }
    }
    for (const condition of [
      ...conditionsOf(query.whereClause),
      ...items.flatMap((item) => joinConditions(item, ctes))
    ]) {
      this.#equate(condition, scopes, equal, level)
    }

    const own = sources.filter((source) => this.#distributed(source))
    const groupOf = (source: Source) => equal.of(this.#key(source, level))
    const isOfOneShard = (source: Source) => groupOf(source) === equal.of(value)
    const outer = around.flatMap((scope) =>
      scope.sources
        .filter((source) => this.#distributed(source))
        .map((source) => equal.of(this.#key(source, scope.level)))
    )
    const isCorrelated = [...within(query)].some((node) => {
      const reference = as(node, "ColumnRef")
      const [alias] = listOf(reference?.fields).length > 1 ? listOf(reference?.fields).map(textOf) : []
      return (
        alias !== undefined &&
        !sources.some((source) => source.alias === alias) &&
        around.some((scope) => scope.sources.some((source) => source.alias === alias))
      )
    })
    const [first, ...others] = own
    for (const source of others) {
      if (first !== undefined && groupOf(source) !== groupOf(first)) {
        this.found.push({ shape: "join without the distribution column", table: source.table ?? "" })
      }
    }
    if (first !== undefined && isCorrelated && !isOfOneShard(first) && !outer.includes(groupOf(first))) {
      this.found.push({ shape: "join without the distribution column", table: first.table ?? "" })
    }

    const isBesideLocal = sources.some(
      (source) =>
        source.table !== undefined &&
        !this.#distributed(source) &&
        !this.#catalog.reference.has(source.table) &&
        this.#catalog.columns.has(source.table)
    )
    for (const lock of listOf(query.lockingClause)) {
      const named = listOf(child(child(lock, "LockingClause"), "lockedRels")).map((one) =>
        String(as(one, "RangeVar")?.relname)
      )
      for (const source of own) {
        if (named.length > 0 && !named.includes(source.alias)) continue
        const { table = "" } = source
        if (!isOfOneShard(source)) this.found.push({ shape: "locks rows of several shards", table })
        else if (isBesideLocal) {
          this.found.push({ shape: "locks rows beside a table of the coordinator", table })
        }
      }
    }

    const changed = String(child(query.relation, "relname") ?? "")
    if (this.#catalog.distribution.has(changed)) this.#change(query, changed)

    if (clause?.recursive === true) {
      for (const { ctename, ctequery } of common) {
        const inner = queryOf(ctequery)
        const table = inner === undefined ? undefined : this.#reads(inner, String(ctename), ctes)
        if (table !== undefined) this.found.push({ shape: "recursive", table })
      }
    }

    for (const inner of innerQueries(query)) {
      // The arms of a union see what the union sees, and a CTE or subquery in `from` sees nothing of this query.
      const isArm = inner === query.larg || inner === query.rarg
      const isCommon = common.some(({ ctequery }) => queryOf(ctequery) === inner)
      this.query(inner, isArm || isCommon ? around : scopes, ctes)
    }
  }

  #change(query: Tree, table: string): void {
    const conflict = isTree(query.onConflictClause) ? query.onConflictClause : {}
    const parts = [
      ...(query.selectStmt === undefined ? [query.targetList, query.whereClause] : []),
      conflict.targetList,
      conflict.whereClause
    ]
    for (const node of within(parts)) {
      const choice = as(node, "CaseExpr") ?? as(node, "CoalesceExpr")
      if (choice === undefined) continue
      const isChangeable = [...within(choice)].some((inner) => {
        const call = as(inner, "FuncCall")
        return (
          as(inner, "SQLValueFunction") !== undefined ||
          (call !== undefined && this.#catalog.mutable.has(functionName(call)))
        )
      })
      if (isChangeable) {
        this.found.push({ shape: "changeable function in CASE or COALESCE of a change", table })
      }
    }
  }

  /** A distributed table that a recursive CTE reads. */
  #reads(query: Tree, name: string, ctes: ReadonlySet<string>): string | undefined {
    const isRecursive = (one: Tree): boolean =>
      [...within(itemsOf(one))].some((node) => as(node, "RangeVar")?.relname === name) ||
      innerQueries(one).some(isRecursive)
    if (!isRecursive(query)) return undefined
    const tablesOf = (one: Tree): ReadonlyArray<string> => [
      ...itemsOf(one)
        .flatMap((item) => sourcesOf(item, ctes))
        .flatMap(({ table }) =>
          table !== undefined && this.#catalog.distribution.has(table) ? [table] : []
        ),
      ...innerQueries(one).flatMap(tablesOf)
    ]
    return tablesOf(query)[0]
  }
}

/** Why Citus would refuse a statement, by its shape; empty if it would not. Throws if Postgres cannot parse it. */
export const refusedShapes = (text: string, catalog: Catalog): ReadonlyArray<Refused> => {
  const examination = new Examination(catalog)
  for (const { stmt } of parseSync(text).stmts ?? []) {
    const query = queryOf(stmt)
    if (query !== undefined) examination.query(query, [], new Set())
  }
  const distinct = new Map(examination.found.map((one) => [`${one.shape} ${one.table}`, one]))
  return [...distinct.values()]
}

/**
 * ClickHouse's own engine (chdb) behind as much of its HTTP interface as clients use: a query in the URL or the body, its parameters,
 * settings and data. Arguments: the port, and the folder of the data.
 */
import { createRequire } from "node:module"

/** The part of chdb that is used here. It is installed apart (package.json), so that its types are not at hand. */
interface Engine {
  readonly Session: new (
    path: string
  ) => {
    readonly query: (query: string, format?: string) => string
  }
}

const [, , port, folder = ""] = process.argv
const { Session }: Engine = createRequire(import.meta.url)("chdb")
const session = new Session(folder)

const text = (value: string) => `'${value.replace(/[\\']/g, "\\$&")}'`

/** What a request asks for. Of a form, the parts: `query` and `param_…`. */
const asked = async (request: Request) => {
  const { searchParams } = new URL(request.url)
  const isForm = request.headers.get("content-type")?.startsWith("multipart/form-data") === true
  const form = isForm ? await request.formData() : undefined
  const body = form === undefined ? await request.text() : String(form.get("query") ?? "")
  const given = [...searchParams, ...(form ?? [])].flatMap(([name, value]) =>
    ["query", "query_id", "database", "session_id"].includes(name) ? [] : [[name, String(value)] as const]
  )
  return { query: [searchParams.get("query") ?? "", body].filter((part) => part !== "").join("\n"), given }
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  idleTimeout: 0,
  fetch: async (request) => {
    const { given, query } = await asked(request)
    try {
      // Nothing comes between: the engine is asked without waiting.
      for (const [name, value] of given) session.query(`set ${name} = ${text(value)}`)
      return new Response(session.query(query, "TabSeparated"))
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      const code = /Code: (\d+)/.exec(message)?.[1] ?? "0"
      return new Response(message, { status: 500, headers: { "x-clickhouse-exception-code": code } })
    }
  }
})

process.stdout.write(`${server.port}\n`)

/** MCP over standard input and output, for clients that start a program: each list and call is a message to an installation's `/mcp`. */
import { ProtocolError } from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { Effect } from "effect"
import { errorHeader } from "../http/contract/error-code.ts"
import { type Json, object } from "../http/contract/openapi-json.ts"
import type { Timing } from "../shared/timing.ts"
import { failed, refused, type ToolResult } from "./contract-tools.ts"
import { serverOf, type Toolbox } from "./protocol.ts"

/** The installation refused the message, or gave no usable answer. The message is a sentence. */
class NotAnswered extends Error {
  /** Of the installation's refusal. */
  readonly refusal: { readonly status: number; readonly code: string } | undefined

  constructor(message: string, refusal?: NotAnswered["refusal"]) {
    super(message)
    this.refusal = refusal
  }
}

interface Options {
  /** Without a trailing slash. */
  readonly url: string
  readonly key: string
  /** Why a request got no answer. */
  readonly reasonOf: (error: unknown) => string
  readonly timing: Timing["Type"]
}

/** The tools of the installation, for the key. */
const toolboxAt = ({ key, reasonOf, timing, url }: Options): Toolbox => {
  const parsed = (text: string): Json | undefined => {
    try {
      return object(JSON.parse(text))
    } catch {
      return undefined
    }
  }

  /** The `result` of one message. Throws `NotAnswered`, or the installation's own `ProtocolError`. */
  const ask = async (method: string, params: Json): Promise<Json> => {
    const asked = fetch(`${url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": key },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      redirect: "manual",
      signal: timing.signal("mcp.answer")
    })
    const { code, status, text } = await asked
      .then(async (response) => ({
        status: response.status,
        code: response.headers.get(errorHeader),
        text: await response.text()
      }))
      .catch((error: unknown) => {
        throw new NotAnswered(`${url} cannot be reached: ${reasonOf(error)}.`)
      })
    const { error, result } = parsed(text) ?? {}
    if (typeof error === "string") {
      const sentence = `${url} refuses the call: ${error}.`
      throw new NotAnswered(sentence, code === null ? undefined : { status, code })
    }
    if (typeof error === "object" && error !== null) {
      const { code: number, message } = object(error)
      throw new ProtocolError(Number(number), String(message))
    }
    if (typeof result !== "object" || result === null)
      throw new NotAnswered(`${url} answered with ${status}, and not as an MCP server.`)
    return object(result)
  }

  return {
    list: async () => {
      const { tools } = await ask("tools/list", {})
      return Array.isArray(tools) ? tools : []
    },
    call: async (name, given) => {
      try {
        // The cast: the installation's own server has made it.
        return (await ask("tools/call", { name, arguments: given })) as unknown as ToolResult
      } catch (error) {
        if (!(error instanceof NotAnswered)) throw error
        const { message, refusal } = error
        return refusal === undefined ? failed(message) : refused(refusal.status, refusal.code, message)
      }
    }
  }
}

/** Serves until the client closes standard input. */
export const serve = (options: Options): Effect.Effect<void> =>
  Effect.async((resume) => {
    const ended = () => resume(Effect.void)
    process.stdin.once("end", ended).once("close", ended)
    const serving = serveStdio(() => serverOf(toolboxAt(options)))
    return Effect.promise(() => serving.close())
  })

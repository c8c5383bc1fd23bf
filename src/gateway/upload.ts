import type { ReadableStreamDefaultReader } from "node:stream/web"
import type { Connection } from "./connection.ts"

const crlf = Buffer.from("\r\n")
const lastChunk = Buffer.from("0\r\n\r\n")

export interface UploadListener {
  /** The upload now waits for the client. */
  readonly waiting: () => void
  /** The client has sent more, or the end. Returns whether to continue. */
  readonly received: () => boolean
}

/** Sends a request body at the pace of the slower side. Returns whether all of it was sent. */
export const upload = async (
  body: ReadableStreamDefaultReader<Uint8Array>,
  connection: Connection,
  chunked: boolean,
  { received, waiting }: UploadListener
): Promise<boolean> => {
  for (;;) {
    waiting()
    const { done, value } = await body.read()
    if (!received()) return false
    if (done) break
    if (value.length === 0) continue
    if (chunked) connection.write(Buffer.from(`${value.length.toString(16)}\r\n`, "latin1"))
    const taken = connection.write(value)
    if (!((chunked ? connection.write(crlf) : true) && taken)) await connection.drained()
  }
  if (chunked) connection.write(lastChunk)
  connection.finish()
  return true
}

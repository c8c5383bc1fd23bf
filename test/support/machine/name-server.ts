/** A name server on loopback that answers as a test configures it and otherwise stays silent. */
import { createSocket } from "node:dgram"
import { once } from "node:events"
import { Effect, type Scope } from "effect"

export interface NameServer {
  /** `address:port` */
  readonly address: string
  /** The questions received, `A name` or `AAAA name`, each listed once. */
  readonly questions: ReadonlySet<string>
  /** How many times this question was received. */
  readonly timesAsked: (question: string) => number
}

/** The answer to each question: an IPv4 address, or null for "no such name". Other questions get no answer. */
export type Zone = Readonly<Record<string, string | null>>

const types: Readonly<Record<number, string>> = { 1: "A", 28: "AAAA" }

/** The question in a message of RFC 1035, and where the question ends. */
const questionOf = (message: Buffer): { readonly question: string; readonly end: number } => {
  const labels: Array<string> = []
  let at = 12
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length))
    at += 1 + length
  }
  const type = message.readUInt16BE(at + 1)
  return { question: `${types[type] ?? type} ${labels.join(".")}`, end: at + 5 }
}

const answerTo = (message: Buffer, end: number, address: string | null): Buffer => {
  const head = Buffer.alloc(12)
  message.copy(head, 0, 0, 2)
  // The flags of a response with recursion available; code 3 means "no such name". Then one question and
  // at most one answer.
  head.writeUInt16BE(address === null ? 0x8183 : 0x8180, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(address === null ? 0 : 1, 6)
  // The name of the question, type A, class IN, 60 s, four bytes.
  const record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...(address ?? "").split(".").map(Number)]
  return Buffer.concat([head, message.subarray(12, end), ...(address === null ? [] : [Buffer.from(record)])])
}

/** Starts a name server until the scope closes. */
export const startNameServer = (zone: Zone): Effect.Effect<NameServer, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = createSocket("udp4")
      const questions = new Set<string>()
      const received: Array<string> = []
      socket.on("message", (message, { address, port }) => {
        const { end, question } = questionOf(message)
        questions.add(question)
        received.push(question)
        const answer = zone[question]
        if (answer !== undefined) socket.send(answerTo(message, end, answer), port, address)
      })
      const timesAsked = (question: string) => received.filter((asked) => asked === question).length
      socket.bind(0, "127.0.0.1")
      await once(socket, "listening")
      return { address: `127.0.0.1:${socket.address().port}`, questions, timesAsked, socket }
    }),
    ({ socket }) => Effect.sync(() => void socket.close())
  )

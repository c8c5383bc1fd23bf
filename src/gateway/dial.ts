import type { Socket } from "bun"
import * as Context from "effect/Context"
import { Connection } from "./connection.ts"
import { UpstreamFault } from "./faults.ts"
import type { Caller } from "./shares.ts"
import type { Origin } from "./upstream.ts"

/** Certificates that https upstreams may be verified by instead of the system's, as PEM. */
export class Trust extends Context.Reference<Trust>()("doorlock/gateway/Trust", {
  defaultValue: (): string | undefined => undefined
}) {}

/** Of a socket: what it is before, and what it is after it can carry requests. */
interface Dialling {
  connection: Connection | undefined
  readonly opened: PromiseWithResolvers<Connection>
}

const refusedBy: Readonly<Record<string, UpstreamFault["type"]>> = {
  ECONNREFUSED: "connection_refused",
  ECONNRESET: "connection_terminated",
  EHOSTUNREACH: "destination_ip_unroutable",
  ENETUNREACH: "destination_ip_unroutable",
  ETIMEDOUT: "connection_timeout"
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : ""

/** OpenSSL's verification results are all about the certificate, what else fails is about the protocol. */
const tlsFault = (error: unknown): UpstreamFault =>
  new UpstreamFault(
    /CERT|ISSUER|SIGNED|SIGNATURE|CHAIN|CRL/.test(codeOf(error))
      ? "tls_certificate_error"
      : "tls_protocol_error"
  )

/**
 * Connects to one address. Over TLS the connection is there when the certificate has been verified for the origin's
 * name, whatever the address is; Bun closes it otherwise.
 *
 * @param authorities certificates to trust instead of the system's, as PEM
 * @param timeout milliseconds
 * @param caller who uses the connection, where that is counted
 * @param onClose called once for a connection that was handed out
 * @returns a promise that rejects with an `UpstreamFault`
 */
export const dial = (
  { hostname, port, secure }: Origin,
  address: string,
  authorities: string | undefined,
  timeout: number,
  caller: Caller | undefined,
  onClose: (closed: Connection) => void
): Promise<Connection> => {
  const dialling: Dialling = { connection: undefined, opened: Promise.withResolvers<Connection>() }
  const ready = (socket: Socket<Dialling>) => {
    socket.setNoDelay(true)
    dialling.connection = new Connection(socket, caller, onClose)
    dialling.opened.resolve(dialling.connection)
  }
  let given: Socket<Dialling> | undefined
  let over = false
  const timer = setTimeout(() => {
    over = true
    dialling.opened.reject(new UpstreamFault("connection_timeout"))
    given?.terminate()
  }, timeout)
  Bun.connect<Dialling>({
    hostname: address,
    port,
    data: dialling,
    ...(secure ? { tls: { serverName: hostname, rejectUnauthorized: true, ca: authorities } } : {}),
    socket: {
      open(socket) {
        given = socket
        // It came too late for the caller.
        if (over) socket.terminate()
        else if (!secure) ready(socket)
      },
      handshake(socket, verified, error) {
        if (verified) ready(socket)
        else {
          dialling.opened.reject(tlsFault(error))
          socket.terminate()
        }
      },
      data(_socket, bytes) {
        // Sockets read into memory of their own, never into shared memory.
        dialling.connection?.onData(bytes as Buffer<ArrayBuffer>)
      },
      drain() {
        dialling.connection?.onDrain()
      },
      end() {
        dialling.connection?.onEnd()
      },
      close() {
        dialling.opened.reject(new UpstreamFault(secure ? "tls_protocol_error" : "connection_terminated"))
        dialling.connection?.onEnd()
      },
      error() {
        dialling.connection?.onEnd()
      },
      connectError(_socket, error) {
        dialling.opened.reject(new UpstreamFault(refusedBy[codeOf(error)] ?? "destination_unavailable"))
      }
    }
  }).catch((error: unknown) =>
    dialling.opened.reject(new UpstreamFault(refusedBy[codeOf(error)] ?? "destination_unavailable"))
  )
  return dialling.opened.promise.finally(() => clearTimeout(timer))
}

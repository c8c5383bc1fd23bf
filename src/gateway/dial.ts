import { connect, isIP } from "node:net"
import { connect as connectTls } from "node:tls"
import * as Context from "effect/Context"
import { Connection } from "./connection.ts"
import { UpstreamFault } from "./faults.ts"
import type { Caller } from "./shares.ts"
import type { Origin } from "./upstream.ts"

/** Certificates that https upstreams may be verified by instead of the system's, as PEM. */
export class Trust extends Context.Reference<Trust>()("doorlock/gateway/Trust", {
  defaultValue: (): string | undefined => undefined
}) {}

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
 * name, whatever the address is. By `node:net`, because a socket of `Bun.connect` cannot be closed before it is open: the
 * kernel would try for two minutes more, and keep its descriptor.
 *
 * @param authorities certificates to trust instead of the system's, as PEM
 * @param timeout milliseconds
 * @param caller who uses the connection, where that is counted
 * @param onClose called once for a connection that was handed out
 * @returns a promise that rejects with an `UpstreamFault` when the socket has been closed
 */
export const dial = (
  { hostname, port, secure }: Origin,
  address: string,
  authorities: string | undefined,
  timeout: number,
  caller: Caller | undefined,
  onClose: (closed: Connection) => void
): Promise<Connection> =>
  new Promise((resolve, reject) => {
    const place = { host: address, port, noDelay: true }
    // Of an address there is no server name to tell; the certificate is verified for it all the same.
    const name = isIP(hostname) === 0 ? { servername: hostname } : {}
    const socket = secure
      ? connectTls({ ...place, ...name, ...(authorities === undefined ? {} : { ca: authorities }) })
      : connect(place)
    let reached = false
    let fault = new UpstreamFault(secure ? "tls_protocol_error" : "connection_terminated")
    const timer = setTimeout(() => {
      fault = new UpstreamFault("connection_timeout")
      socket.destroy()
    }, timeout)
    socket.once("connect", () => {
      reached = true
    })
    // It stays for as long as the socket: "close" follows.
    socket.on("error", (error) => {
      fault = reached
        ? tlsFault(error)
        : new UpstreamFault(refusedBy[codeOf(error)] ?? "destination_unavailable")
    })
    socket.once("close", () => {
      clearTimeout(timer)
      reject(fault)
    })
    socket.once(secure ? "secureConnect" : "connect", () => {
      clearTimeout(timer)
      resolve(new Connection(socket, caller, onClose))
    })
  })

import { connect, isIP, type Socket as NetSocket } from "node:net"
import { connect as connectTls } from "node:tls"
import type { Socket } from "bun"
import { Context } from "effect"
import { Connection } from "./connection.ts"
import { UpstreamFault } from "./faults.ts"
import type { Caller } from "./shares.ts"
import type { Origin } from "./upstream.ts"

/** PEM certificates to verify https upstreams with instead of the system's. */
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

/** OpenSSL's verification errors are all about the certificate; any other error is about the protocol. */
const tlsFault = (error: unknown): UpstreamFault =>
  new UpstreamFault(
    /CERT|ISSUER|SIGNED|SIGNATURE|CHAIN|CRL/.test(codeOf(error))
      ? "tls_certificate_error"
      : "tls_protocol_error"
  )

/** The socket of Bun under an open one of `node:net`, whose streams would cost a call a tenth more. Has no public name. */
const bunSocketOf = (socket: NetSocket): Socket =>
  (socket as NetSocket & { readonly _handle: Socket })._handle

/**
 * Connects to one address. With TLS, it resolves once the certificate is verified for the origin's name, whatever the address is. Uses
 * `node:net` because a `Bun.connect` socket cannot be closed before it is open: the kernel would keep trying, and keep the descriptor, for
 * two more minutes.
 *
 * @param authorities PEM certificates to trust instead of the system's
 * @param timeout milliseconds
 * @param caller who uses the connection; undefined if it does not count against anybody
 * @param onClose called once when a returned connection closes
 * @returns a promise that rejects with an `UpstreamFault` once the socket has closed
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
    // An IP address has no server name to send; the certificate is still verified for it.
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
    // Registered for the socket's whole life. "close" follows every error.
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
      resolve(new Connection(bunSocketOf(socket), caller, onClose))
    })
  })

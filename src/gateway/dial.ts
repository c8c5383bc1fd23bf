import { closeSync, openSync } from "node:fs"
import { connect, isIP, type Socket as NetSocket } from "node:net"
import { connect as connectTls } from "node:tls"
import type { Socket } from "bun"
import { Context } from "effect"
import type { Timing } from "../shared/timing.ts"
import { Connection } from "./connection.ts"
import { UpstreamFault } from "./faults.ts"
import type { Caller } from "./shares.ts"
import type { Origin } from "./upstream.ts"

/** PEM certificates to trust for https upstreams instead of the system's. */
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

/** Whether this process can open no more files and sockets. */
const isOutOfDescriptors = (): boolean => {
  try {
    closeSync(openSync("/dev/null", "r"))
    return false
  } catch (error) {
    return codeOf(error) === "EMFILE" || codeOf(error) === "ENFILE"
  }
}

/** Bun says that the upstream refuses a connection, too, if there is no descriptor for it. */
const connectFault = (error: unknown): UpstreamFault => {
  const type = refusedBy[codeOf(error)] ?? "destination_unavailable"
  return new UpstreamFault(
    type === "connection_refused" && isOutOfDescriptors() ? "connection_limit_reached" : type
  )
}

/** OpenSSL's verification errors are about the certificate, any others about the protocol. */
const tlsFault = (error: unknown): UpstreamFault =>
  new UpstreamFault(
    /CERT|ISSUER|SIGNED|SIGNATURE|CHAIN|CRL/.test(codeOf(error))
      ? "tls_certificate_error"
      : "tls_protocol_error"
  )

/** Bun's socket under one of `node:net`, whose streams make a call a tenth slower. No public name. */
const bunSocketOf = (socket: NetSocket): Socket =>
  (socket as NetSocket & { readonly _handle: Socket })._handle

/**
 * Connects to one address. With TLS, resolves once the certificate is verified for the origin's name. Not
 * `Bun.connect`, whose socket cannot be closed before it is open: the kernel would keep the descriptor and
 * keep trying for two more minutes.
 *
 * @param timeout milliseconds
 * @param caller undefined if the connection counts against nobody
 * @param onClose called once, when a returned connection closes
 * @returns rejects with an `UpstreamFault` once the socket has closed
 */
export const dial = (
  { hostname, port, secure }: Origin,
  address: string,
  authorities: string | undefined,
  timing: Timing["Type"],
  timeout: number,
  caller: Caller | undefined,
  onClose: (closed: Connection) => void
): Promise<Connection> =>
  new Promise((resolve, reject) => {
    const place = { host: address, port, noDelay: true }
    // TLS sends no server name for an IP address, but verifies the certificate for it.
    const name = isIP(hostname) === 0 ? { servername: hostname } : {}
    const socket = secure
      ? connectTls({ ...place, ...name, ...(authorities === undefined ? {} : { ca: authorities }) })
      : connect(place)
    let reached = false
    let fault = new UpstreamFault(secure ? "tls_protocol_error" : "connection_terminated")
    const timer = timing.after(timeout, () => {
      fault = new UpstreamFault("connection_timeout")
      socket.destroy()
    })
    socket.once("connect", () => {
      reached = true
    })
    // For the socket's whole life. "close" follows every error.
    socket.on("error", (error) => {
      fault = reached ? tlsFault(error) : connectFault(error)
    })
    socket.once("close", () => {
      timer.cancel()
      reject(fault)
    })
    socket.once(secure ? "secureConnect" : "connect", () => {
      timer.cancel()
      resolve(new Connection(bunSocketOf(socket), caller, onClose))
    })
  })

/** Looks at photos as the service does, on a machine without a network: whatever reaches for one fails. */
import { Socket } from "node:net"

const fail = (): never => {
  throw new Error("there is no network")
}
Object.assign(globalThis, { fetch: fail })
Object.assign(Bun, { connect: fail })
Object.assign(Bun.dns, { lookup: fail })
Socket.prototype.connect = fail
await import("../../../src/kyc/checks/look.ts")

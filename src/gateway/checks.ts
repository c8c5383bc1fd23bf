import { Effect, Layer } from "effect"
import { type Check, failed, firstOf, well } from "../cli/check.ts"
import { PublishedUpstreams } from "../marketplace/catalog/published-upstreams-service.ts"
import { Timing } from "../shared/timing.ts"
import { dial, Trust } from "./dial.ts"
import { UpstreamFault, type UpstreamFaultType } from "./faults.ts"
import { UpstreamAddresses } from "./resolve.ts"
import { upstreamOf } from "./upstream.ts"

const concurrency = 16

const words: Partial<Record<UpstreamFaultType, string>> = {
  dns_error: "its name does not resolve",
  dns_timeout: "its name does not resolve in time",
  destination_ip_prohibited: "its address is private, which GATEWAY_ALLOW_PRIVATE_UPSTREAMS does not allow",
  destination_ip_unroutable: "there is no route to it",
  connection_refused: "it refuses connections",
  connection_timeout: "it does not answer",
  tls_certificate_error: "its certificate is not valid for it",
  tls_protocol_error: "it does not speak TLS"
}

/** Connects to the upstream's first address as the gateway does, including TLS, and sends nothing. */
const reach = (url: URL): Effect.Effect<void, UpstreamFault, UpstreamAddresses> =>
  Effect.flatMap(Effect.all([UpstreamAddresses, Trust, Timing]), ([addresses, trust, timing]) =>
    Effect.tryPromise({
      try: async () => {
        const { origin } = upstreamOf(url)
        const [address = origin.hostname] = await addresses.of(origin.hostname, "doctor")
        const timeout = timing.timeout("cli.upstream")
        const connection = await dial(origin, address, trust, timing, timeout, undefined, () => {})
        connection.destroy()
      },
      catch: (fault) =>
        fault instanceof UpstreamFault ? fault : new UpstreamFault("destination_unavailable")
    })
  )

/** Checks whether the gateway can connect to the upstream of every published API. */
const upstreams = Effect.gen(function* () {
  const all = yield* (yield* PublishedUpstreams).list
  const complaints = yield* Effect.forEach(
    all,
    ({ url, versions }) =>
      reach(new URL(url)).pipe(
        Effect.as([]),
        Effect.catchAll(({ type }) =>
          Effect.succeed([
            `${url} of ${versions[0]}${versions.length > 1 ? " and others" : ""}: ${words[type] ?? "it cannot be reached"}`
          ])
        )
      ),
    { concurrency }
  )
  const broken = complaints.flat()
  if (broken.length === 0) {
    return well(
      all.length === 0
        ? "No published API has an upstream of its own."
        : `Every upstream of the published APIs can be reached, ${all.length} in all.`
    )
  }
  return failed(
    `${broken.length} of ${all.length} upstreams cannot be reached: ${firstOf(broken)}.`,
    "Tell their publishers. A version's upstream cannot be changed, but a new version can have another one."
  )
})

export const checks: ReadonlyArray<Check> = [
  {
    name: "upstreams",
    ofDatabase: Effect.provide(upstreams, Layer.merge(PublishedUpstreams.Default, UpstreamAddresses.Default))
  }
]

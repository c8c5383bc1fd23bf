/**
 * A small S3-compatible service with one bucket. It supports objects and multipart uploads, and accepts only
 * signed requests.
 */
import { Effect, type Scope } from "effect"
import type { Environment } from "../server.ts"

export interface FakeS3 {
  /** The settings with which doorlock uses it. */
  readonly environment: Environment & { readonly S3_ENDPOINT: string }
  /** The objects by key. */
  readonly objects: Map<string, Uint8Array>
  /** Multipart uploads that were neither completed nor aborted. */
  readonly openUploads: Map<string, Map<number, Uint8Array>>
  /** The `PUT files/<id>` requests, in order. */
  readonly requests: Array<string>
  /**
   * From now on, refuses requests with these methods with 503. Of a multipart upload, the first part is still
   * accepted.
   */
  readonly fail: (...methods: ReadonlyArray<string>) => void
  /** From now on, never answers when this object is read. */
  readonly hang: (key: string) => void
}

const bucket = "doorlock-files"
const accessKeyId = "AKTEST"
export const s3Secret = "a secret of the bucket, never shown"

const signature = new RegExp(
  `^AWS4-HMAC-SHA256 Credential=${accessKeyId}/\\d{8}/eu-north-1/s3/aws4_request, ?SignedHeaders=[\\w;-]*host[\\w;-]*, ?Signature=[0-9a-f]{64}$`
)

const failure = (status: number, code: string) =>
  new Response(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`, { status })

export const startS3: Effect.Effect<FakeS3, never, Scope.Scope> = Effect.gen(function* () {
  const objects = new Map<string, Uint8Array>()
  const openUploads = new Map<string, Map<number, Uint8Array>>()
  const requests: Array<string> = []
  let failing: ReadonlyArray<string> = []
  const hanging = new Set<string>()

  /** Two keys per page, so that a client has to request further pages. */
  const list = (query: URLSearchParams) => {
    const found = [...objects.keys()]
      .filter((key) => key.startsWith(query.get("prefix") ?? "") && key > (query.get("start-after") ?? ""))
      .toSorted()
    const contents = found.slice(0, 2).map((key) => `<Contents><Key>${key}</Key></Contents>`)
    return new Response(
      `<?xml version="1.0"?><ListBucketResult><IsTruncated>${found.length > 2}</IsTruncated>${contents.join("")}</ListBucketResult>`,
      { headers: { "content-type": "application/xml" } }
    )
  }

  const answer = async (request: Request): Promise<Response> => {
    const { method, url } = request
    const { pathname, searchParams } = new URL(url)
    const key = decodeURIComponent(pathname.slice(`/${bucket}/`.length))
    requests.push(`${method} ${key}`)
    const body = await request.bytes()
    if (!signature.test(request.headers.get("authorization") ?? "")) return failure(403, "AccessDenied")
    if (!pathname.startsWith(`/${bucket}/`)) return failure(404, "NoSuchBucket")
    if (method === "GET" && searchParams.get("list-type") === "2") return list(searchParams)
    const uploadId = searchParams.get("uploadId")
    const part = Number(searchParams.get("partNumber"))
    if (failing.includes(method) && part !== 1) return failure(503, "SlowDown")
    if (method === "POST" && searchParams.has("uploads")) {
      const id = crypto.randomUUID()
      openUploads.set(id, new Map())
      return new Response(
        `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`
      )
    }
    if (uploadId !== null) {
      const parts = openUploads.get(uploadId)
      if (parts === undefined) return failure(404, "NoSuchUpload")
      if (method === "PUT") parts.set(part, body)
      if (method === "POST") {
        objects.set(key, Buffer.concat([...parts].sort(([a], [b]) => a - b).map(([, bytes]) => bytes)))
      }
      if (method !== "PUT") openUploads.delete(uploadId)
      return new Response(null, { headers: { etag: '"part"' } })
    }
    if (method === "GET" && hanging.has(key)) return Promise.withResolvers<Response>().promise
    const object = objects.get(key)
    if (method === "PUT") objects.set(key, body)
    if (method === "DELETE") objects.delete(key)
    if (method === "PUT") return new Response(null, { headers: { etag: '"object"' } })
    if (method === "DELETE") return new Response(null, { status: 204 })
    return object === undefined ? failure(404, "NoSuchKey") : new Response(object.slice())
  }

  const server = yield* Effect.acquireRelease(
    // On a busy machine, a client may be silent for longer than the usual ten seconds.
    Effect.sync(() => Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, fetch: answer })),
    (running) => Effect.promise(() => running.stop(true))
  )
  return {
    environment: {
      S3_BUCKET: bucket,
      S3_ENDPOINT: `http://127.0.0.1:${server.port}`,
      S3_REGION: "eu-north-1",
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: s3Secret
    },
    objects,
    openUploads,
    requests,
    fail: (...methods) => {
      failing = methods
    },
    hang: (key) => hanging.add(key)
  }
})

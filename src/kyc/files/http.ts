import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Layer } from "effect"
import { rawBody } from "../../http/runtime/body.ts"
import { strictPolicy } from "../../http/runtime/edge.ts"
import { group } from "../../http/runtime/handlers.ts"
import { CallerCredential, forActor, forCaller } from "../../keys/credential.ts"
import { CurrentRequest } from "../../shared/current-request.ts"
import { SessionGuesses } from "../sessions/credential.ts"
import { PresentedSessionToken } from "../sessions/guards.ts"
import { FileUploadApi, PartnerFilesApi } from "./api.ts"
import { fileReader, readers } from "./guards.ts"
import { type FileContent, fileName } from "./model.ts"
import { Files } from "./service.ts"

/** An attachment in a sandbox: no browser renders an end user's content on our origin, or runs a script in it. */
const download = (file: FileContent, content: ReadableStream<Uint8Array>) =>
  HttpServerResponse.raw(content, {
    contentType: file.content_type,
    // For HEAD: Bun sends a stream in chunks and drops its length.
    contentLength: file.size,
    headers: {
      "content-disposition": `attachment; filename="${fileName(file)}"`,
      "content-security-policy": `${strictPolicy}; sandbox`,
      "x-content-type-options": "nosniff",
      etag: `"${file.sha256}"`
    }
  })

/** Turns off the idle timeout, which a phone on a slow network can exceed; `intake` has its own deadline. */
const inItsOwnTime = <A, E, R>(upload: Effect.Effect<A, E, R>) =>
  Effect.flatMap(CurrentRequest, ({ setIdleTimeout }) =>
    Effect.acquireUseRelease(
      Effect.sync(() => setIdleTimeout(0)),
      () => upload,
      () => Effect.sync(() => setIdleTimeout())
    )
  )

const uploads = group(FileUploadApi, (handlers) =>
  Effect.zipWith(Files, SessionGuesses, (files, { limiting }) =>
    handlers.handleRaw("upload", ({ path, request }) =>
      Effect.flatMap(PresentedSessionToken, (token) =>
        inItsOwnTime(limiting(files.upload({ ...path, token }, rawBody(request)))).pipe(Effect.bindTo("file"))
      )
    )
  )
)

const partner = group(PartnerFilesApi, (handlers) =>
  Effect.map(Files, (files) =>
    handlers
      .handle("list", ({ path }) =>
        forCaller((companyId) => files.list(companyId, path.id)).pipe(Effect.bindTo("files"))
      )
      .handle("read", ({ path, urlParams: { original } }) =>
        Effect.map(
          forActor((by) => files.read(by, path.id, path.fileId, original ?? false)),
          ({ content, file }) => download(file, content)
        )
      )
  )
)

/** The route rejects a repeated `original`, but this guard runs for it too. */
const asksForOriginal = Effect.map(HttpServerRequest.ParsedSearchParams, ({ original }) =>
  [original].flat().includes("true")
)

export const layer = Layer.mergeAll(uploads, partner)

export const credentials = Layer.effect(
  fileReader,
  Effect.map(CallerCredential, ({ authenticate }) => {
    const [copy, original] = [authenticate(readers.copy), authenticate(readers.original)]
    return Effect.flatMap(asksForOriginal, (asked) => (asked ? original : copy))
  })
)

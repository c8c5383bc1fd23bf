/** Files as tests upload them. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Answer, send, type TestSession } from "./client.ts"
import { type Company, startCompany } from "./kyc.ts"
import { temporaryFolder } from "./postgres.ts"
import type { RunningServer } from "./server.ts"

const latin = (text: string) => Buffer.from(text, "latin1")

const jfif = latin("\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xdb\x00\x43")
const png = latin("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00")
const heic = latin("\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00mif1heic\x00\x00\x01\x00meta")

/** The beginnings of files of each type, in what follows them not further than a server looks. */
export const samples = {
  jpeg: jfif,
  exif: latin("\xff\xd8\xff\xe1\x00\x20Exif\x00\x00MM\x00*"),
  png,
  webp: latin("RIFF\x24\x00\x00\x00WEBPVP8 \x18\x00\x00\x00"),
  heic,
  pdf: latin("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n")
}

/** A file of `size` bytes that begins as a JPEG and goes on at random. */
export const jpegOf = (size: number): Buffer => {
  const bytes = Buffer.alloc(size)
  for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  jfif.copy(bytes)
  return bytes
}

export const sha256 = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher("sha256").update(bytes).digest("hex")

export const upload = (
  server: Pick<RunningServer, "url">,
  { path, token }: Pick<TestSession, "path" | "token">,
  body: Uint8Array,
  headers: Readonly<Record<string, string>> = {}
): Effect.Effect<Answer> =>
  send(server, "POST", `${path}/files`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    body: Buffer.from(body)
  })

/** The bytes of a download, and what it is said to be. */
export const download = (
  server: Pick<RunningServer, "url">,
  path: string,
  headers: Readonly<Record<string, string>>
) =>
  Effect.promise(async () => {
    const response = await fetch(server.url + path, { headers })
    return { status: response.status, headers: response.headers, bytes: await response.bytes() }
  })

/** One server and one company for the tests of a file, and where the server keeps what is uploaded. */
export class Given extends Context.Tag("Given")<Given, Company & { readonly dataDir: string }>() {
  static readonly layer = Layer.scoped(
    Given,
    Effect.orDie(
      Effect.gen(function* () {
        const dataDir = yield* temporaryFolder
        return { ...(yield* startCompany({ DATA_DIR: dataDir })), dataDir }
      })
    )
  )
}

/** Every file below the folder. */
export const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : []
  )

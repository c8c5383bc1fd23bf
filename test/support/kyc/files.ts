/** Files for upload tests. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { Context, Effect, Layer } from "effect"
import { type Answer, send, type TestSession } from "../client.ts"
import { temporaryFolder } from "../postgres.ts"
import type { RunningServer } from "../server.ts"
import { jpegWith } from "./images.ts"
import { type Company, startCompany } from "./partner.ts"
import { noise } from "./pictures.ts"

const latin = (text: string) => Buffer.from(text, "latin1")

const png = noise(1, 1)
const [jpeg, webp] = await Promise.all([
  new Bun.Image(png).jpeg().bytes(),
  new Bun.Image(png).webp({ lossless: true }).bytes()
])

/** A small file of each type. */
export const samples = {
  jpeg: Buffer.from(jpeg),
  exif: jpegWith(jpeg),
  png,
  webp: Buffer.from(webp),
  pdf: latin("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n")
}

/** A JPEG of `size` bytes: random bytes follow its end, which no reader passes. */
export const jpegOf = (size: number): Buffer => {
  const bytes = Buffer.alloc(size)
  for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  samples.jpeg.copy(bytes)
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

/** The bytes of a download and the headers that describe them. */
export const download = (
  server: Pick<RunningServer, "url">,
  path: string,
  headers: Readonly<Record<string, string>>
) =>
  Effect.promise(async () => {
    const response = await fetch(server.url + path, { headers })
    return { status: response.status, headers: response.headers, bytes: await response.bytes() }
  })

/** One server and one company that a file's tests share, and the folder where the server stores uploads. */
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

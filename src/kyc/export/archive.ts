/** A ZIP that is built while it is sent. */
import { createHash } from "node:crypto"
import { makeZip } from "client-zip"

export interface ArchivedFile {
  /** Its path in the archive. */
  readonly name: string
  /** The SHA-256 that the content must have, in hex. */
  readonly sha256: string
  /** Opens the content, or says why there is none. */
  readonly open: () => Promise<ReadableStream<Uint8Array> | "not found" | "changed">
}

/** A file that is not in the archive as it was received. */
interface Missing {
  readonly name: string
  readonly sha256: string
  /** `changed`: what is stored is not the content with this SHA-256. The archive has it only if it could be read. */
  readonly why: "not found" | "incomplete" | "changed"
}

/** Two spaces, as people expect of JSON that they read. */
const text = (document: unknown): string =>
  typeof document === "string" ? document : `${JSON.stringify(document, null, 2)}\n`

/**
 * The documents, then the files, then `missing.json`: the files that could not be read, are incomplete or have another
 * content. Such a file does not break the archive. At most one file is open at a time; if the reader goes away, it is closed.
 *
 * @param documents texts, or values to write as JSON, by their path in the archive
 */
export const archive = (
  documents: Readonly<Record<string, unknown>>,
  files: ReadonlyArray<ArchivedFile>
): ReadableStream<Uint8Array> => {
  const missing: Array<Missing> = []
  let isOver = false
  let reading: { readonly cancel: () => Promise<void> } | undefined

  async function* contentOf({ name, sha256 }: ArchivedFile, content: ReadableStream<Uint8Array>) {
    const hash = createHash("sha256")
    const reader = content.getReader()
    reading = reader
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        hash.update(part.value)
        yield part.value
      }
      if (hash.digest("hex") !== sha256) missing.push({ name, sha256, why: "changed" })
    } catch {
      missing.push({ name, sha256, why: "incomplete" })
    } finally {
      reading = undefined
    }
  }

  async function* entries() {
    for (const [name, document] of Object.entries(documents)) yield { name, input: text(document) }
    for (const file of files) {
      const content = await file.open()
      if (typeof content === "string") {
        missing.push({ name: file.name, sha256: file.sha256, why: content })
      } else if (isOver) {
        await content.cancel()
      } else {
        yield { name: file.name, input: contentOf(file, content) }
      }
    }
    yield { name: "missing.json", input: text(missing) }
  }

  const zip = makeZip(entries()).getReader()
  return new ReadableStream<Uint8Array>({
    pull: async (sink) => {
      const { done, value } = await zip.read()
      if (done) sink.close()
      else sink.enqueue(value)
    },
    cancel: async () => {
      isOver = true
      // The ZIP closes nothing that it reads, and itself ends only after the read under way.
      await reading?.cancel()
      // It throws the reason of the cancellation into its own generator, which therefore rejects.
      await zip.cancel().catch(() => {})
    }
  })
}

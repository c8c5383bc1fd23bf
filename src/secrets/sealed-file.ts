/**
 * Seals files of any size in little memory: the STREAM construction (Hoang, Reyhanitabar, Rogaway and Vizár, 2015) with AES-256-GCM.
 *
 * A sealed file is a header of 32 bytes (mark, salt), then chunks of 64 KiB, the last one shorter, each followed by its tag of 16 bytes. The
 * key of a file derives from the data key, the salt and the file's name. The nonce of a chunk is its number, and whether it is the last. So a
 * chunk opens only in its place in its file, and a truncated file does not open.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { open } from "node:fs/promises"
import type { DataKey } from "./data-keys.ts"
import { hkdfSha256 } from "./digest.ts"

const mark = Buffer.from("doorlock sealed1")
const saltLength = 16
const headerLength = mark.length + saltLength
const chunkLength = 65_536
const tagLength = 16
const cipher = "aes-256-gcm"

const fileKey = (key: DataKey, salt: Uint8Array, name: string) => hkdfSha256(key, salt, `file ${name}`)

const nonceOf = (number: number, isLast: boolean): Buffer => {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(number, 7)
  nonce.writeUInt8(isLast ? 1 : 0, 11)
  return nonce
}

const readerOf = (stream: ReadableStream<Uint8Array>) => stream.getReader()

/** Hands out the bytes of a stream in the lengths that are asked for. */
class Source {
  readonly #reader: ReturnType<typeof readerOf>
  #parts: Array<Uint8Array> = []
  #held = 0
  #ended = false

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = readerOf(stream)
  }

  async #hold(length: number): Promise<void> {
    while (this.#held < length && !this.#ended) {
      const { done, value } = await this.#reader.read()
      if (done) this.#ended = true
      else {
        this.#parts.push(value)
        this.#held += value.length
      }
    }
  }

  /** The next bytes: fewer only at the end. */
  async take(length: number): Promise<Buffer> {
    await this.#hold(length)
    const all = this.#parts.length === 1 ? Buffer.from(this.#parts[0] ?? []) : Buffer.concat(this.#parts)
    const rest = all.subarray(length)
    this.#parts = rest.length === 0 ? [] : [rest]
    this.#held = rest.length
    return all.subarray(0, length)
  }

  async isAtEnd(): Promise<boolean> {
    await this.#hold(1)
    return this.#held === 0
  }

  cancel(): Promise<void> {
    return this.#reader.cancel()
  }
}

/**
 * Writes the sealed form of `plain` to the new file `to`, safely on disk.
 * @param name the sealed file opens only under this name
 * @param signal stops it; then it rejects
 */
export const sealFile = async (
  key: DataKey,
  name: string,
  plain: ReadableStream<Uint8Array>,
  to: string,
  signal?: AbortSignal
): Promise<void> => {
  const source = new Source(plain)
  // A source that hangs would otherwise be held for ever.
  signal?.addEventListener("abort", () => void source.cancel().catch(() => undefined))
  try {
    await using sealed = await open(to, "wx", 0o600)
    const salt = randomBytes(saltLength)
    const derived = fileKey(key, salt, name)
    await sealed.writeFile(Buffer.concat([mark, salt]))
    let isLast = false
    for (let number = 0; !isLast; number++) {
      const bytes = await source.take(chunkLength)
      isLast = await source.isAtEnd()
      signal?.throwIfAborted()
      const sealing = createCipheriv(cipher, derived, nonceOf(number, isLast), { authTagLength: tagLength })
      const body = sealing.update(bytes)
      sealing.final()
      await sealed.writeFile(Buffer.concat([body, sealing.getAuthTag()]))
    }
    await sealed.sync()
  } finally {
    await source.cancel()
  }
}

/** A stream of what `next` returns, until it returns undefined; `first` is there already. */
const streamOf = (
  first: Uint8Array | undefined,
  next: () => Promise<Uint8Array | undefined>,
  source: Source
): ReadableStream<Uint8Array> => {
  let waiting = first
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const bytes = waiting ?? (await next())
        waiting = undefined
        if (bytes === undefined) controller.close()
        else controller.enqueue(bytes)
      },
      cancel: () => source.cancel()
    },
    { highWaterMark: 0 }
  )
}

/**
 * The content of a sealed file. Rejects, or the stream fails, where the key, the name or the bytes are not the original. The first chunk is
 * checked before it resolves.
 */
export const openedFile = async (
  key: DataKey,
  name: string,
  stored: ReadableStream<Uint8Array>
): Promise<ReadableStream<Uint8Array>> => {
  const source = new Source(stored)
  try {
    const header = await source.take(headerLength)
    if (!header.subarray(0, mark.length).equals(mark)) throw new Error(`${name} is not sealed`)
    const derived = fileKey(key, header.subarray(mark.length), name)
    let number = 0
    let ended = false
    const next = async (): Promise<Uint8Array | undefined> => {
      if (ended) return undefined
      const sealed = await source.take(chunkLength + tagLength)
      ended = await source.isAtEnd()
      const opening = createDecipheriv(cipher, derived, nonceOf(number++, ended), {
        authTagLength: tagLength
      })
      opening.setAuthTag(sealed.subarray(-tagLength))
      const bytes = opening.update(sealed.subarray(0, -tagLength))
      opening.final()
      return bytes
    }
    return streamOf(await next(), next, source)
  } catch (error) {
    await source.cancel()
    throw error
  }
}

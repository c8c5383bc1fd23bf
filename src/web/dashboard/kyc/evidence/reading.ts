import { ConnectionError } from "../../../../client/package/index.ts"

/** Reads a file. `onProgress` gets the bytes that have arrived, and their total if the server says it. Rejects with `ConnectionError`. */
export const read = async (
  response: Response,
  onProgress: (loaded: number, total: number | undefined) => void
): Promise<Blob> => {
  const total = Number(response.headers.get("content-length")) || undefined
  const parts: Array<Uint8Array<ArrayBuffer>> = []
  let loaded = 0
  try {
    for await (const part of response.body ?? []) {
      parts.push(part)
      loaded += part.length
      onProgress(loaded, total)
    }
  } catch (cause) {
    const requestId = response.headers.get("x-request-id") ?? ""
    throw new ConnectionError("The file did not arrive completely.", requestId, cause)
  }
  return new Blob(parts, { type: response.headers.get("content-type") ?? "" })
}

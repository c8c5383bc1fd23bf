/** How a worker that reads documents answers the page. */
import type { Answer, Question } from "./messages.ts"

export const nothing: Answer = { fields: {}, whole: false }

/** What reads a picture, once the file that it needs is there. */
type Reader = (question: Question) => Promise<Answer>

/** @param make gets the file that the worker needs */
export const answerWith = (make: (file: ArrayBuffer) => Reader): void => {
  let reader: Promise<Reader> | undefined

  const load = async (address: string): Promise<Reader> => {
    const response = await fetch(address)
    if (!response.ok) throw new Error(`${address} answered ${response.status}`)
    return make(await response.arrayBuffer())
  }

  const answer = async (question: Question): Promise<Answer> => {
    reader ??= load(question.needs)
    try {
      return await (await reader)(question)
    } catch {
      // The file did not arrive. The next question asks for it again.
      reader = undefined
      return { ...nothing, failed: true }
    } finally {
      question.picture.close()
    }
  }

  // A dedicated worker: only the page can send it messages.
  addEventListener("message", async ({ data }: MessageEvent<Question>) => postMessage(await answer(data)))
}

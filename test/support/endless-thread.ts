/** In place of the thread for documents: never ends with one that holds the word "endless", and ends itself at "crash". */
import { parentPort } from "node:worker_threads"

parentPort?.on("message", ({ text }: { readonly text: string }) => {
  parentPort?.postMessage({ is: "begun" })
  if (text.includes("crash")) throw new Error("crashed")
  while (text.includes("endless"));
  parentPort?.postMessage({ is: "done", output: undefined })
})

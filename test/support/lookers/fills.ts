/** Takes more and more memory when it is asked. */
const taken: Array<Uint8Array> = []
process.on("message", () => {
  setInterval(() => taken.push(new Uint8Array(50_000_000).fill(1)), 10)
})

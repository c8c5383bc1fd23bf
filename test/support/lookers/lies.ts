/** Answers with what nobody asked for, then as if the photo did not decode. */
process.on("message", (message: { readonly number: number }) => {
  process.send?.("surprise")
  process.send?.({ number: message.number + 1, look: { found: "no picture" } })
  process.send?.({ number: message.number, look: { found: "a king" } })
  process.send?.({ number: message.number, look: { found: "no picture" } })
})

/** Spins for ever when it is asked. */
process.on("message", () => {
  for (;;);
})

/** Dies when it is asked. */
process.on("message", () => process.kill(process.pid, "SIGSEGV"))

/** Milliseconds to wait for a page to show something. The limit only stops a test that hangs; it does not measure the page's speed. */
export const pagePatience = 100_000

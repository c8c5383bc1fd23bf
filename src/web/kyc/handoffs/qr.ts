/** A separate script, fetched for the first code. */
import { toSvgPath } from "lean-qr/extras/svg"
import { generate } from "lean-qr/nano"

/** The light border that code readers need, in modules (ISO/IEC 18004). */
const quietZone = 4

/** The square with its border as a view box, and the dark modules as an SVG path. */
export const qrCode = (text: string) => {
  const code = generate(text)
  const side = code.size + 2 * quietZone
  return { viewBox: `${-quietZone} ${-quietZone} ${side} ${side}`, path: toSvgPath(code) }
}
export type QrCode = ReturnType<typeof qrCode>

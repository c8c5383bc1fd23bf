/** QR codes. A separate file, which is fetched when the first code is shown. */
import { generate } from "lean-qr/nano"

/** The light border that code readers need, in modules (ISO/IEC 18004). */
const quietZone = 4

/** A code to draw: the side of its square in modules, including the light border, and the dark modules as an SVG path. */
export interface QrCode {
  readonly side: number
  readonly path: string
}

export const qrCode = (text: string): QrCode => {
  const code = generate(text)
  const path: Array<string> = []
  for (let y = 0; y < code.size; y++) {
    for (let x = 0; x < code.size; x++) {
      if (code.get(x, y)) path.push(`M${x + quietZone} ${y + quietZone}h1v1h-1z`)
    }
  }
  return { side: code.size + 2 * quietZone, path: path.join("") }
}

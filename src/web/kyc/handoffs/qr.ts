/** QR codes. A file of its own, which is fetched when the first code is to be shown. */
import { generate } from "lean-qr/nano"

/** Modules of light around a code that its readers need (ISO/IEC 18004). */
const quietZone = 4

/** A code to be drawn: the side of its square in modules, light around it included, and the dark modules as an SVG path. */
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
